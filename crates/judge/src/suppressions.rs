//! Suppressions that a change adds, which silence a tool or a test: those in the candidate but not in the
//! baseline (design, "Lock"; attacks, row 1).
//!
//! Suppressions are counted by their exact words: as many as there were before are the old ones, wherever they
//! are now; only the surplus is added. So a line that moved, also to another file, is not added, nor is one in a
//! renamed file. A suppression that disables tests or whole files does not count as moved out of a file that
//! still exists.

mod conditions;
mod mark;
mod marks;
mod production;
mod settings;
mod table;
mod tests_of_scripts;
mod types_left;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use referee_model::id::Digest;
use referee_model::limit;
use referee_model::lock::{KnownSuppression, Sources};
use referee_model::plan::guard::Answer;
use referee_model::run_context::protection::Suppression;
use referee_model::run_context::suppression::SuppressionKind;
use referee_syntax::count::list;
use referee_syntax::cut::characters;
use referee_syntax::program::Language;

use self::mark::Mark;
use self::marks::marks;

/// Maximum number of files that a note names.
const FILES_NAMED: usize = 5;

/// The files of both sides to compare, and the policy for suppressions.
pub struct Compared<'a> {
    /// The paths that differ, relative to the workspace: modified, new (untracked ones, too) and removed. Paths
    /// that do not differ may be included; they cost time and yield nothing.
    pub paths: &'a [String],
    /// Returns what is known of a path at the baseline. `None`: it did not exist.
    pub baseline: &'a dyn Fn(&str) -> Option<Before>,
    /// Returns the current content of a path. More than [`limit::SUPPRESSION_FILE_BYTES`] plus one byte is not needed.
    pub candidate: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// Policy for suppressions (`suppressions` of the specification; that of the baseline, if there is one).
    pub answer: Answer,
    /// Removes secrets from a text: findings go into the evidence.
    pub redact: &'a dyn Fn(&str) -> String,
}

/// Suppressions that a change adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuppressionReport {
    /// The suppressions, by path, line and kind.
    pub suppressions: Vec<Suppression>,
    /// Notes about files that were not examined, or suppressions that are not listed; one sentence each.
    pub notes: Vec<String>,
}

impl SuppressionReport {
    /// Adds another report.
    pub fn extend(&mut self, other: Self) {
        self.suppressions.extend(other.suppressions);
        self.suppressions
            .sort_by(|one, other| (&one.path, one.line, one.kind).cmp(&(&other.path, other.line, other.kind)));
        self.suppressions.truncate(limit::SUPPRESSIONS_KEPT);
        self.notes.extend(other.notes);
    }
}

/// What is known of a file at the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// The content of the file.
    Text(Vec<u8>),
    /// Only the suppressions of the file.
    Known(Vec<KnownSuppression>),
}

