//! Problem matchers of GitHub's runner and VS Code: one regular expression per line, for a single line or for
//! several consecutive lines; the last of several may match repeatedly.
//!
//! Both are executed alike: each pattern except the first applies to the line after the one that the previous
//! pattern matched. They differ in how captures are interpreted:
//!
//! | aspect                  | GitHub                              | VS Code                                          |
//! |-------------------------|-------------------------------------|--------------------------------------------------|
//! | required captures       | a message                           | a file and a message; a line, unless `kind: file`|
//! | an unknown severity     | no finding                          | the default of the matcher                       |
//! | a message in two lines  | rejected                            | joined                                           |
//! | groups not named        | not captured                        | file 1, line 2, column 3, of a single pattern    |

mod builtin;
mod config;

use std::sync::Arc;

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;

use crate::candidate::{Candidate, Findings, LineReader, Use, diagnostic, name};
use crate::pattern::{Expression, Groups};
use crate::scan::Line;
use crate::text;

pub(super) use config::parse;

#[derive(Debug)]
struct Pattern {
    regexp: Expression,
    /// The properties that are captured, each with its group.
    groups: Vec<(&'static str, usize)>,
    is_loop: bool,
}

impl Pattern {
    fn has(&self, property: &str) -> bool {
        self.groups.iter().any(|(known, _)| *known == property)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    GitHub,
    VsCode,
}

#[derive(Debug)]
pub(super) struct Matcher {
    owner: String,
    form: Form,
    patterns: Vec<Pattern>,
    /// Level of findings without a severity of their own.
    severity: Level,
    /// Directory that relative files are resolved against.
    directory: Option<String>,
    /// Whether findings refer to files as a whole.
    is_of_files: bool,
}

impl Matcher {
    pub(super) fn owner(&self) -> &str {
        &self.owner
    }
}

#[derive(Debug, Clone, Default)]
struct Captured {
    values: Vec<(&'static str, String)>,
    /// Offset at which the first line begins.
    start: u64,
}

impl Captured {
    fn get(&self, property: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| *known == property).map(|(_, value)| value.as_str())
    }

    /// Stores the captures of a line.
    fn take(&mut self, pattern: &Pattern, found: &Groups<'_, '_>, form: Form) {
        for (property, group) in &pattern.groups {
            let Some(value) = found.at(*group) else { continue };
            let value = cut::head(value.trim(), limit::MESSAGE_BYTES);
            match self.values.iter_mut().find(|(known, _)| known == property) {
                Some((_, known)) if form == Form::VsCode && *property == "message" => {
                    text::add_line(known, value, limit::MESSAGE_BYTES);
                }
                Some(_) if form == Form::VsCode => {}
                Some((_, known)) => value.clone_into(known),
                None => self.values.push((property, value.to_owned())),
            }
        }
    }
}

/// State of a matcher on the lines of one stream.
pub(super) struct Running {
    matcher: Arc<Matcher>,
    /// Captures of each pattern except the last, while the next pattern waits for a line.
    waiting: Vec<Option<Captured>>,
    findings: Findings,
}

impl Running {
    pub(super) fn new(matcher: Arc<Matcher>) -> Self {
        let waiting = vec![None; matcher.patterns.len().saturating_sub(1)];
        Self { matcher, waiting, findings: Findings::default() }
    }
}

impl LineReader for Running {
    fn reset(&mut self) {
        self.waiting.fill(None);
    }

