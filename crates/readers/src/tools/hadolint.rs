//! Hadolint: `Dockerfile:1 DL3006 warning: Always tag the version of an image explicitly`, the `gnu` format
//! `hadolint:Dockerfile:1: DL3006 …`, and JSON.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("hadolint", &["hadolint-json"], Role::Lint)
    .lines(&[LineFormat::rows(&[" DL3", " DL4", " DL1", " SC1", " SC2", " unexpected "], &TEXT)])
    .documents(&[DocumentFormat::json(&["[{\"code\":\"DL", "[{\"code\":\"SC"], &["\"code\":"], &JSON).or_empty("[]")]);

static TEXT: Rows = Rows::new("hadolint", "tty").level(Level::Warning).rows(&[
    // Before version 2 no level was printed.
    finding(
        r"^(?:hadolint:)?(?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))?:? (?<code>(?:DL|SC)\d{4}) (?:(?<level>error|warning|info|style): )?(?<message>\S.*)$",
    ),
    // Printed if the file could not be parsed.
    finding(
        r"^(?<file>\S*(?:Docker|Container)file\S*):(?<line>\d+):(?<column>\d+) (?<message>unexpected .*)$",
    )
    .rule("hadolint/syntax")
    .level(Level::Error),
]);

/// `[{"code":"DL3006","column":1,"file":"Dockerfile","level":"warning","line":1,"message":…}]`.
static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

const MEMBERS: Members = Members {
    tool: "hadolint",
    file: "file",
    line: "line",
    column: "column",
    code: "code",
    level: "level",
    needs: &["level"],
    check: |made, _| made.code.as_deref().is_some_and(|code| code.starts_with("DL") || code.starts_with("SC")),
    ..Members::MESSAGE
};
