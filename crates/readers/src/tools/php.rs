//! PHP itself: messages about a script that it runs or, with `-l`, only parses.
//!
//! `Warning: Undefined variable $x in /project/a.php on line 3` is the displayed form,
//! `PHP Warning:  Undefined variable $x in /project/a.php on line 3` the logged form; a terminal often shows
//! both.

use std::collections::VecDeque;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("php", &[], Role::Compile)
    .lines(&[LineFormat::new(&[" on line ", "Fatal error: ", "No syntax errors detected in "], |_| {
        Box::new(Php::default())
    })]);

/// Maximum number of lines of an uncaught exception.
const LINES: usize = 400;

/// Number of findings remembered to detect those both logged and displayed.
const REMEMBERED: usize = 64;

static HEAD: Pattern = Pattern::new(
    r"^(?:\[\d\d-\w{3}-\d{4} [^\]]{8,60}\] )?(?<log>PHP )?(?<kind>Parse error|Fatal error|Recoverable fatal error|Catchable fatal error|Warning|Notice|Deprecated|Strict Standards|Compile Error): +(?<message>.*)$",
);

/// `… in /project/a.php on line 3`.
static PLACE: Pattern =
    Pattern::new(r"^(?<message>.*) in (?<file>\S.*?)(?:\((?<outer>\d+)\) : [\w' ()]+)? on line (?<line>\d+)$");

/// `  thrown in /project/a.php on line 3`, below the stack.
static THROWN: Pattern = Pattern::new(r"^  thrown in (?<file>.+) on line (?<line>\d+)$");

#[derive(Default)]
struct Php {
    findings: Findings,
    open: Option<(Diagnostic, usize, bool)>,
    /// The last findings, each with whether it was logged.
    last: VecDeque<(bool, Diagnostic)>,
    has_displayed: bool,
    is_clean: bool,
}

impl Php {
    /// Adds a finding, unless it was already added in the other form: logged or displayed.
    fn add(&mut self, found: Diagnostic, is_log: bool) {
        let is_same = |(was_log, other): &(bool, Diagnostic)| {
            *was_log != is_log && (&other.file, other.line, &other.message) == (&found.file, found.line, &found.message)
        };
        self.has_displayed |= !is_log;
        if let Some(at) = self.last.iter().position(is_same) {
            self.last.remove(at);
            return;
        }
        if self.last.len() == REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back((is_log, found.clone()));
        self.findings.add(found);
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = HEAD.find(line.text.trim_end()) else { return false };
        let is_log = captures.has("log");
        let (kind, message) = (captures.text("kind"), captures.text("message"));
        let level = match kind {
            "Warning" | "Deprecated" => Level::Warning,
            "Notice" | "Strict Standards" => Level::Info,
            _ => Level::Error,
        };
        if let Some(place) = PLACE.find(message) {
            let mut found = diagnostic("php", "php/text", line, level, place.text("message"));
            found.file = place.file("file");
            found.line = place.position("outer").or(place.position("line"));
            self.open = None;
            self.add(found, is_log);
            return true;
        }
        if kind == "Fatal error" && message.starts_with("Uncaught ") {
            let found = diagnostic("php", "php/uncaught", line, level, message);
            self.open = Some((found, 0, is_log));
            return true;
        }
        false
    }

    /// Reads a line of an uncaught exception.
    fn detail(&mut self, line: &Line<'_>) -> bool {
        let Some((mut found, lines, is_log)) = self.open.take() else { return false };
        let text = line.text.trim_end();
        found.origin.end = line.end;
        if let Some(captures) = THROWN.find(text) {
            found.file = captures.file("file");
            found.line = captures.position("line");
            // The first line ends with the location, which is known by now.
            let place = format!(" in {}:{}", captures.text("file"), captures.text("line"));
            let (first, rest) = found.message.split_once('\n').unwrap_or((&found.message, ""));
            let mut message = first.strip_suffix(place.as_str()).unwrap_or(first).to_owned();
            for line in rest.lines() {
                text::add_line(&mut message, line, limit::MESSAGE_BYTES);
            }
            found.message = message;
            self.add(found, is_log);
            return true;
        }
        if lines < LINES {
            text::add_line(&mut found.message, text, limit::MESSAGE_BYTES);
            self.open = Some((found, lines + 1, is_log));
            return true;
        }
        false
    }
}

impl LineReader for Php {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.contains(": ") && self.begin(line) {
            return Use::Line;
        }
        if text.starts_with("No syntax errors detected in ") {
            self.is_clean = true;
            return Use::Line;
        }
        if self.detail(line) || text.starts_with("Errors parsing ") { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let is_recognized = self.is_clean || 0 < self.findings.counts.total();
        // Findings displayed in one stream and logged in the other are the same.
        let format = if self.has_displayed || self.findings.counts.total() == 0 { "text" } else { "log" };
        // For a mere warning in another tool's output, that tool's findings take precedence.
        let is_sure = 0 < self.findings.counts.errors || self.is_clean;
        let confidence = if is_sure { Confidence::Certain } else { Confidence::Likely };
        is_recognized.then(|| Candidate::of(format, self.findings).confidence(confidence))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn found(lines: &[&str]) -> Vec<(Level, Option<String>, Option<u32>, String)> {
        let mut reader = Box::new(Php::default());
        for (at, text) in lines.iter().enumerate() {
            let (start, text) = (at as u64, *text);
            reader.line(&Line::new(text, Stream::Stdout, start..start + 1));
        }
        let found = reader.finish().map_or(Vec::new(), |candidate| candidate.findings.kept.into_items());
        found.into_iter().map(|it| (it.level, it.file, it.line, it.message)).collect()
    }

    #[test]
    fn what_is_logged_and_displayed_is_one_finding() {
        let lines = [
            "[21-Nov-2026 23:15:19 UTC] PHP Warning:  No in C:\\p\\a.php on line 3",
            "Warning: No in C:\\p\\a.php on line 3",
            "Notice: mind in a.php(7) : eval()'d code on line 1",
        ];
        let file = |name: &str| Some(name.to_owned());
        assert_eq!(
            found(&lines),
            [
                (Level::Warning, file("C:/p/a.php"), Some(3), "No".to_owned()),
                (Level::Info, file("a.php"), Some(7), "mind".to_owned())
            ]
        );
    }

    #[test]
    fn what_nobody_caught_stands_where_it_was_thrown() {
        let lines = [
            "Fatal error: Uncaught Error: two",
            "lines in /p/a.php:4",
            "Stack trace:",
            "#0 {main}",
            "  thrown in /p/a.php on line 4",
            "after",
        ];
        let all = found(&lines);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].1.as_deref(), all[0].2), (Some("/p/a.php"), Some(4)));
        assert!(all[0].3.starts_with("Uncaught Error: two\nlines in"), "{}", all[0].3);
        assert!(found(&["Warning: mind the gap", "Fatal error: out of luck"]).is_empty());
    }
}
