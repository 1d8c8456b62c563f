//! Hadolint: `Dockerfile:1 DL3006 warning: Always tag the version of an image explicitly`, with `-f gnu`
//! `hadolint:Dockerfile:1: DL3006 …`, and JSON.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::document::Opening;
use crate::rows::{Rows, finding};
use crate::shapes::json_findings::JsonFindings;
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "hadolint",
    aliases: &["hadolint-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &[" DL3", " DL4", " DL1", " SC1", " SC2", " unexpected "],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"code\":\"DL", "[{\"code\":\"SC"], keys: &["\"code\":"], empty: Some("[]") },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "hadolint",
        "tty",
        [
            // Before version 2 no level was printed.
            finding(
                r"^(?:hadolint:)?(?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))?:? (?<code>(?:DL|SC)\d{4}) (?:(?<level>error|warning|info|style): )?(?<message>\S.*)$",
            ),
            // The file could not be parsed.
            finding(
                r"^(?<file>\S*(?:Docker|Container)file\S*):(?<line>\d+):(?<column>\d+) (?<message>unexpected .*)$",
            )
            .rule("hadolint/syntax")
            .level(Level::Error),
        ],
    )
    .level(Level::Warning)
});

/// `[{"code":"DL3006","column":1,"file":"Dockerfile","level":"warning","line":1,"message":…}]`.
static JSON: JsonFindings =
    JsonFindings { rule: "hadolint/json", record: |record| MEMBERS.told(record), ..JsonFindings::LIST };

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
