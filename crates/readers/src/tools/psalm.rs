//! Psalm: its console output in both layouts, the emacs format with one finding a line, and JSON.
//!
//! ```text
//! ERROR: UndefinedMethod - src/Foo.php:12:15 - Method Foo::bar does not exist (see https://psalm.dev/022)
//!         $foo->bar();
//!
//! 1 errors found
//! ```
//! Since version 5 the place has a line of its own, which begins with `at `, and the message the next.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, diagnostic, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, position, said};
use crate::shapes::pattern::{OneLine, level};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Psalm.
pub(crate) const TOOL: Tool = Tool {
    name: "psalm",
    aliases: &["psalm-json"],
    role: Role::Typecheck,
    lines: &[
        LineFormat {
            wakes: &["ERROR: ", "INFO: ", " errors found", "https://psalm.dev/"],
            reader: |is_hinted| Box::new(Console::new(is_hinted)),
        },
        LineFormat { wakes: &[":error - ", ":warning - ", ":info - "], reader: |_| EMACS.reader() },
    ],
    documents: &[
        DocumentFormat {
            opening: Opening {
                compact: &["[{\"severity\":\"", "[{\"link\":\"https://psalm.dev"],
                keys: &["\"severity\":", "\"link\":"],
                empty: Some("[]"),
            },
            reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
        },
        DocumentFormat {
            opening: Opening { compact: &["{\"issues\":[{\"severity\":"], keys: &["\"issues\":"], empty: None },
            reader: |stream, is_hinted| WRAPPED.reader(stream, is_hinted),
        },
    ],
    settle: claim::gravest,
};

/// `/path/to/main.php:258:4:error - InvalidGlobal: Cannot use global scope`.
static EMACS_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+):(?<level>error|warning|info) - (?<code>[A-Z]\w+): (?<message>.*?)(?: \(see https://psalm\.dev/\d+\))?$",
    )
});

static EMACS: OneLine = OneLine {
    tool: "psalm",
    format: "emacs",
    rule: "psalm/emacs",
    pattern: &EMACS_LINE,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `[{"severity":"error","line_from":12,"line_to":12,"type":"UndefinedMethod","message":…,"file_name":…,"column_from":15}]`.
const LIST: JsonFindings = JsonFindings {
    format: "json",
    rule: "psalm/json",
    paths: &[&[ANY]],
    record: |record| issue(record).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

static JSON: JsonFindings = LIST;

/// The same list under `issues`.
static WRAPPED: JsonFindings = JsonFindings { paths: &[&["issues", ANY]], ..LIST };

fn issue(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    value.get("line_from")?;
    let mut found = finding("psalm", level(said(value, "severity")?)?, said(value, "message")?);
    found.code = named(value, "type");
    found.file = file(value, "file_name").or_else(|| file(value, "file_path"));
    found.line = position(value, "line_from");
    found.column = position(value, "column_from");
    found.end_line = position(value, "line_to");
    found.end_column = position(value, "column_to");
    found.source = named(value, "snippet");
    Some(found)
}

static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<level>ERROR|INFO|WARNING): (?<code>[A-Z]\w+)(?: - (?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<message>.*?)(?: \(see https://psalm\.dev/\d+\))?)?$",
    )
});

static AT: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^at (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$"));

/// Reads the console output of one stream.
struct Console {
    is_hinted: bool,
    findings: Findings,
    open: Option<(Diagnostic, Part)>,
    listed: u64,
    has_closing: bool,
    notes: Vec<String>,
}

/// What of a finding comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Place,
    Message,
    Source,
}

impl Console {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, findings: Findings::default(), open: None, listed: 0, has_closing: false, notes: Vec::new() }
    }

    fn close(&mut self) {
        if let Some((found, part)) = self.open.take()
            && part == Part::Source
        {
            self.listed += u64::from(found.level == Level::Error);
            self.findings.add(found);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = HEAD.captures(line.text.trim_end()) else {
            return false;
        };
        self.close();
        let found = crate::shapes::pattern::matched("psalm", "psalm/console", line, &captures, Level::Error);
        let part = if captures.name("file").is_some() { Part::Source } else { Part::Place };
        self.open = Some((found, part));
        true
    }

    fn closing(&mut self, text: &str) -> bool {
        if text == "No errors found!" {
            self.close();
            self.has_closing |= self.is_hinted;
            return self.is_hinted;
        }
        let number = text.strip_suffix(" errors found").or_else(|| text.strip_suffix(" error found"));
        let Some(errors) = number.and_then(text::count) else {
            return false;
        };
        self.close();
        let listed = std::mem::take(&mut self.listed);
        if !self.is_hinted && listed == 0 {
            return false;
        }
        if listed < errors && self.notes.len() < 20 {
            self.notes.push(format!("psalm sums up {errors} errors; {listed} were read one by one"));
        }
        self.findings.add_unlisted(Level::Error, errors.saturating_sub(listed));
        self.has_closing = true;
        true
    }

    fn detail(&mut self, line: &Line<'_>) -> bool {
        let Some((found, part)) = &mut self.open else {
            return false;
        };
        let text = line.text.trim_end();
        match part {
            Part::Place => {
                let Some(captures) = AT.captures(text) else {
                    self.open = None;
                    return false;
                };
                found.file = Some(name(&text::path(&captures["file"])));
                found.line = text::position(&captures["line"]);
                found.column = text::position(&captures["column"]);
                *part = Part::Message;
            }
            Part::Message => {
                let message = text.rsplit_once(" (see https://psalm.dev/").map_or(text, |(message, _)| message);
                let read = diagnostic("psalm", "psalm/console", line, found.level, message);
                found.message = read.message;
                *part = Part::Source;
            }
            Part::Source => {
                if text.is_empty() {
                    self.close();
                    return false;
                }
                if found.source.is_none() && text.starts_with(' ') {
                    found.source = Some(name(text));
                }
            }
        }
        if let Some((found, _)) = &mut self.open {
            found.origin.end = line.end;
        }
        true
    }
}

impl LineReader for Console {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if self.begin(line) || self.closing(text) {
            return Use::Line;
        }
        let is_rule = text.len() == 30 && text.bytes().all(|byte| byte == b'-');
        if self.detail(line) || (is_rule && self.has_closing) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let is_recognized = 0 < self.findings.counts.total() || self.has_closing;
        is_recognized.then(|| Claim {
            format: "console",
            findings: self.findings,
            notes: self.notes,
            ..Claim::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn both_layouts_are_read() {
        let lines = [
            "ERROR: UndefinedMethod - src/Foo.php:12:15 - Method Foo::bar does not exist (see https://psalm.dev/022)",
            "        $foo->bar();",
            "",
            "INFO: UnusedVariable",
            "at src/Foo.php:3:1",
            "$a is never referenced (see https://psalm.dev/077)",
            "$a = 1;",
            "",
            "ERROR: Connection refused",
            "------------------------------",
            "2 errors found",
        ];
        let mut reader = Box::new(Console::new(false));
        for (at, text) in lines.iter().enumerate() {
            let (start, text) = (at as u64, (*text).into());
            reader.line(&Line { text, text_start: None, stream: Stream::Stdout, start, end: start + 1, is_cut: false });
        }
        let claim = reader.finish().unwrap();
        assert_eq!((claim.findings.counts.errors, claim.findings.counts.infos), (2, 1));
        let all = claim.findings.kept.into_items();
        assert_eq!((all[0].message.as_str(), all[0].line), ("Method Foo::bar does not exist", Some(12)));
        assert_eq!((all[1].message.as_str(), all[1].line), ("$a is never referenced", Some(3)));
    }
}
