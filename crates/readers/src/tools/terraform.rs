//! Terraform's `validate` and TFLint, which print findings in a similar format, and the JSON of both.
//!
//! ```text
//! │ Error: Unsupported argument
//! │
//! │   on main.tf line 3, in resource "aws_instance" "web":
//! │    3:   foo = 1
//! ```
//! TFLint prints no border, and its rule follows the message:
//! `Warning: terraform version missing (terraform_required_version)`.

use crate::prelude::*;
use crate::shapes::members::words;

pub(crate) static TERRAFORM: Tool = Tool::new("terraform", &["tofu", "opentofu", "terraform-json"], Role::Lint)
    .lines(&[LineFormat::rows(&["│ Error: ", "│ Warning: ", "Success! The configuration is valid"], &TEXT)])
    .documents(&[DocumentFormat::json(
        &["{\"format_version\":\"", "{\"valid\":"],
        &["\"format_version\":", "\"valid\":"],
        &VALIDATE_JSON,
    )]);

pub(crate) static TFLINT: Tool = Tool::new("tflint", &["tflint-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(&["Error: ", "Warning: ", "Notice: "], &TFLINT_TEXT),
        LineFormat::rows(&[".tf:"], &COMPACT),
    ])
    .documents(&[DocumentFormat::json(&["{\"issues\":[{\"rule\":"], &["\"issues\":"], &TFLINT_JSON)
        .or_empty("{\"issues\":[],\"errors\":[]}")]);

static TEXT: Rows = Rows::new("terraform", "text").rows(&[
    head(
        r"^│ (?<level>Error|Warning|Notice): (?:\[(?<fix>Fixable)\] )?(?<message>.*?)(?: \((?<code>[a-z0-9]+(?:_[a-z0-9]+)+)\))?$",
    ),
    part(r"^│   on (?<file>\S.*?) line (?<line>\d+)(?:, in .*)?:$"),
    part(r"^│"),
    known(r"^Success! The configuration is valid"),
    within(r"^[╷╵]$"),
]);

static TFLINT_TEXT: Rows = Rows::new("tflint", "text").waits_over_blank_lines().rows(&[
    lead(r"^(?<level>Error|Warning|Notice): (?:\[(?<fix>Fixable)\] )?(?<message>.*?) \((?<code>[a-z0-9]+(?:_[a-z0-9]+)+)\)$"),
    rest(r"^  on (?<file>\S.*?) line (?<line>\d+)(?:, in .*)?:$"),
    part("").check(|made, _| made.file.is_some()),
]);

static COMPACT: Rows = Rows::new("tflint", "compact").rows(&[
    // `main.tf:1:1: Warning - Missing version (terraform_required_version)`.
    finding(
        r"^(?<file>\S.*?\.tf(?:vars)?):(?<line>\d+):(?<column>\d+): (?<level>Error|Warning|Notice) - (?<message>.*?) \((?<code>\w+)\)$",
    ),
]);

/// `{"format_version":"1.0","valid":false,…,"diagnostics":[{"severity":"error","summary":…,"range":{…}}]}`.
static VALIDATE_JSON: JsonFindings = JsonFindings {
    paths: &[&["diagnostics", ANY]],
    is_own: |members| members.contains_key("valid") && members.contains_key("error_count"),
    ..JsonFindings::of(&VALIDATE_MEMBERS)
};

const VALIDATE_MEMBERS: Members = Members {
    tool: "terraform",
    message: "summary",
    level: "severity",
    needs: &["severity"],
    complete: |made, record| {
        if let Some(detail) = words(&record.value, "detail") {
            text::add_line(&mut made.message, detail, limit::MESSAGE_BYTES);
        }
    },
    ..RANGE
};

/// `{"issues":[{"rule":{"name":…,"severity":"warning"},"message":…,"range":{…}}],"errors":[]}`.
static TFLINT_JSON: JsonFindings =
    JsonFindings { paths: &[&["issues", ANY], &["errors", ANY]], ..JsonFindings::of(&TFLINT_MEMBERS) };

const TFLINT_MEMBERS: Members = Members {
    tool: "tflint",
    code: "rule/name",
    fix: "fixable",
    level: "rule/severity",
    // An error of TFLint itself has no rule.
    check: |made, record| record.path == 1 || made.code.is_some(),
    ..RANGE
};

const RANGE: Members = Members {
    file: "range/filename",
    line: "range/start/line",
    column: "range/start/column",
    end_line: "range/end/line",
    end_column: "range/end/column",
    ..Members::MESSAGE
};
