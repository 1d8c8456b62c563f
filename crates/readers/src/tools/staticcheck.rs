//! staticcheck: `test.go:9:9: empty branch (SA9003)`; stylish (the file, below it
//! `  (9, 9)  SA9003  empty branch`); JSON, one object per line
//! (`{"code":"SA9003","severity":"error","location":{"file":…,"line":9,"column":9},…}`).
//!
//! A package that does not compile is reported as one problem without a file, which quotes the compiler.

use super::go_build::quotation::Quotation;
use crate::prelude::*;
use crate::shapes::record_kind::RecordKind;

pub(crate) static TOOL: Tool = Tool::new("staticcheck", &["staticcheck-json"], Role::Lint)
    .lines(&[
        LineFormat::new(&[" (SA", " (S1", " (ST1", " (QF1", " (U1000)", "-: # ", " (compile)", " (config)"], |_| {
            Box::new(Text::new(false))
        }),
        LineFormat::new(&["  SA", "  S1", "  ST1", "  QF1", "  U1000", "  compile  ", "  config  "], |_| {
            Box::new(Text::new(true))
        }),
        LineFormat::new(&["{\"code\":\""], |_| JSON.reader()),
    ])
    .documents(&[DocumentFormat::new(&["[{\"code\":\""], &["\"code\":"], |stream, _| LIST.reader(stream, false))]);

/// The code of quoted compiler errors.
const COMPILE: &str = "compile";

/// A problem on one line, with or without a file.
static PROBLEM: Pattern = Pattern::new(
    r"^(?:-|(?<file>\S[^:]*\.go):(?<line>\d+):(?<column>\d+)): (?<message>.*) \((?<code>(?:SA|S|ST|QF|U)\d{4}|compile|config)\)$",
);

static ROW: Pattern = Pattern::new(
    r"^ +\((?<line>\d+), (?<column>\d+)\) +(?<code>(?:SA|S|ST|QF|U)\d{4}|compile|config) +(?<message>\S.*)$",
);

/// ` ✖ 4 problems (4 errors, 0 warnings, 0 ignored)`.
static CLOSING: Pattern = Pattern::new(r"^ ✖ \d+ problems? \(\d+ errors?, \d+ warnings?, \d+ ignored\)$");

struct Text {
    is_stylish: bool,
    /// The file above the problems in the stylish format.
    file: Option<String>,
    compiled: Quotation,
    findings: Findings,
}

impl Text {
    fn new(is_stylish: bool) -> Self {
        Self { is_stylish, file: None, compiled: Quotation::new(COMPILE), findings: Findings::default() }
    }
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        let rule = if self.is_stylish { "staticcheck/stylish" } else { "staticcheck/text" };
        if let Some(used) = self.compiled.line(line, "staticcheck", rule, &mut self.findings) {
            return used;
        }
        if !self.is_stylish && text.starts_with("-: # ") {
            self.compiled.begin();
            return Use::Line;
        }
        let problem = if self.is_stylish { &ROW } else { &PROBLEM };
        if let Some(found) = problem.find(text) {
            if self.is_stylish && found.text("message").starts_with("# ") {
                self.compiled.begin();
                return Use::Line;
            }
            let mut made = found.diagnostic("staticcheck", rule, line, Level::Error);
            made.file = made.file.or_else(|| self.file.clone());
            self.findings.add(made);
            return Use::Line;
        }
        if self.is_stylish && (text == "-" || text::has_extension(text, &["go"]) && !text.starts_with(' ')) {
            self.file = Some(name(&text::path(text))).filter(|file| file != "-");
        }
        let is_closing = 0 < self.findings.counts.total() && text.starts_with(" ✖ ") && CLOSING.is_match(text);
        if is_closing { Use::Line } else { Use::None }
    }

    fn sleeps(&self) -> bool {
        !self.is_stylish && !self.compiled.is_open()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let format = if self.is_stylish { "stylish" } else { "text" };
        self.findings.candidate(format)
    }
}

static JSON: JsonLines =
    JsonLines { format: "json", rule: "staticcheck/json", keys: &["{\"code\":\""], record: problem };

static LIST: JsonFindings = JsonFindings { is_strict: true, record: Some(problem), ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "staticcheck",
    file: "location/file",
    line: "location/line",
    column: "location/column",
    end_line: "end/line",
    end_column: "end/column",
    code: "code",
    needs: &["location/file"],
    check: |made, record| {
        made.level = if said(&record.value, "severity") == Some("error") { Level::Error } else { Level::Warning };
        made.file.is_some() || matches!(made.code.as_deref(), Some(COMPILE | "config"))
    },
    ..Members::MESSAGE
};

fn problem(record: &Record<'_>) -> RecordKind {
    match MEMBERS.told(record) {
        RecordKind::Finding(_) if said(&record.value, "severity") == Some("ignored") => RecordKind::Nothing,
        told => told,
    }
}
