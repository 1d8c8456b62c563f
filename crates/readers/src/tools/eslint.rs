//! ESLint: its text formats (stylish, compact, unix, visualstudio, codeframe) and its JSON.
//!
//! A crash (`Oops! Something went wrong!`) holds no findings and is no reading. A clean run of a text format prints
//! nothing, which is no reading either: the exit code speaks.

pub(crate) mod alike;
pub(crate) mod codeframe;
pub(crate) mod json;
pub(crate) mod next;
pub(crate) mod one_line;
pub(crate) mod stylish;
pub(crate) mod visual_studio;

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings};
use crate::scan::Line;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// ESLint.
pub(crate) const TOOL: Tool = Tool {
    name: "eslint",
    aliases: &[],
    role: Role::Lint,
    lines: &[
        LineFormat {
            wakes: &["  error  ", "  warning  ", "✖ "],
            reader: |is_hinted| Box::new(stylish::Stylish::new(is_hinted)),
        },
        LineFormat { wakes: &[": line "], reader: |is_hinted| Box::new(one_line::OneLine::compact(is_hinted)) },
        LineFormat {
            wakes: &["[Error/", "[Warning/", "[Error]", "[Warning]"],
            reader: |is_hinted| Box::new(one_line::OneLine::unix(is_hinted)),
        },
        LineFormat { wakes: &["): error ", "): warning "], reader: |_| visual_studio::FORMAT.reader() },
        LineFormat {
            wakes: &["error: ", "warning: ", "✖ ", " found.", " with the `--fix` option."],
            reader: |is_hinted| Box::new(codeframe::Codeframe::new(is_hinted)),
        },
        LineFormat {
            wakes: &["  Warning: ", "  Error: ", next::ALL_CLEAR],
            reader: |_| Box::new(next::Next::default()),
        },
    ],
    documents: &[DocumentFormat {
        opening: json::OPENING,
        reader: |stream, is_hinted| Box::new(json::Report::new(stream, is_hinted)),
    }],
    settle: claim::gravest,
};

/// Lines that one message may span.
const MESSAGE_LINES: usize = 40;

/// The closing count of stylish and codeframe: in all, errors, warnings.
static PROBLEMS: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^✖ (\d+) problems? \((\d+) errors?, (\d+) warnings?\)$"));

/// How much `--fix` would mend: errors, warnings.
static FIXABLE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^ *(?:(\d+) errors?)?(?: and )?(?:(\d+) warnings?)? potentially fixable with the `--fix` option\.$")
});

/// What ESLint sums up at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sum {
    errors: u64,
    warnings: u64,
}

fn problems(text: &str) -> Option<Sum> {
    if !text.starts_with('✖') {
        return None;
    }
    let [all, errors, warnings] = PROBLEMS.captures(text)?.extract().1;
    let sum = Sum { errors: text::count(errors)?, warnings: text::count(warnings)? };
    (sum.errors + sum.warnings == text::count(all)?).then_some(sum)
}

fn fixable(text: &str) -> Option<u64> {
    if !text.ends_with("potentially fixable with the `--fix` option.") {
        return None;
    }
    let captures = FIXABLE.captures(text)?;
    let number = |group| captures.get(group).map_or(Some(0), |digits| text::count(digits.as_str()));
    Some(number(1)? + number(2)?)
}

/// Findings of one text format, held against the closing counts that stand among them. A log may hold several runs.
#[derive(Default)]
struct Tally {
    findings: Findings,
    /// Errors and warnings since the last closing count.
    listed: (u64, u64),
    /// Findings that were read one by one.
    read: u64,
    runs: u64,
    notes: Vec<String>,
}

impl Tally {
    fn add(&mut self, diagnostic: Diagnostic) {
        match diagnostic.level {
            Level::Error => self.listed.0 += 1,
            Level::Warning | Level::Info => self.listed.1 += 1,
        }
        self.read += 1;
        self.findings.add(diagnostic);
    }

