//! Dart and Flutter: `dart analyze` (`  error - lib/a.dart:3:5 - Undefined name 'x'. - undefined_identifier`, Flutter's
//! `   info • message • lib/a.dart:3:5 • code`, machine, JSON) and `dart test`.

mod tests;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, position, words};
use crate::shapes::pattern;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// The analyzer.
pub(crate) const ANALYZE: Tool = Tool {
    name: "dart-analyze",
    aliases: &["dart", "flutter-analyze", "dartanalyzer"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[".dart:", "|LINT|", "|COMPILE_TIME_ERROR|", "|STATIC_WARNING|", "|HINT|", "No issues found!"],
        reader: |is_hinted| Box::new(Text { is_hinted, ..Text::default() }),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"version\":1,\"diagnostics\":"], keys: &[], empty: None },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// The runner of tests.
pub(crate) const TEST: Tool = Tool {
    name: "dart-test",
    aliases: &["flutter-test"],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &[": All tests passed!", "🎉 ", ": Some tests failed.", " [E]", ": loading "],
        reader: |_| Box::new(tests::Text::default()),
    }],
    documents: &[],
    settle: claim::together,
};

/// `  error - lib/a.dart:3:5 - Undefined name 'x'. - undefined_identifier`.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ *(?<level>error|warning|info|hint|lint) (?:-|•) (?<file>\S.*?\.(?:dart|yaml|gradle|xml)):(?<line>\d+):(?<column>\d+) (?:-|•) (?<message>\S.*) (?:-|•) (?<code>[a-z][a-z0-9_/]+)$",
    )
});

/// `   info • message • lib/a.dart:3:5 • code`.
static FLUTTER: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ *(?<level>error|warning|info|hint|lint) • (?<message>\S.*?) (?:•|at) (?<file>\S+\.(?:dart|yaml)):(?<line>\d+):(?<column>\d+) (?:•|-) \(?(?<code>[a-z][a-z0-9_/]+)\)?$",
    )
});

/// `ERROR|COMPILE_TIME_ERROR|UNDEFINED_IDENTIFIER|/p/a.dart|2|3|1|Undefined name 'x'.`
static MACHINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<level>ERROR|WARNING|INFO)\|[A-Z_]+\|(?<code>[A-Z][A-Z0-9_]+)\|(?<file>[^|]+)\|(?<line>\d+)\|(?<column>\d+)\|\d+\|(?<message>.*)$",
    )
});

/// `3 issues found.`, with Flutter's time behind.
static ISSUES: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?:(?<number>\d+) issues?|No issues) found[.!]?(?: \(ran in [\d.]+m?s\))?$"));

/// Reads the text formats.
#[derive(Default)]
struct Text {
    is_hinted: bool,
    findings: Findings,
    issues: Option<u64>,
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        let captures = if text.contains('|') {
            MACHINE.captures(text)
        } else if text.contains(" - ") || text.contains(" • ") {
            LINE.captures(text).or_else(|| FLUTTER.captures(text))
        } else {
            None
        };
        if let Some(captures) = captures {
            let mut found = pattern::matched("dart-analyze", "dart-analyze/text", line, &captures, Level::Info);
            // The machine's format doubles backslashes.
            found.file = found.file.map(|file| file.replace("//", "/"));
            if found.code.as_deref().is_some_and(|code| code.starts_with(|first: char| first.is_ascii_uppercase())) {
                found.code = found.code.map(|code| code.to_ascii_lowercase());
            }
            self.findings.add(found);
            return Use::Line;
        }
        if text.contains(" found")
            && let Some(captures) = ISSUES.captures(text.trim_start())
        {
            self.issues = captures.name("number").map_or(Some(0), |number| text::count(number.as_str()));
            return Use::Line;
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        let listed = self.findings.counts.total();
        if listed == 0 && !(self.is_hinted && self.issues.is_some()) {
            return None;
        }
        let unlisted = self.issues.unwrap_or(0).saturating_sub(listed);
        self.findings.add_unlisted(Level::Info, unlisted);
        Some(Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "dart-analyze/json",
    paths: &[&["diagnostics", ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |_| true,
    is_strict: false,
    standing: Standing::Certain,
};

/// Makes a finding of a record of the JSON format.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let (code, message) = (words(value, "code")?, words(value, "problemMessage")?);
    let level = words(value, "severity").and_then(pattern::level).unwrap_or(Level::Info);
    let mut found = finding("dart-analyze", level, message);
    found.code = Some(name(code));
    found.file = file(value, "location/file");
    found.line = position(value, "location/range/start/line");
    found.column = position(value, "location/range/start/column");
    found.end_line = position(value, "location/range/end/line");
    found.end_column = position(value, "location/range/end/column");
    found.suggestion = named(value, "correctionMessage");
    Some(found)
}
