//! actionlint: one finding per line, with or without a code frame below it, and JSON.
//!
//! ```text
//! .github/workflows/test.yml:3:5: unexpected key "branch" for "push" section [syntax-check]
//!   |
//! 3 |     branch: main
//!   |     ^~~~~~~
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("actionlint", &["actionlint-json"], Role::Lint)
    .lines(&[LineFormat::rows(&[".yml:", ".yaml:", "<stdin>:"], &TEXT)])
    .documents(&[DocumentFormat::json(&["[{\"message\":\""], &["\"message\":"], &JSON).or_empty("[]")]);

static TEXT: Rows = Rows::new("actionlint", "text").rows(&[
    // The kind of check is in brackets after the message.
    head(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<code>syntax-check|expression|shellcheck|pyflakes|job-needs|matrix|events|glob|action|runner-label|workflow-call|credentials|permissions|env-var|id|deprecated-commands|if-cond|shell-name)\]$",
    ),
    head(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<code>[a-z]+(?:-[a-z]+)*)\]$")
        .hinted(),
    part(r"^ *\d+ +?\|(?: (?<source>.*))?$"),
    part(r"^ +\| (?<caret> *\^.*)$").last(),
    part(r"^ +\|"),
]);

/// `[{"message":…,"filepath":…,"line":4,"column":5,"kind":"syntax-check","snippet":…,"end_column":11}]`.
static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

const MEMBERS: Members = Members {
    tool: "actionlint",
    file: "filepath",
    line: "line",
    column: "column",
    end_line: "line",
    end_column: "end_column+1",
    code: "kind",
    needs: &["kind", "filepath"],
    ..Members::MESSAGE
};
