//! pyright and basedpyright: text, and `--outputjson`.
//!
//! ```text
//! /project/app.py
//!   /project/app.py:33:18 - error: Argument of type … cannot be assigned to parameter "a" …
//!     "Literal['1']" is not assignable to "int" (reportArgumentType)
//! 18 errors, 2 warnings, 0 informations
//! ```

use crate::prelude::*;
use crate::shapes::python::is_source;

pub(crate) static TOOL: Tool = Tool::new("pyright", &["pyright-json", "basedpyright"], Role::Typecheck)
    .lines(&[LineFormat::rows(
        &[" - error: ", " - warning: ", " - information: ", " - note: ", " informations", " notes", " warnings, "],
        &TEXT,
    )])
    .documents(&[DocumentFormat::json(
        &["{\"version\":", "{\"generalDiagnostics\":"],
        &["\"version\":", "\"generalDiagnostics\":"],
        &JSON,
    )])
    .merge(candidate::together);

macro_rules! placed {
    () => {
        r"^ {0,4}(?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<level>error|warning|information|note): (?<message>.*?)(?: \((?<code>report\w+)\))?$"
    };
}

/// A finding without line and column, which looks like the output of any compiler.
macro_rules! unplaced {
    ($code:literal) => {
        concat!(r"^ {2,4}(?<file>\S.*?): (?<level>error|warning|information|note): (?<message>.*?)", $code, "$")
    };
}

static TEXT: Rows = Rows::new("pyright", "text").confidence(Confidence::Likely).rows(&[
    head(placed!()).check(is_python).vouches(),
    head(placed!()).hinted(),
    head(unplaced!(r" \((?<code>report\w+)\)")).check(is_python).vouches(),
    head(unplaced!("")).check(is_python),
    head(unplaced!(r"(?: \((?<code>report\w+)\))?")).hinted(),
    // The indentation contains non-breaking spaces. The rule ends a message of several lines.
    part(r"^[\t-\r \x{a0}]{4,}(?<message>[^\t-\r \x{a0}].*?)? ?\((?<code>report\w+)\)$")
        .check(|made, _| made.code.is_none()),
    part(r"^[\t-\r \x{a0}]{4,}(?<message>[^\t-\r \x{a0}].*)$"),
    // basedpyright counts notes.
    known(r"^0 errors, 0 warnings, 0 (?:informations|infos|notes)\.?$"),
    sum(r"^(?<errors>\d+) errors?, (?<warnings>\d+) warnings?, (?<infos>\d+) (?:informations?|infos?|notes?)\.?$")
        .clean(),
    within(r"^(?:No configuration file found\.$|Assuming Python platform )").hinted(),
]);

fn is_python(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    made.file.as_deref().is_some_and(is_source)
}

static JSON: JsonFindings = JsonFindings {
    paths: &[&["generalDiagnostics", ANY]],
    is_own: |members| {
        let summary = members.get("summary");
        summary.is_some_and(|summary| summary.get("filesAnalyzed").is_some() || summary.get("errorCount").is_some())
    },
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "pyright",
    file: "file|uri",
    line: "range/start/line+1",
    column: "range/start/character+1",
    end_line: "range/end/line+1",
    end_column: "range/end/character+1",
    code: "rule",
    level: "severity",
    needs: &["severity"],
    ..Members::MESSAGE
};
