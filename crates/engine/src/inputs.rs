//! The inputs of a run, observed before its first action and after its last (design, "Tree digest").

use std::collections::BTreeMap;
use std::path::Path;

use referee_judge::source_file;
use referee_ledger::tree::{self, Cache, Changes, Exclusions, Listing, PatternError, Rewrite, Snapshot};
use referee_ledger::{LedgerError, State};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::plan::Plan;
use referee_model::record::RunEnding;
use referee_model::run_context::tree::{TreeChange, TreeChangeKind, TreeFacts, TreeRewrite};
use referee_syntax::count::{list, more};

mod auto_loaded;

/// Maximum number of files that a notice names.
const FILES_NAMED: usize = 5;

/// Error that keeps the state of the inputs from being determined.
#[derive(Debug, thiserror::Error)]
pub enum InputsError {
    /// An exclusion pattern of the specification is invalid.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The inputs cannot be listed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// Returns the digest of a plan's current inputs, as a run would record it; comparing it decides whether the
/// tree is unchanged. `None`: an input cannot be read, so the tree equals no other.
///
/// # Errors
/// Fails if the inputs cannot be listed.
pub fn now(plan: &Plan, state: Option<&State>) -> Result<Option<Digest>, InputsError> {
    let exclusions = left_out(plan, &plan.workspace, state)?;
    Ok(tree::digest_now(&plan.workspace, &exclusions, state)?)
}

/// Like [`now`], but files with the stamp that the last run saw are not read: this tells when to look again, and
/// nothing about a verdict.
///
/// # Errors
/// Fails if the inputs cannot be listed.
pub fn by_stamps(plan: &Plan, state: Option<&State>) -> Result<Option<Digest>, InputsError> {
    let exclusions = left_out(plan, &plan.workspace, state)?;
    Ok(tree::digest_by_stamps(&plan.workspace, &exclusions, state)?)
}

/// The inputs as they were before the first action.
pub(crate) struct Inputs {
    cache: Cache,
    before: Snapshot,
    links: Links,
}

/// Digests of the targets of symbolic links among the inputs. `None`: unknown.
type Links = Option<BTreeMap<String, Digest>>;

impl Inputs {
    /// Observes the inputs before the first action, from a listing.
    ///
    /// # Errors
    /// Returns why they cannot be observed, after adding it as a notice: a run with an unknown state of its
    /// inputs proves nothing about any tree, and is never fresh.
    pub(crate) fn before(
        (plan, state): (&Plan, Option<&State>),
        listing: Result<Listing, String>,
        notices: &mut Vec<String>,
        redact: &dyn Fn(&str) -> String,
    ) -> Result<Self, String> {
        let unknown = |notices: &mut Vec<String>, why: &str| {
            let why = redact(why);
            notices.push(format!("the state of the inputs is not known: {why}"));
            why
        };
        let listing = listing.map_err(|why| unknown(notices, &why))?;
        let mut cache = Cache::open(state, &plan.workspace);
        let before = Snapshot::read(&listing, &mut cache);
        notices.extend(listing.notes().iter().map(|note| redact(note)));
        if let Some(unread) = unreadable(&before) {
            return Err(unknown(notices, &unread));
        }
        let links = links(plan, &before);
        Ok(Self { cache, before, links })
    }

    /// Returns the digest of the inputs before the first action.
    pub(crate) fn digest(&self) -> Digest {
        self.before.state().digest
    }

    /// Returns why inputs with the same digest need not be the same on another machine. `None`: they are.
    pub(crate) fn unshared(&self) -> Option<String> {
        let leads_elsewhere = self.links.as_ref().is_none_or(|links| !links.is_empty());
        let of_links = || leads_elsewhere.then(|| "a link among the inputs leads to what is no input".to_owned());
        unread(&self.before).or_else(of_links)
    }