/// Finds the suppressions that a change adds.
pub fn find(compared: &Compared<'_>) -> SuppressionReport {
    if compared.answer == Answer::Ignore {
        return SuppressionReport::default();
    }
    let mut passed_over = BTreeSet::new();
    let mut found = Vec::new();
    let (mut wholly_new, mut gone, mut left) = (Vec::new(), Counts::default(), Counts::default());
    let mut files = types_left::Files::default();
    for path in compared.paths.iter().collect::<BTreeSet<_>>() {
        let Some(language) = Language::of(path) else { continue };
        let mut text = |bytes: Vec<u8>| readable(bytes).ok_or_else(|| passed_over.insert(path.as_str())).ok();
        let before = (compared.baseline)(path).and_then(|before| match before {
            Before::Text(bytes) => text(bytes).map(|text| Old::of_text(&text, language, path)),
            Before::Known(known) => Some(Old::of_known(&known)),
        });
        let after = (compared.candidate)(path).and_then(text);
        match (before, after) {
            (Some(before), None) => {
                gone.add(before.marks);
                files.gone.insert(path);
            }
            (None, Some(after)) => {
                wholly_new.extend(of_new_file(&after, language, path).into_iter().map(|mark| (path, mark)));
                files.new.insert(path);
            }
            (Some(before), Some(after)) => {
                let now = marks(&after, language, path);
                let mut lost = Counts::default();
                lost.add(before.marks.iter().copied());
                for mark in &now {
                    lost.take(mark);
                }
                left.add_all(&lost);
                found.extend(more(&before, now, &after).into_iter().map(|mark| (path, mark)));
            }
            (None, None) => {}
        }
    }
    found.extend(wholly_new.into_iter().filter(|(_, mark)| !gone.take(mark)));
    left.add_all(&gone);
    found.retain(|(_, mark)| !mark.kind.moves_with_its_line() || !left.take(mark));
    let left_types = types_left::find(&files, &|path| (compared.candidate)(path).and_then(readable));
    let left_types = left_types.iter().map(|(path, mark)| compared.of_mark(path, mark));
    let mut suppressions: Vec<Suppression> =
        found.iter().map(|(path, mark)| compared.of_mark(path, mark)).chain(left_types).collect();
    suppressions.sort_by(|one, other| (&one.path, one.line, one.kind).cmp(&(&other.path, other.line, other.kind)));
    let mut notes: Vec<String> = note(&passed_over).into_iter().collect();
    if suppressions.len() > limit::SUPPRESSIONS_KEPT {
        notes.push(format!(
            "{} suppressions were added; the first {} are listed",
            suppressions.len(),
            limit::SUPPRESSIONS_KEPT
        ));
        suppressions.truncate(limit::SUPPRESSIONS_KEPT);
    }
    SuppressionReport { suppressions, notes }
}

/// Returns the suppressions of a file without their texts, for a lock. `None`: the file is too large, no text,
/// or in an unknown language.
pub fn known(path: &str, content: Vec<u8>) -> Option<Vec<KnownSuppression>> {
    let language = Language::of(path)?;
    let text = readable(content)?;
    Some(marks(&text, language, path).iter().map(Mark::known).collect())
}

/// Returns how many suppressions each source has more than before. Those that moved in from another source do
/// not count.
pub fn grown(before: &Sources, after: &Sources) -> BTreeMap<String, usize> {
    let keys = |known: &[KnownSuppression]| known.iter().map(key).collect::<Vec<_>>();
    let mut counts = Counts::default();
    for known in before.values() {
        counts.add(keys(known));
    }
    let mut grown = BTreeMap::new();
    // Suppressions that stay in their file are the old ones; others take what is left.
    let mut rest: Vec<(&String, Key)> = Vec::new();
    for (path, known) in after {
        let mut own = Counts::default();
        own.add(before.get(path).map(|known| keys(known)).unwrap_or_default());
        rest.extend(
            keys(known).into_iter().filter(|key| !(own.take_key(*key) && counts.take_key(*key))).map(|key| (path, key)),
        );
    }
    for (path, key) in rest {
        if !counts.take_key(key) {
            *grown.entry(path.clone()).or_default() += 1;
        }
    }
    grown
}

/// Returns the suppressions that one file has more than before. `path` determines the language, and whether the
/// file holds tests. None of them is marked as blocking: the policy is not applied here.
pub fn added(before: &str, after: &str, path: &str) -> Vec<Suppression> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    let more = match before {
        "" => of_new_file(after, language, path),
        before => more(&Old::of_text(before, language, path), marks(after, language, path), after),
    };
    let suppression = |mark: Mark| Suppression {
        path: path.to_owned(),
        line: mark.line,
        kind: mark.kind,
        text: characters(&mark.text, limit::PROTECTION_TEXT_CHARACTERS),
        blocks: false,
    };
    more.into_iter().map(suppression).collect()
}

/// Returns the suppressions of a new file. A condition for compiling a new file takes nothing away, so it does
/// not count.
fn of_new_file(text: &str, language: Language, path: &str) -> Vec<Mark> {
    marks(text, language, path).into_iter().filter(|mark| mark.kind != SuppressionKind::BuildCondition).collect()
}

impl Compared<'_> {
    /// Creates a suppression at a 1-based line of the candidate.
    pub fn suppression(&self, path: &str, line: u32, kind: SuppressionKind, text: &str) -> Suppression {
        Suppression {
            path: (self.redact)(path),
            line,
            kind,
            text: characters(&(self.redact)(text), limit::PROTECTION_TEXT_CHARACTERS),
            blocks: self.answer == Answer::Block,
        }
    }

    fn of_mark(&self, path: &str, mark: &Mark) -> Suppression {
        self.suppression(path, mark.line, mark.kind, &mark.text)
    }
}

