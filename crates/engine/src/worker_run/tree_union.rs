//! The inputs before and after a run that was performed in parts, each in a tree of its own.

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::criteria::{ROUNDING_MS, TICK_MS};
use referee_judge::{role, source_file};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::plan::{Action, Phase, Role, Work};
use referee_model::run_context::TreeFacts;
use referee_model::run_context::tree::{TreeChange, TreeChangeKind, TreeState};
use referee_model::time::Timestamp;

/// The tree of one part.
pub(super) struct PartTree<'part> {
    pub(super) facts: &'part TreeFacts,
    /// What ran in it, with the beginning of the first and the end of the last attempt.
    pub(super) spans: Vec<(&'part Action, Timestamp, Timestamp)>,
}

/// What became of the inputs in all parts.
pub(super) struct Union {
    pub(super) facts: TreeFacts,
    /// Inputs that were modified or removed where not every step saw it.
    pub(super) apart: Vec<String>,
}

/// Returns what became of the inputs in all parts together. `None`: there is no part.
///
/// A change that all parts made before their steps is at the time of the first. Any other one that is no addition is at an
/// unknown time, so that every step is void: steps of other parts did not see it.
pub(super) fn union(parts: &[PartTree<'_>]) -> Option<Union> {
    let before = parts.first()?.facts.before;
    let mut by_path: BTreeMap<&str, Vec<(usize, &TreeChange)>> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        for change in &part.facts.changes {
            by_path.entry(&change.path).or_default().push((at, change));
        }
    }
    let (mut changes, mut apart) = (Vec::new(), Vec::new());
    for (path, found) in by_path {
        let Some((_, first)) = found.first() else { continue };
        let is_addition = found.iter().all(|(_, change)| change.kind == TreeChangeKind::Added);
        let is_everywhere = found.len() == parts.len() && found.iter().all(|(_, change)| change.kind == first.kind);
        let is_first =
            |(at, change): &(usize, &TreeChange)| parts.get(*at).is_some_and(|part| voids_nothing(part, change));
        let is_known = is_addition || (is_everywhere && found.iter().all(is_first));
        if !is_known {
            apart.push(path.to_owned());
        }
        let at = found.iter().filter_map(|(_, change)| change.at).min().filter(|_| is_known);
        let kinds = found.iter().map(|(_, change)| change.kind);
        let kind = kinds.into_iter().find(|kind| *kind != TreeChangeKind::Added).unwrap_or(first.kind);
        changes.push(TreeChange { path: path.to_owned(), kind, at });
    }
    changes.sort_by_key(|change| change.kind == TreeChangeKind::Added);
    let of = |kind| changes.iter().filter(|change| change.kind == kind).count() as u64;
    let files = before.files.saturating_add(of(TreeChangeKind::Added)).saturating_sub(of(TreeChangeKind::Removed));
    let unlisted = |part: &PartTree<'_>| part.facts.change_count.saturating_sub(part.facts.changes.len() as u64);
    let unlisted = parts.iter().map(unlisted).fold(0, u64::saturating_add);
    let change_count = (changes.len() as u64).saturating_add(unlisted);
    changes.truncate(limit::TREE_CHANGES_LISTED);
    let mut rewritten: Vec<_> = parts.iter().flat_map(|part| &part.facts.rewritten).cloned().collect();
    rewritten.sort_by_cached_key(|file| (!source_file::is_source(&file.path), file.path.clone(), file.at));
    rewritten.truncate(limit::TREE_CHANGES_LISTED);
    let after = TreeState { digest: digest(before, parts), files };
    Some(Union { facts: TreeFacts { before, after, changes, change_count, rewritten }, apart })
}

/// Returns the digest of the inputs after the run: that of the parts, if those that changed anything agree, and otherwise one
/// that no tree has.
fn digest(before: TreeState, parts: &[PartTree<'_>]) -> Digest {
    let after: BTreeSet<Digest> = parts.iter().map(|part| part.facts.after.digest).collect();
    let changed: Vec<&Digest> = after.iter().filter(|digest| **digest != before.digest).collect();
    match changed.as_slice() {
        [] => before.digest,
        [one] => **one,
        several => Digest::of(several.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").as_bytes()),
    }
}

/// Returns whether no step of the part had ended when a file changed.
fn voids_nothing(part: &PartTree<'_>, change: &TreeChange) -> bool {
    let Some(at) = change.at else { return false };
    let mut steps = part.spans.iter().filter(|(action, ..)| action.phase == Phase::Step);
    steps.all(|(_, _, ended)| ended.plus_milliseconds(ROUNDING_MS) >= at)
}

/// Returns a source that was written with the content that it had, while nothing ran in its part and after tests had begun: what
/// they saw is not known, and actions of other parts had no hand in it. `None`: there is none.
pub(super) fn written_by_nobody<'part>(part: &PartTree<'part>) -> Option<&'part str> {
    let is_test = |action: &Action| match &action.work {
        Work::Command(command) => role::tell(command).role == Role::Test,
        _ => false,
    };
    let facts = part.facts;
    let mut sources = facts.rewritten.iter().filter(|file| !file.generated && source_file::is_source(&file.path));
    let found = sources.find(|file| {
        let runs = |(action, began, ended): &(&Action, Timestamp, Timestamp)| {
            *began <= file.at.plus_milliseconds(TICK_MS)
                && (matches!(action.work, Work::Service(_)) || ended.plus_milliseconds(ROUNDING_MS) >= file.at)
        };
        let had_begun = |(action, began, _): &(&Action, Timestamp, Timestamp)| is_test(action) && *began <= file.at;
        part.spans.iter().any(had_begun) && !part.spans.iter().any(runs)
    });
    found.map(|file| file.path.as_str())
}
