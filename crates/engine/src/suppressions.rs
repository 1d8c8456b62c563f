//! Ways to silence a tool or a test that a change adds: what the candidate has and the baseline does not (design, "Lock";
//! attacks, row 1).
//!
//! What is added is what there is more of: of the same suppression, word for word, as many as were there before are the ones
//! that were there, wherever they stand now. So a line that moved is not added, also into another file, nor is one in a file
//! that was renamed. What switches tests or whole files off does not move from a file that stays to another.

mod conditions;
mod language;
mod lexer;
mod mark;
mod marks;
mod production;
mod settings;
mod tests_of_scripts;
mod types_left;
mod words;

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

use self::language::Language;
pub(crate) use self::lexer::Line;
use self::mark::Mark;
use self::marks::marks;

/// Most files that a note names.
const FILES_NAMED: usize = 5;

/// The files of both sides that are compared, and what is done about what is found.
pub struct Compared<'a> {
    /// The paths that differ, relative to the workspace: modified, new (untracked ones, too) and removed. Others may be
    /// among them; they cost time and yield nothing.
    pub paths: &'a [String],
    /// What is known of a path at the baseline. None: it was not there.
    pub baseline: &'a dyn Fn(&str) -> Option<Before>,
    /// The content of a path now. At most one byte more than [`limit::SUPPRESSION_FILE_BYTES`] need be given.
    pub candidate: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// What is done about suppressions (`suppressions` of the specification; that of the baseline, where there is one).
    pub answer: Answer,
    /// Takes secrets out of a text: what is found goes into the evidence.
    pub redact: &'a dyn Fn(&str) -> String,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuppressionReport {
    /// The suppressions, by path, line and kind.
    pub suppressions: Vec<Suppression>,
    /// What was not looked at, or is not listed; a sentence each.
    pub notes: Vec<String>,
}

impl SuppressionReport {
    /// Adds what was found elsewhere.
    pub(crate) fn extend(&mut self, other: Self) {
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
    /// Its content.
    Text(Vec<u8>),
    /// Its suppressions alone.
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

/// Returns the suppressions of a file without their texts, for a lock. None: it is too large, or no text.
pub fn known(path: &str, content: Vec<u8>) -> Option<Vec<KnownSuppression>> {
    let language = Language::of(path)?;
    let text = readable(content)?;
    Some(marks(&text, language, path).iter().map(Mark::known).collect())
}

/// Returns how many suppressions each source has more than the sources before, but for those that came from another.
pub fn grown(before: &Sources, after: &Sources) -> BTreeMap<String, usize> {
    let keys = |known: &[KnownSuppression]| known.iter().map(key).collect::<Vec<_>>();
    let mut counts = Counts::default();
    for known in before.values() {
        counts.add(keys(known));
    }
    let mut grown = BTreeMap::new();
    // What stays in its file is the one that was there; others take what is left.
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

/// Splits a source into lines of code and texts. None: its language is not known.
pub(crate) fn lexed(path: &str, text: &str) -> Option<Vec<Line>> {
    Some(lexer::lines(text, Language::of(path)?))
}

/// Whether a file is of a language in which suppressions are known.
pub fn may_hold_some(path: &str) -> bool {
    Language::of(path).is_some()
}

/// Whether a file is a program in a language whose code can be tested.
pub(crate) fn is_program(path: &str) -> bool {
    Language::of(path).is_some_and(Language::is_program)
}

/// Finds the suppressions that one file has more than it had. `path` tells the language, and whether it holds tests.
/// None of them blocks: what is done about them is not asked here.
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

/// The suppressions of a file that was not there. A condition for it to be compiled takes nothing away that was.
fn of_new_file(text: &str, language: Language, path: &str) -> Vec<Mark> {
    marks(text, language, path).into_iter().filter(|mark| mark.kind != SuppressionKind::BuildCondition).collect()
}

impl Compared<'_> {
    /// A suppression at a line, 1-based, of the candidate.
    pub(crate) fn suppression(&self, path: &str, line: u32, kind: SuppressionKind, text: &str) -> Suppression {
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

/// Returns the text of a file. None: it is too large, or no text.
pub(crate) fn readable(bytes: Vec<u8>) -> Option<String> {
    let fits = u64::try_from(bytes.len()).is_ok_and(|length| length <= limit::SUPPRESSION_FILE_BYTES);
    if !fits || bytes.contains(&0) {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// Says which files nobody looked into.
fn note(passed_over: &BTreeSet<&str>) -> Option<String> {
    if passed_over.is_empty() {
        return None;
    }
    let named = list(passed_over, FILES_NAMED);
    Some(format!("no suppressions were looked for in {named}: larger than 1 MiB, or no text in UTF-8"))
}

/// What makes a suppression the same elsewhere.
type Key = (SuppressionKind, Digest);

fn key(known: &KnownSuppression) -> Key {
    (known.kind, known.words)
}

fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// How many there are of each suppression, word for word.
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

    /// Takes one off, if there is one.
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

/// A file as it was, as far as its suppressions go.
struct Old {
    marks: Vec<Key>,
    /// Digests of its lines; of a file whose text is not known, of those with suppressions.
    lines: BTreeSet<Digest>,
    /// Lines that follow each other. None: not known.
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

/// Returns what there is more of. Of several that are alike those are the old ones that stand in lines that were there, then
/// those before lines that were there, then the first ones.
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