    /// Processes a line. Later patterns come first, so that a line is not used twice in one match.
    fn line(&mut self, line: &Line<'_>) -> Use {
        let matcher = Arc::clone(&self.matcher);
        let last = matcher.patterns.len() - 1;
        for (at, pattern) in matcher.patterns.iter().enumerate().rev() {
            let before = match at.checked_sub(1) {
                None => Captured { start: line.start, ..Captured::default() },
                Some(before) => match self.waiting[before].clone() {
                    Some(captured) => captured,
                    None => continue,
                },
            };
            let Some(found) = pattern.regexp.find(&line.text) else {
                // The expected line did not follow.
                self.waiting[if at == last { at.saturating_sub(1) } else { at }..]
                    .iter_mut()
                    .take(1)
                    .for_each(|it| *it = None);
                continue;
            };
            let mut captured = before.clone();
            captured.take(pattern, &found, matcher.form);
            if at < last {
                self.waiting[at] = Some(captured);
                continue;
            }
            self.reset();
            if let (true, Some(waiting)) = (pattern.is_loop, self.waiting.last_mut()) {
                *waiting = Some(Captured { start: line.end, ..before.clone() });
            }
            let Some(found) = matcher.found(&captured, line) else { continue };
            self.findings.add(found);
            let has_previous = 0 < last && before.start < line.start && before.start != line.end;
            return if has_previous { Use::WithPrevious } else { Use::Line };
        }
        Use::None
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let has_found = 0 < self.findings.counts.total();
        has_found.then(|| Candidate { format: "problem-matcher", findings: self.findings, ..Candidate::default() })
    }
}

impl Matcher {
    /// Creates a finding from the captures.
    fn found(&self, captured: &Captured, line: &Line<'_>) -> Option<Diagnostic> {
        let message = captured.get("message").filter(|message| !message.is_empty())?;
        let level = self.level(captured.get("severity"))?;
        let number = |property| captured.get(property).and_then(text::position);
        let mut found = diagnostic(&self.owner, "problem-matcher", line, level, message);
        found.origin.start = captured.start.min(line.start);
        found.file = captured.get("file").filter(|file| !file.is_empty()).map(|file| self.file(file, captured));
        found.code = captured.get("code").filter(|code| !code.is_empty()).map(name);
        (found.line, found.column) = (number("line"), number("column"));
        (found.end_line, found.end_column) = (number("endLine"), number("endColumn"));
        if self.form == Form::GitHub {
            found.column = found.column.filter(|_| found.line.is_some());
            return Some(found);
        }
        found.file.as_ref()?;
        if self.is_of_files {
            (found.line, found.column, found.end_line, found.end_column) = (None, None, None, None);
            return Some(found);
        }
        if let Some(location) = captured.get("location") {
            let parts: Vec<Option<u32>> = location.split(',').map(|part| text::position(part.trim())).collect();
            let part = |at: usize| parts.get(at).copied().flatten();
            (found.line, found.column) = (part(0), part(1));
            if 3 < parts.len() {
                (found.end_line, found.end_column) = (part(2), part(3));
            }
        }
        found.line?;
        Some(found)
    }

    fn level(&self, said: Option<&str>) -> Option<Level> {
        let said = said.filter(|said| !said.is_empty());
        let Some(said) = said else { return Some(self.severity) };
        let word = said.to_ascii_lowercase();
        match (self.form, word.as_str()) {
            (_, "error") => Some(Level::Error),
            (_, "warning") | (Form::VsCode, "warn") => Some(Level::Warning),
            (Form::GitHub, "notice") | (Form::VsCode, "info" | "hint" | "note") => Some(Level::Info),
            (Form::GitHub, _) => None,
            (Form::VsCode, _) => Some(match said {
                "E" => Level::Error,
                "W" => Level::Warning,
                "I" => Level::Info,
                _ => self.severity,
            }),
        }
    }

    /// Returns the path of a file, which may be relative to another one.
    fn file(&self, printed: &str, captured: &Captured) -> String {
        let file = text::path(printed);
        let is_absolute = file.starts_with('/') || file.as_bytes().get(1) == Some(&b':');
        // A path captured together with a project file is relative to that file's directory.
        let from = captured.get("fromPath").map(text::path);
        let from = from.as_deref().and_then(|from| from.rsplit_once('/')).map(|(directory, _)| directory.to_owned());
        match from.or_else(|| self.directory.clone()).filter(|directory| !is_absolute && !directory.is_empty()) {
            Some(directory) => name(&format!("{}/{}", directory.trim_end_matches('/'), file.trim_start_matches("./"))),
            None => name(&file),
        }
    }
}