/// Returns the text of a file. `None`: it is too large, or not UTF-8 text.
pub fn readable(bytes: Vec<u8>) -> Option<String> {
    let fits = u64::try_from(bytes.len()).is_ok_and(|length| length <= limit::SUPPRESSION_FILE_BYTES);
    if !fits || bytes.contains(&0) {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// Returns a note about files that were not examined. `None`: all were.
fn note(passed_over: &BTreeSet<&str>) -> Option<String> {
    if passed_over.is_empty() {
        return None;
    }
    let named = list(passed_over, FILES_NAMED);
    Some(format!("no suppressions were looked for in {named}: larger than 1 MiB, or no text in UTF-8"))
}

/// Identity of a suppression, independent of its place.
type Key = (SuppressionKind, Digest);

fn key(known: &KnownSuppression) -> Key {
    (known.kind, known.words)
}

fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// Number of occurrences of each suppression, by its exact words.
#[derive(Debug, Default)]
struct Counts(BTreeMap<Key, usize>);

impl Counts {
    fn add(&mut self, keys: impl IntoIterator<Item = Key>) {
        for key in keys {
            *self.0.entry(key).or_default() += 1;
        }
    }

    fn add_all(&mut self, other: &Self) {
        for (key, count) in &other.0 {
            *self.0.entry(*key).or_default() += count;
        }
    }

    /// Removes one occurrence. Returns whether there was one.
    fn take(&mut self, mark: &Mark) -> bool {
        self.take_key(mark.key())
    }

    fn take_key(&mut self, key: Key) -> bool {
        match self.0.get_mut(&key) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

/// The suppressions of a file at the baseline.
struct Old {
    marks: Vec<Key>,
    /// Digests of the file's lines, or only of those with suppressions, if the text is not known.
    lines: BTreeSet<Digest>,
    /// Digests of adjacent lines. `None`: not known.
    pairs: Option<BTreeSet<(Digest, Digest)>>,
}

impl Old {
    fn of_text(text: &str, language: Language, path: &str) -> Self {
        let lines: Vec<Digest> = text.lines().map(|line| digest(line.trim())).collect();
        let pairs = lines.iter().copied().zip(lines.iter().copied().skip(1)).collect();
        let marks = marks(text, language, path).iter().map(Mark::key).collect();
        Self { marks, lines: lines.into_iter().collect(), pairs: Some(pairs) }
    }

    fn of_known(known: &[KnownSuppression]) -> Self {
        Self {
            marks: known.iter().map(key).collect(),
            lines: known.iter().map(|known| known.line).collect(),
            pairs: None,
        }
    }
}

/// Returns the surplus suppressions. Among equal ones, the old ones are first those in unchanged lines, then
/// those before unchanged lines, then the first ones.
fn more(before: &Old, now: Vec<Mark>, after: &str) -> Vec<Mark> {
    if now.is_empty() {
        return now;
    }
    let mut known = Counts::default();
    known.add(before.marks.iter().copied());
    let lines: Vec<&str> = after.lines().map(str::trim).collect();
    let strangeness = |mark: &Mark| {
        let at = usize::try_from(mark.line).unwrap_or(usize::MAX).saturating_sub(1);
        let line = lines.get(at).map(|line| digest(line));
        let next = lines.get(at.saturating_add(1)).map(|line| digest(line));
        let is_strange_pair = match (&before.pairs, line.zip(next)) {
            (Some(pairs), Some(pair)) => !pairs.contains(&pair),
            _ => false,
        };
        (!line.is_some_and(|line| before.lines.contains(&line)), is_strange_pair, mark.line)
    };
    let mut by_strangeness: Vec<&Mark> = now.iter().collect();
    by_strangeness.sort_by_cached_key(|mark| strangeness(mark));
    let mut added: Vec<Mark> = by_strangeness.into_iter().filter(|mark| !known.take(mark)).cloned().collect();
    added.sort_by_key(|mark| mark.line);
    added
}
