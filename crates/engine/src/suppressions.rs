//! Ways to silence a tool or a test that a change adds: what the candidate has and the baseline does not (design, "Lock";
//! attacks, row 1).
//!
//! What is added is what there is more of: of the same suppression, word for word, as many as were there before are the ones
//! that were there, wherever they stand now. So a line that moved is not added, nor is one in a file that was renamed.

mod language;
mod lexer;
mod marks;
mod tests_of_scripts;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use referee_model::circumstances::protection::Suppression;
use referee_model::circumstances::suppression::SuppressionKind;
use referee_model::limit;
use referee_model::plan::guard::Answer;

use self::language::Language;
use self::marks::{Mark, marks};

/// Most files that a note names.
const FILES_NAMED: usize = 5;

/// The files of both sides that are compared, and what is done about what is found.
pub struct Compared<'a> {
    /// The paths that differ, relative to the workspace: modified, new (untracked ones, too) and removed. Others may be
    /// among them; they cost time and yield nothing.
    pub paths: &'a [String],
    /// The content of a path at the baseline. None: it was not there. At most one byte more than
    /// [`limit::SUPPRESSION_FILE_BYTES`] need be given.
    pub baseline: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// The content of a path now, likewise.
    pub candidate: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// What is done about suppressions (`suppressions` of the specification; that of the baseline, where there is one).
    pub answer: Answer,
    /// Takes secrets out of a text: what is found goes into the evidence.
    pub redact: &'a dyn Fn(&str) -> String,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The suppressions, by path, line and kind.
    pub suppressions: Vec<Suppression>,
    /// What was not looked at, or is not listed; a sentence each.
    pub notes: Vec<String>,
}

/// Finds the suppressions that a change adds.
pub fn find(compared: &Compared<'_>) -> Found {
    if compared.answer == Answer::Ignore {
        return Found::default();
    }
    let mut passed_over = BTreeSet::new();
    let mut found = Vec::new();
    let (mut wholly_new, mut gone) = (Vec::new(), Counts::default());
    for path in compared.paths.iter().collect::<BTreeSet<_>>() {
        let Some(language) = Language::of(path) else { continue };
        let mut text = |bytes: Option<Vec<u8>>| {
            let text = bytes.map(|bytes| readable(bytes).ok_or_else(|| passed_over.insert(path.as_str())));
            text.transpose().unwrap_or_default()
        };
        let (before, after) = (text((compared.baseline)(path)), text((compared.candidate)(path)));
        match (before, after) {
            (Some(before), None) => gone.add(&marks(&before, language, path)),
            (None, Some(after)) => {
                wholly_new.extend(marks(&after, language, path).into_iter().map(|mark| (path, mark)));
            }
            (Some(before), Some(after)) if before != after => {
                found.extend(more(&before, &after, language, path).into_iter().map(|mark| (path, mark)));
            }
            _ => {}
        }
    }
    found.extend(wholly_new.into_iter().filter(|(_, mark)| !gone.take(mark)));
    let mut suppressions: Vec<Suppression> =
        found.into_iter().map(|(path, mark)| suppression(compared, path, &mark)).collect();
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
    Found { suppressions, notes }
}

/// Whether a file is of a language in which suppressions are known.
pub fn may_hold_some(path: &str) -> bool {
    Language::of(path).is_some()
}

/// Finds the suppressions that one file has more than it had. `path` tells the language, and whether it holds tests.
/// None of them blocks: what is done about them is not asked here.
pub fn added(before: &str, after: &str, path: &str) -> Vec<Suppression> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    let more = more(before, after, language, path).into_iter();
    more.map(|mark| Suppression {
        path: path.to_owned(),
        line: mark.line,
        kind: mark.kind,
        text: shortened(&mark.text),
        blocks: false,
    })
    .collect()
}

fn suppression(compared: &Compared<'_>, path: &str, mark: &Mark) -> Suppression {
    Suppression {
        path: (compared.redact)(path),
        line: mark.line,
        kind: mark.kind,
        text: shortened(&(compared.redact)(&mark.text)),
        blocks: compared.answer == Answer::Block,
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(limit::PROTECTION_TEXT_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Returns the text of a file. None: it is too large, or no text.
fn readable(bytes: Vec<u8>) -> Option<String> {
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
    let named: Vec<&str> = passed_over.iter().take(FILES_NAMED).copied().collect();
    let more = passed_over.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = named.join(", ");
    Some(format!("no suppressions were looked for in {named}{more}: larger than 1 MiB, or no text in UTF-8"))
}

/// How many there are of each suppression, word for word.
#[derive(Debug, Default)]
struct Counts(BTreeMap<(SuppressionKind, String), usize>);

impl Counts {
    fn add(&mut self, marks: &[Mark]) {
        for mark in marks {
            *self.0.entry(mark.key()).or_default() += 1;
        }
    }

    /// Takes one off, if there is one.
    fn take(&mut self, mark: &Mark) -> bool {
        match self.0.get_mut(&mark.key()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

/// Returns what there is more of. Of several that are alike those are the old ones that stand in lines that were there, then
/// those before lines that were there, then the first ones.
fn more(before: &str, after: &str, language: Language, path: &str) -> Vec<Mark> {
    let now = marks(after, language, path);
    if now.is_empty() {
        return now;
    }
    let mut known = Counts::default();
    known.add(&marks(before, language, path));
    let lines = |text: &str| -> Vec<String> { text.lines().map(|line| line.trim().to_owned()).collect() };
    let (old, new) = (lines(before), lines(after));
    let old_lines: BTreeSet<&String> = old.iter().collect();
    let old_pairs: BTreeSet<(&String, &String)> = old.iter().zip(old.iter().skip(1)).collect();
    let strangeness = |mark: &Mark| {
        let at = usize::try_from(mark.line).unwrap_or(usize::MAX).saturating_sub(1);
        let pair = new.get(at).zip(new.get(at.saturating_add(1)));
        let is_known = new.get(at).is_some_and(|line| old_lines.contains(line));
        (!is_known, pair.is_some_and(|pair| !old_pairs.contains(&pair)), mark.line)
    };
    let mut by_strangeness: Vec<&Mark> = now.iter().collect();
    by_strangeness.sort_by_key(|mark| strangeness(mark));
    let mut added: Vec<Mark> = by_strangeness.into_iter().filter(|mark| !known.take(mark)).cloned().collect();
    added.sort_by_key(|mark| mark.line);
    added
}