    /// Observes the inputs after the last action, and determines the changes. If they can no longer be listed,
    /// the run has failed: the checks may have seen something else.
    pub(crate) fn after(
        mut self,
        plan: &Plan,
        listing: Result<Listing, String>,
        ending: &mut RunEnding,
        notices: &mut Vec<String>,
        redact: &dyn Fn(&str) -> String,
    ) -> Option<(TreeFacts, Seen)> {
        let listing = match listing {
            Ok(listing) => listing,
            Err(why) => {
                if *ending == RunEnding::Finished {
                    let message = redact(&format!("the inputs could not be observed after the run: {why}"));
                    *ending = RunEnding::Failed { message };
                }
                return None;
            }
        };
        let after = Snapshot::read(&listing, &mut self.cache);
        // A cache that cannot be written only costs time.
        let _ = self.cache.save();
        notices.extend(unreadable(&after).map(|why| redact(&format!("after the run, {why}"))));
        let Changes { files: changes, mut rewritten } = Changes::between(&self.before, &after, &listing);
        notices.extend(rewritten_notice(&rewritten).map(|notice| redact(&notice)));
        notices.extend(auto_loaded::notice(&changes).map(|notice| redact(&notice)));
        let facts = TreeFacts {
            before: self.before.state(),
            after: after.state(),
            change_count: changes.len() as u64,
            changes: changes
                .into_iter()
                .take(limit::TREE_CHANGES_LISTED)
                .map(|change| TreeChange {
                    path: redact(&change.path.to_string_lossy()),
                    kind: change.kind,
                    at: change.at,
                })
                .collect(),
            rewritten: listed_rewrites(&mut rewritten, redact),
        };
        let links = self.links.filter(|before| links(plan, &after).as_ref() == Some(before));
        Some((facts, Seen { snapshot: after, is_rewritten: !rewritten.is_empty(), links }))
    }
}

/// The inputs as a run left them.
#[derive(Debug)]
pub(crate) struct Seen {
    /// State of the inputs after the last action.
    pub(crate) snapshot: Snapshot,
    /// Whether an input was written during the run with unchanged content. Checks may have seen other content
    /// meanwhile.
    pub(crate) is_rewritten: bool,
    /// Digests of the targets of symbolic links, the same before and after the run. `None`: unknown, or changed.
    pub(crate) links: Links,
}

fn links(plan: &Plan, inputs: &Snapshot) -> Links {
    referee_ledger::receipts::links(&plan.workspace, inputs).ok().flatten()
}

/// Returns the rewritten inputs with unchanged content, up to the limit. Sources, which may void checks, come first.
fn listed_rewrites(rewritten: &mut [Rewrite], redact: &dyn Fn(&str) -> String) -> Vec<TreeRewrite> {
    rewritten.sort_by_cached_key(|rewrite| !source_file::is_source(&rewrite.path.to_string_lossy()));
    let kept = rewritten.iter().take(limit::TREE_CHANGES_LISTED);
    kept.map(|rewrite| TreeRewrite {
        path: redact(&rewrite.path.to_string_lossy()),
        at: rewrite.at,
        generated: rewrite.generated,
    })
    .collect()
}

/// Returns a notice about inputs that were written during a run with unchanged content. This alone voids
/// nothing, because tools do so legitimately, but another run may see other content.
fn rewritten_notice(rewritten: &[Rewrite]) -> Option<String> {
    let named = list(rewritten.iter().map(|rewrite| rewrite.path.display()), FILES_NAMED);
    (!rewritten.is_empty()).then(|| {
        format!(
            "inputs were written during the run and hold what they held before: {named}; what they held meanwhile is not \
             known, so the verdict is not reused"
        )
    })
}

/// Lists and reads the inputs of a workspace.
pub(crate) fn observe(
    workspace: &Path,
    exclusions: &Exclusions,
    cache: &mut Cache,
) -> Result<(Listing, Snapshot), String> {
    let listing = tree::list(workspace, exclusions).map_err(|error| error.to_string())?;
    let snapshot = Snapshot::read(&listing, cache);
    Ok((listing, snapshot))
}

/// Returns the exclusions from the inputs of a plan that runs in a workspace: the evidence, the state directory,
/// and its outputs.
pub(crate) fn exclusions(plan: &Plan, workspace: &Path, state: Option<&State>) -> Result<Exclusions, String> {
    left_out(plan, workspace, state).map_err(|error| error.to_string())
}

fn left_out(plan: &Plan, workspace: &Path, state: Option<&State>) -> Result<Exclusions, PatternError> {
    let evidence = match plan.evidence_root.strip_prefix(&plan.workspace) {
        Ok(inside) => workspace.join(inside),
        Err(_) => plan.evidence_root.clone(),
    };
    let ours: Vec<&Path> = std::iter::once(evidence.as_path()).chain(state.map(State::path)).collect();
    Exclusions::new(workspace, &ours, &plan.guard.outputs)
}

/// Returns why a state of the inputs equals no other: an unreadable input, or an unreadable file that decides
/// which files are inputs. `None`: the state is known.
pub(crate) fn unread(snapshot: &Snapshot) -> Option<String> {
    unreadable(snapshot).or_else(|| unknown(snapshot))
}

/// Returns why it is unknown which files are inputs. `None`: it is known.
pub(crate) fn unknown(snapshot: &Snapshot) -> Option<String> {
    let (path, why) = snapshot.unknown().first()?;
    Some(format!("which files are inputs is not known: {} ({why})", path.display()))
}

/// Returns which inputs cannot be read. `None`: all can.
pub(crate) fn unreadable(snapshot: &Snapshot) -> Option<String> {
    let unread = snapshot.unread();
    let named: Vec<String> =
        unread.iter().take(FILES_NAMED).map(|(path, why)| format!("{} ({why})", path.display())).collect();
    match unread.len() {
        0 => None,
        1 => Some(format!("an input cannot be read: {}", named.concat())),
        count => Some(format!("{count} inputs cannot be read: {}", named.join(", "))),
    }
}

/// Returns which inputs changed during a run, and advice. `None`: no changes.
pub(crate) fn moved(facts: &TreeFacts) -> Option<String> {
    let changes = facts.changes.iter().map(|change| (change.path.clone(), change.kind));
    let listed = listed(changes, usize::try_from(facts.change_count).unwrap_or(usize::MAX));
    (facts.change_count > 0)
        .then(|| format!("its inputs changed while it ran: {listed}; declare under `outputs` what checks make"))
}

/// Names the first few changed files, for a person.
pub(crate) fn named(changes: &[tree::Change]) -> String {
    listed(changes.iter().map(|change| (change.path.display().to_string(), change.kind)), changes.len())
}

fn listed(changes: impl Iterator<Item = (String, TreeChangeKind)>, count: usize) -> String {
    let of = |(path, kind): (String, TreeChangeKind)| format!("{path} ({})", kind.as_str());
    let named: Vec<String> = changes.take(FILES_NAMED).map(of).collect();
    named.join(", ") + &more(count.saturating_sub(named.len()))
}
