//! Linters of Ruby's templates: `slim-lint`, `haml-lint` and `erb_lint`.
//!
//! ```text
//! app/views/top.html.slim:40 [W] RuboCop: Layout/ExtraSpacing: Unnecessary spacing detected.
//! application.html.erb:4:6: Use 1 newline after `<%` instead of 2.
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::document::Opening;
use crate::json::ANY;
use crate::rows::{Rows, finding, known, lead, rest, within};
use crate::shapes::json_findings::JsonFindings;
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const SLIM: Tool = Tool {
    name: "slim-lint",
    aliases: &["slim_lint"],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &[".slim:"], reader: |is_hinted| SLIM_TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

pub(crate) const HAML: Tool = Tool {
    name: "haml-lint",
    aliases: &["haml_lint"],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &[".haml:"], reader: |is_hinted| HAML_TEXT.reader(is_hinted) }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"metadata\":{\"haml"], keys: &["\"metadata\":"], empty: None },
        reader: |stream, is_hinted| HAML_JSON.reader(stream, is_hinted),
    }],
    merge: candidate::gravest,
};

pub(crate) const ERB: Tool = Tool {
    name: "erb-lint",
    aliases: &["erb_lint", "erblint"],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &[".erb:", "In file: ", " linters..."],
        reader: |is_hinted| ERB_TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: candidate::gravest,
};

static SLIM_TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "slim-lint",
        "text",
        [finding(r"^(?<file>\S.*?\.slim):(?<line>\d+) \[(?<level>[A-Z])\] (?:(?<code>[A-Z]\w+): )?(?<message>.*)$")],
    )
    .level(Level::Warning)
});

static HAML_TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "haml-lint",
        "text",
        [finding(r"^(?<file>\S.*?\.haml):(?<line>\d+) \[(?<level>[A-Z])\] (?:(?<code>[A-Z]\w+): )?(?<message>.*)$")],
    )
    .level(Level::Warning)
});

/// `{"metadata":{"hamllint_version":…},"files":[{"path":"a.haml","offenses":[{"severity":"warning","location":{"line":1}}]}]}`.
static HAML_JSON: JsonFindings = JsonFindings {
    rule: "haml-lint/json",
    paths: &[&["files", ANY, "offenses", ANY]],
    record: |record| MEMBERS.told(record),
    is_own: |members| {
        let metadata = members.get("metadata");
        metadata.is_some_and(|it| it.get("hamllint_version").or_else(|| it.get("haml_lint_version")).is_some())
    },
    ..JsonFindings::LIST
};

const MEMBERS: Members = Members {
    tool: "haml-lint",
    file: "^path",
    line: "location/line",
    code: "linter_name",
    level: "severity",
    needs: &["linter_name", "severity"],
    ..Members::MESSAGE
};

static ERB_TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "erb-lint",
        "text",
        [
            within(r"^Linting .* linters(?:\.\.\.$| \()").vouches(),
            // The place below a message, in the default format.
            rest(r"^In file: (?<file>\S.*?\.erb):(?<line>\d+)$").last().vouches(),
            rest(r"^In file: (?<file>\S.*?):(?<line>\d+)$").last().known(),
            // The compact format; the column is that of the character before, so 0 is none.
            finding(r"^(?<file>\S.*?\.\w+):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$")
                .rule("erb-lint/compact")
                .known(),
            known(r"^No errors were found in ERB files$").known(),
            within(r" found in ERB files$").known(),
            lead(r"^(?<message>.*)$").rule("erb-lint/multiline").tentative(),
        ],
    )
    .level(Level::Warning)
    .waits_over_blank_lines()
});
