//! The `codeframe` format: severity, message, rule and location on one line, with the code below.

use crate::prelude::*;
use crate::shapes::locate::Frame;
use crate::tools::eslint::{Unfinished, candidate, fixable, is_rule, sum_up};

/// The end of a finding's heading: ` (rule) at src/a.js:1:2:`.
static PLACE: Pattern = Pattern::new(r"^(?<rest>.*?) at (?<file>\S.*):(?<line>\d+):(?<column>\d+):$");

/// A line of the code: `> 1 | source`.
static CODE: Pattern = Pattern::new(r"^(?<mark>>)? *(?:\d+)? \|(?: (?<source>.*))?$");

/// The closing count: `27 errors and 6 warnings found.`
static COUNT: Pattern = Pattern::new(r"^(?:(?<errors>\d+) errors?)?(?: and )?(?:(?<warnings>\d+) warnings?)? found\.$");

pub(crate) struct Codeframe {
    is_hinted: bool,
    tally: Tally,
    /// A heading whose location has not been read yet.
    heading: Option<Unfinished>,
    /// A finding whose code is being read.
    open: Option<Diagnostic>,
}

impl Codeframe {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::new("eslint"), heading: None, open: None }
    }

    fn close(&mut self) {
        self.heading = None;
        if let Some(open) = self.open.take() {
            self.tally.add(open);
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let (level, rest) = if let Some(rest) = line.text.strip_prefix("error: ") {
            (Level::Error, rest)
        } else if let Some(rest) = line.text.strip_prefix("warning: ") {
            (Level::Warning, rest)
        } else {
            return false;
        };
        self.close();
        self.heading = Some(Unfinished::new(diagnostic("eslint", "eslint/codeframe", line, level, "")));
        self.go_on(rest, line);
        true
    }

    /// Handles a line of a heading, which ends with its location.
    fn go_on(&mut self, text: &str, line: &Line<'_>) {
        let Some(mut heading) = self.heading.take() else { return };
        let may_end = text.ends_with(':') && text.contains(" at ");
        let Some(captures) = may_end.then(|| PLACE.find(text)).flatten() else {
            if heading.add(text, line) {
                self.heading = Some(heading);
            }
            return;
        };
        let rest = captures.text("rest");
        let (message, rule) = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
            // A missing rule is printed as `null`.
            Some((message, "null")) => (message, None),
            Some((message, rule)) if is_rule(rule) => (message, Some(rule)),
            _ => (rest, None),
        };
        heading.add(message, line);
        let mut found = heading.diagnostic;
        let Frame { file, line, column } = Frame::of(&captures);
        (found.file, found.line, found.column) = (Some(name(&file)), line, column.filter(|_| line.is_some()));
        found.code = rule.map(name);
        self.open = Some(found);
    }

    fn code(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else { return false };
        let Some(captures) = CODE.find(&line.text) else { return false };
        if let (Some(_), Some(source)) = (captures.get("mark"), captures.get("source")) {
            open.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
        }
        open.origin.end = line.end;
        true
    }

    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if !text.ends_with(" found.") || (self.tally.listed() == 0 && self.open.is_none()) {
            return false;
        }
        let Some(captures) = COUNT.find(text) else { return false };
        let number = |group| if captures.has(group) { captures.count(group) } else { Some(0) };
        let (Some(errors), Some(warnings)) = (number("errors"), number("warnings")) else { return false };
        self.close();
        sum_up(&mut self.tally, Sum::errors_and_warnings(errors, warnings));
        true
    }
}

impl LineReader for Codeframe {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            self.close();
            return Use::None;
        }
        if self.heading(line) {
            // Many compilers begin a finding in the same way; the next lines decide.
            return if self.open.is_some() { Use::Line } else { Use::None };
        }
        if self.code(line) || self.sum_up(line) {
            return Use::Line;
        }
        // Below such a heading, rustc prints the location.
        let is_other = line.text.trim_start().starts_with("--> ");
        if self.heading.is_some() && !is_other {
            self.go_on(&line.text, line);
            return Use::WithPrevious;
        }
        self.close();
        match fixable(&line.text) {
            Some(fixable) if 0 < self.tally.sums => {
                self.tally.findings.counts.fixable += fixable;
                Use::Line
            }
            _ => Use::None,
        }
    }

    fn sleeps(&self) -> bool {
        self.heading.is_none() && self.open.is_none()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        candidate(self.tally, "codeframe", self.is_hinted)
    }
}
