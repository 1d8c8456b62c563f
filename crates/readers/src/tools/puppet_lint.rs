//! puppet-lint: `init.pp - ERROR: docker not in autoload module layout on line 347 (check: autoloader_layout)`, and JSON.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::document::Opening;
use crate::json::ANY;
use crate::rows::{Rows, finding};
use crate::shapes::json_findings::JsonFindings;
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "puppet-lint",
    aliases: &["puppetlint", "puppet-lint-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { prefilter: &[" on line "], reader: |is_hinted| TEXT.reader(is_hinted) },
        LineFormat { prefilter: &[".pp:"], reader: |is_hinted| FORMATTED.reader(is_hinted) },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[[{\"message\":"], keys: &["\"message\":", "["], empty: Some("[[]]") },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "puppet-lint",
        "text",
        [
            // The file stands before it where there are several; of one alone there must be the check. What is `FIXED` or
            // `IGNORED` is none.
            finding(r"^(?:(?<file>\S.*?\.pp) - )?(?<level>ERROR|WARNING): (?<message>.*) on line (?<line>\d+)(?: col (?<column>\d+))?(?: \(check: (?<code>\w+)\))?$")
                .check(|made, _| made.file.is_some() || made.code.is_some()),
        ],
    )
    .level(Level::Warning)
});

static FORMATTED: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "puppet-lint",
        "formatted",
        [
            // `manifests/init.pp:1:7:ERROR: foo not in autoload module layout`, as editors want it.
            finding(r"^(?<file>\S.*?\.pp):(?<line>\d+)(?::(?<column>\d+))?: ?(?i:(?<level>error|warning)): (?<message>.*?)(?: \[(?<code>\w+)\])?$"),
        ],
    )
    .level(Level::Warning)
});

/// `[[{"message":…,"line":1,"column":7,"kind":"error","check":"autoloader_layout","path":"manifests/init.pp"}]]`.
static JSON: JsonFindings = JsonFindings {
    rule: "puppet-lint/json",
    paths: &[&[ANY, ANY]],
    record: |record| MEMBERS.told(record),
    ..JsonFindings::LIST
};

const MEMBERS: Members = Members {
    tool: "puppet-lint",
    file: "path",
    line: "line",
    column: "column",
    code: "check",
    level: "kind",
    needs: &["check", "KIND", "kind"],
    ..Members::MESSAGE
};
