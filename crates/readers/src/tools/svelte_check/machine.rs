//! The formats for machines: `1590680326283 ERROR "src/a.svelte" 1:16 "Cannot find module."`, and `machine-verbose`, with
//! an object behind the time, whose places count from 0.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::claim::{Claim, LineReader, Standing, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::tally::{Sum, Tally};
use crate::text;

/// The time that every line begins with.
static TIME: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^\d{10,16} (?<rest>\S.*)$"));

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^(?<level>ERROR|WARNING|HINT) (?<file>"(?:[^"\\]|\\.)*") (?<line>\d+):(?<column>\d+) (?<message>".*")$"#,
    )
});

static COMPLETED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^COMPLETED \d+ FILES (?<errors>\d+) ERRORS (?<warnings>\d+) WARNINGS (?:(?<hints>\d+) HINTS )?\d+ FILES_WITH_PROBLEMS$",
    )
});

/// Reads the formats for machines.
pub(crate) struct Machine {
    tally: Tally,
}

#[derive(Deserialize)]
struct Object {
    r#type: String,
    filename: String,
    start: Option<Position>,
    end: Option<Position>,
    message: String,
    code: Option<Value>,
}

/// A place, counted from 0.
#[derive(Deserialize)]
struct Position {
    line: u32,
    character: u32,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self { tally: Tally::new("svelte-check") }
    }

    fn plain(&mut self, rest: &str, line: &Line<'_>) -> bool {
        let Some(captures) = FINDING.captures(rest) else {
            return false;
        };
        let quoted = |group: &str| serde_json::from_str::<String>(&captures[group]).ok();
        let (Some(file), Some(message)) = (quoted("file"), quoted("message")) else {
            return false;
        };
        let mut found = begin(&captures["level"], &message, line);
        found.file = Some(name(&text::path(&file)));
        found.line = text::position(&captures["line"]);
        found.column = text::position(&captures["column"]);
        self.tally.add(found);
        true
    }

    fn verbose(&mut self, rest: &str, line: &Line<'_>) -> bool {
        let Ok(object) = serde_json::from_str::<Object>(rest) else {
            return false;
        };
        if !matches!(object.r#type.as_str(), "ERROR" | "WARNING" | "HINT") {
            return false;
        }
        let mut found = begin(&object.r#type, &object.message, line);
        found.file = Some(name(&text::path(&object.filename)));
        found.line = object.start.as_ref().map(|start| start.line.saturating_add(1));
        found.column = object.start.as_ref().map(|start| start.character.saturating_add(1));
        found.end_line = object.end.as_ref().map(|end| end.line.saturating_add(1));
        found.end_column = object.end.as_ref().map(|end| end.character.saturating_add(1));
        found.code = match object.code {
            Some(Value::String(code)) => Some(name(&code)),
            Some(Value::Number(code)) => Some(code.to_string()),
            _ => None,
        };
        self.tally.add(found);
        true
    }

    fn closing(&mut self, rest: &str) -> bool {
        let Some(captures) = COMPLETED.captures(rest) else {
            return rest.starts_with("START \"") || rest.starts_with("FAILURE \"");
        };
        let number = |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str()));
        let (errors, warnings, infos) = (number("errors"), number("warnings"), number("hints"));
        self.tally.sum_up(Sum { errors, warnings, infos, all: None });
        true
    }
}

fn begin(level: &str, message: &str, line: &Line<'_>) -> Diagnostic {
    let level = match level {
        "ERROR" => Level::Error,
        "WARNING" => Level::Warning,
        _ => Level::Info,
    };
    // The code stands below the message as a link, too.
    let message = match message.rsplit_once('\n') {
        Some((message, link)) if link.starts_with("https://svelte.dev/e/") => message,
        _ => message,
    };
    diagnostic("svelte-check", "svelte-check/machine", line, level, cut::head(message, limit::MESSAGE_BYTES))
}

impl LineReader for Machine {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if !line.text.starts_with(|first: char| first.is_ascii_digit()) {
            return Use::None;
        }
        let Some(captures) = TIME.captures(line.text.trim_end()) else {
            return Use::None;
        };
        let rest = &captures["rest"];
        let is_used =
            if rest.starts_with('{') { self.verbose(rest, line) } else { self.plain(rest, line) || self.closing(rest) };
        if is_used { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        (0 < self.tally.read + self.tally.sums).then(|| self.tally.claim("machine", Standing::Certain))
    }
}