    /// Takes a closing count: what it says beyond what was listed counts too.
    fn sum_up(&mut self, sum: Sum) {
        let (errors, warnings) = std::mem::take(&mut self.listed);
        self.runs += 1;
        // Fewer were listed, or a message held lines that look like findings.
        if (errors, warnings) != (sum.errors, sum.warnings) {
            self.note(format!(
                "eslint sums up {} errors and {} warnings; {errors} and {warnings} were read one by one",
                sum.errors, sum.warnings
            ));
        }
        self.findings.add_unlisted(Level::Error, sum.errors.saturating_sub(errors));
        self.findings.add_unlisted(Level::Warning, sum.warnings.saturating_sub(warnings));
    }

    /// Takes a closing count that does not tell errors from warnings. What was not listed counts as errors.
    fn sum_up_all(&mut self, all: u64) {
        let (errors, warnings) = self.listed;
        self.sum_up(Sum { errors: all.saturating_sub(warnings).max(errors), warnings });
    }

    fn note(&mut self, note: String) {
        const NOTES: usize = 20;
        if self.notes.len() < NOTES {
            self.notes.push(note);
        }
    }

    /// Tells what was found. Without a hint only findings together with a closing count are ESLint's: other tools use
    /// the one or the other too.
    fn claim(self, format: &'static str, is_hinted: bool) -> Option<Claim> {
        let is_recognized =
            if is_hinted { 0 < self.findings.counts.total() || 0 < self.runs } else { 0 < self.read.min(self.runs) };
        is_recognized.then(|| Claim { format, findings: self.findings, notes: self.notes, ..Claim::default() })
    }
}

/// Returns whether a word looks like the id of a rule: `semi`, `@typescript-eslint/no-unused-vars`, or Oxlint's
/// `eslint(semi)`.
fn is_rule(word: &str) -> bool {
    let word = match word.strip_suffix(')').and_then(|word| word.split_once('(')) {
        Some((plugin, rule)) if is_rule(plugin) => rule,
        Some(_) => return false,
        None => word,
    };
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'@');
    word.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'@')
        && word.bytes().all(is_part)
        && !word.ends_with(['.', '/'])
}

/// A finding whose message may go on in the next lines.
struct Unfinished {
    diagnostic: Diagnostic,
    lines: usize,
}

impl Unfinished {
    fn new(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, lines: 0 }
    }

    /// Adds a line to the message; returns whether there may be more.
    fn add(&mut self, text: &str, line: &Line<'_>) -> bool {
        let message = &mut self.diagnostic.message;
        if message.is_empty() {
            text::beginning(text, limit::MESSAGE_BYTES).clone_into(message);
        } else {
            text::add_line(message, text, limit::MESSAGE_BYTES);
        }
        self.diagnostic.origin.end = line.end;
        self.lines += 1;
        self.lines < MESSAGE_LINES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_counts_are_read_in_their_forms() {
        let sum = |errors, warnings| Some(Sum { errors, warnings });
        assert_eq!(problems("✖ 33 problems (27 errors, 6 warnings)"), sum(27, 6));
        assert_eq!(problems("✖ 1 problem (1 error, 0 warnings)"), sum(1, 0));
        assert_eq!(problems("✖ 5 problems (1 error, 0 warnings)"), None);
        assert_eq!(problems("✖ 6 problems (3 errors, 3 warnings, 0 infos, 0 hints)"), None);
        assert_eq!(problems("✖ 99999999999 problems (99999999999 errors, 0 warnings)"), None);
        let fix = " potentially fixable with the `--fix` option.";
        assert_eq!(fixable(&format!("  5 errors and 1 warning{fix}")), Some(6));
        assert_eq!(fixable(&format!("5 errors{fix}")), Some(5));
        assert_eq!(fixable(&format!("some errors{fix}")), None);
    }

    #[test]
    fn rules_are_told_from_words() {
        for rule in [
            "semi",
            "@typescript-eslint/no-unused-vars",
            "import/no-unresolved",
            "n/no-missing-require",
            "eslint(semi)",
        ] {
            assert!(is_rule(rule), "{rule}");
        }
        for word in ["", "option.", "(document-start)", "'x'", "-", "12", "a,b", "src/", "f()"] {
            assert!(!is_rule(word), "{word}");
        }
    }
}
