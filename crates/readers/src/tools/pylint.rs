//! pylint: `text`, `parseable`, `msvs` and similar templates, and `json` and `json2`.
//!
//! ```text
//! ************* Module app
//! app.py:38:0: C0301: Line too long (116/100) (line-too-long)
//! app.py:38: [C0301(line-too-long), f] Line too long (116/100)
//! app.py(38): [C0301(line-too-long)f] Line too long (116/100)
//! ```

use crate::prelude::*;
use crate::shapes::python::is_source;

pub(crate) static TOOL: Tool = Tool::new("pylint", &["pylint-json"], Role::Lint)
    .lines(&[LineFormat::new(
        &[
            "************* Module ",
            "Your code has been rated at ",
            ": [C",
            ": [R",
            ": [W",
            ": [E",
            ": [F",
            ": [I",
            ": C0",
            ": R0",
            ": W0",
            ": E0",
            ": F0",
            ": I0",
            ": C1",
            ": R1",
            ": W1",
            ": E1",
            ": C2",
            ": C3",
            ": C4",
            ": R2",
            ": R3",
            ": W2",
            ": W3",
            ": W4",
            ": W6",
            ": E2",
            ": E3",
            ": E4",
            ": E6",
            ": R5",
            ": R6",
            ": W9",
            ": R9",
        ],
        |is_hinted| Box::new(Pylint { is_hinted, ..Pylint::default() }),
    )])
    .documents(&[
        DocumentFormat::json(&["[{\"type\":"], &["\"type\":"], &JSON).or_empty("[]"),
        DocumentFormat::json(&["{\"messages\":"], &["\"messages\":"], &JSON2),
    ])
    .merge(candidate::together);

static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

static JSON2: JsonFindings = JsonFindings {
    format: "json2",
    paths: &[&["messages", ANY]],
    is_own: |members| members.get("statistics").is_some_and(|it| it.get("messageTypeCount").is_some()),
    ..JSON
};

/// Members of a message; `json2` has names of its own for some. Columns are 0-based.
const MEMBERS: Members = Members {
    tool: "pylint",
    file: "path|absolutePath",
    line: "line",
    column: "column+1",
    end_line: "endLine",
    end_column: "endColumn+1",
    code: "messageId|message-id|symbol",
    level: "type",
    levels: &[("statement", Level::Info)],
    needs: &["type"],
    check: |_, record| record.value.get("module").is_some(),
    ..Members::MESSAGE
};

/// A finding after its location. Columns are 0-based.
static LOCATED: Pattern = Pattern::new(
    r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:()]*?)(?::[A-Za-z_][\w.]*)?(?::(?<line>\d+)(?::(?<column0>\d+))?|\((?<line2>\d+)\)): (?:(?<letter>(?<code>[CRWEFI]\d{4})): (?<message>.*?)(?: \((?<symbol>[a-z][a-z-]+)\))?|\[(?<letter2>(?<code2>[CRWEFI]\d{4})|[CRWEFI])(?:\((?<symbol2>[\w-]+)\))?(?:, ?[^\]]*|[A-Za-z_<][^\],]*)?\] (?<message2>.*?(?: \((?<symbol3>[a-z][a-z-]+)\))?))$",
);

#[derive(Default)]
struct Pylint {
    is_hinted: bool,
    findings: Findings,
    /// Whether a line was read that only pylint prints.
    is_certain: bool,
    is_rated: bool,
    /// Whether the findings are GitHub annotations, which another reader handles.
    is_annotated: bool,
}

impl LineReader for Pylint {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.starts_with("************* Module ") {
            self.is_certain = true;
            return Use::Line;
        }
        if text.starts_with("::") {
            self.is_annotated = true;
            return Use::None;
        }
        if text.starts_with("Your code has been rated at ") {
            self.is_rated = true;
            return Use::WithPrevious;
        }
        let Some(found) = LOCATED.find(text).filter(|found| self.is_hinted || is_source(found.text("file"))) else {
            return Use::None;
        };
        let level = match found.text("letter").bytes().next() {
            Some(b'E' | b'F') => Level::Error,
            Some(b'W') => Level::Warning,
            _ => Level::Info,
        };
        let mut made = found.diagnostic("pylint", "pylint/text", line, level);
        made.code = made.code.or_else(|| found.get("symbol").map(name));
        self.is_certain |= found.has("symbol");
        self.findings.add(made);
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let has_findings = 0 < self.findings.counts.total();
        let is_certain = self.is_certain || self.is_rated || self.is_hinted;
        let confidence = if is_certain { Confidence::Certain } else { Confidence::Likely };
        (has_findings || (self.is_rated && !self.is_annotated))
            .then(|| Candidate::of("text", self.findings).confidence(confidence))
    }
}
