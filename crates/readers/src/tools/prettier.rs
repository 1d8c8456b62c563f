//! Prettier: `--check` and `--list-different`.
//!
//! `--check` writes its opening and its all-clear to standard output and everything else, marked `[warn]` or `[error]`, to
//! standard error. `--list-different` prints bare file names, which say nothing unless the command is known.

use std::sync::LazyLock;

use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::text;

const OPENING: &str = "Checking formatting...";
const ALL_CLEAR: &str = "All matched files use Prettier code style!";
const UNFORMATTED: &str = "not formatted with Prettier";

/// A file that could not be parsed: file, message and, where there is one, place.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S.*?): (?<message>\w*Error: .*?)(?: \((?<line>\d+):(?<column>\d+)\))?$")
});

/// The closing count of files with another style. Before version 3.1 it had no full stop of its own.
static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^Code style issues (?:found )?in (?:(?<files>\d+) files|the above file)[.?]? ?.*$")
});

/// The closing count of files that could not be parsed.
static ERROR_COUNT: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^Error occurred when checking code style in (?:(?<files>\d+) files|the above file)\.$")
});

/// How a file name ends.
static EXTENSION: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"\.[0-9_-]{0,8}[A-Za-z][A-Za-z0-9_-]{0,15}$"));

/// Reads both modes.
pub(crate) struct Prettier {
    is_hinted: bool,
    findings: Findings,
    notes: Vec<String>,
    /// Files that another style was found in.
    unformatted: u64,
    /// Whether lines came that only `--check` prints.
    is_check: bool,
    /// Whether a `[warn]` or `[error]` line was read.
    is_marked: bool,
    /// The bare lines so far. None: one of them was no file name.
    listed: Option<Findings>,
    is_in_error: bool,
}

impl Prettier {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self {
            is_hinted,
            findings: Findings::default(),
            notes: Vec::new(),
            unformatted: 0,
            is_check: false,
            is_marked: false,
            listed: is_hinted.then(Findings::default),
            is_in_error: false,
        }
    }

    fn warning(&mut self, rest: &str, line: &Line<'_>) -> Use {
        if let Some(captures) = COUNT.captures(rest) {
            self.is_check = true;
            let files = captures.name("files").map_or(Some(1), |files| text::count(files.as_str()));
            self.sum_up(Level::Warning, files.unwrap_or(0), self.unformatted);
            self.unformatted = 0;
            return Use::Line;
        }
        // Prettier also warns of its own options, in sentences.
        if !is_file(rest) {
            return Use::None;
        }
        self.is_marked = true;
        self.unformatted += 1;
        let mut found = diagnostic("prettier", "prettier/check", line, Level::Warning, UNFORMATTED);
        found.file = Some(name(&text::path(rest)));
        found.fixable = true;
        self.findings.add(found);
        Use::Line
    }

    fn error(&mut self, rest: &str, line: &Line<'_>) -> Use {
        if self.is_in_error && (rest.starts_with([' ', '>']) || rest.is_empty()) {
            return Use::Line;
        }
        self.is_in_error = false;
        if let Some(captures) = ERROR_COUNT.captures(rest) {
            self.is_check = true;
            let files = captures.name("files").map_or(Some(1), |files| text::count(files.as_str()));
            self.sum_up(Level::Error, files.unwrap_or(0), self.findings.counts.errors);
            return Use::Line;
        }
        let Some(captures) = ERROR.captures(rest) else {
            return Use::None;
        };
        self.is_marked = true;
        self.is_in_error = true;
        let mut found = diagnostic("prettier", "prettier/error", line, Level::Error, &captures["message"]);
        found.file = Some(name(&text::path(&captures["file"])));
        let number = |group| captures.name(group).and_then(|digits| text::position(digits.as_str()));
        found.line = number("line");
        found.column = number("column");
        self.findings.add(found);
        Use::Line
    }

    fn sum_up(&mut self, level: Level, files: u64, listed: u64) {
        let unlisted = files.saturating_sub(listed);
        if 0 < unlisted {
            self.notes.push(format!("prettier sums up {files} files; {listed} were read one by one"));
        }
        self.findings.add_unlisted(level, unlisted);
    }

    /// Takes a line without a mark, which `--list-different` could have printed.
    fn bare(&mut self, line: &Line<'_>) -> Use {
        // Package managers say first what they run.
        if line.text.starts_with("> ") || line.text.starts_with("$ ") {
            return Use::None;
        }
        let is_name = is_file(&line.text) && !line.text.starts_with(' ') && !line.is_cut;
        match &mut self.listed {
            Some(listed) if is_name => {
                let rule = "prettier/list-different";
                let mut found = diagnostic("prettier", rule, line, Level::Warning, UNFORMATTED);
                found.file = Some(name(&text::path(&line.text)));
                found.fixable = true;
                listed.add(found);
                Use::Line
            }
            _ => {
                self.listed = None;
                Use::None
            }
        }
    }
}

impl LineReader for Prettier {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(rest) = text.strip_prefix("[warn] ") {
            return self.warning(rest, line);
        }
        if let Some(rest) = text.strip_prefix("[error]") {
            return self.error(rest.strip_prefix(' ').unwrap_or(rest), line);
        }
        match text {
            OPENING => {
                self.listed = None;
                Use::Line
            }
            ALL_CLEAR => {
                self.is_check = true;
                self.listed = None;
                Use::Line
            }
            "" => Use::None,
            _ if self.listed.is_some() => self.bare(line),
            _ => Use::None,
        }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        let listed = self.listed.take().filter(|listed| 0 < listed.counts.total() && !self.is_check);
        let format = if listed.is_some() { "list-different" } else { "check" };
        let is_recognized = self.is_check || listed.is_some() || (self.is_hinted && self.is_marked);
        if let Some(listed) = listed {
            self.findings.append(listed);
        }
        is_recognized.then(|| Claim { format, findings: self.findings, notes: self.notes, ..Claim::default() })
    }
}

/// Returns whether a text reads as a file name rather than as a sentence: no spaces, or an extension at its end.
fn is_file(text: &str) -> bool {
    let has_extension = EXTENSION.is_match(text);
    let is_word = !text.contains(' ') && text.contains('/') && !text.ends_with(['/', '.', ':']);
    !text.is_empty() && (has_extension || is_word)
}
