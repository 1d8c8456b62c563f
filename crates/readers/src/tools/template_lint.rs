//! Linters of Ruby templates: `slim-lint`, `haml-lint` and `erb_lint`.
//!
//! ```text
//! app/views/top.html.slim:40 [W] RuboCop: Layout/ExtraSpacing: Unnecessary spacing detected.
//! application.html.erb:4:6: Use 1 newline after `<%` instead of 2.
//! ```

use crate::prelude::*;

pub(crate) static SLIM: Tool =
    Tool::new("slim-lint", &["slim_lint"], Role::Lint).lines(&[LineFormat::rows(&[".slim:"], &SLIM_TEXT)]);

pub(crate) static HAML: Tool = Tool::new("haml-lint", &["haml_lint"], Role::Lint)
    .lines(&[LineFormat::rows(&[".haml:"], &HAML_TEXT)])
    .documents(&[DocumentFormat::json(&["{\"metadata\":{\"haml"], &["\"metadata\":"], &HAML_JSON)]);

pub(crate) static ERB: Tool = Tool::new("erb-lint", &["erb_lint", "erblint"], Role::Lint)
    .lines(&[LineFormat::rows(&[".erb:", "In file: ", " linters..."], &ERB_TEXT)]);

static SLIM_TEXT: Rows = Rows::new("slim-lint", "text").level(Level::Warning).rows(&[finding(
    r"^(?<file>\S.*?\.slim):(?<line>\d+) \[(?<level>[A-Z])\] (?:(?<code>[A-Z]\w+): )?(?<message>.*)$",
)]);

static HAML_TEXT: Rows = Rows::new("haml-lint", "text").level(Level::Warning).rows(&[finding(
    r"^(?<file>\S.*?\.haml):(?<line>\d+) \[(?<level>[A-Z])\] (?:(?<code>[A-Z]\w+): )?(?<message>.*)$",
)]);

/// `{"metadata":{"hamllint_version":…},"files":[{"path":"a.haml","offenses":[{"severity":"warning","location":{"line":1}}]}]}`.
static HAML_JSON: JsonFindings = JsonFindings {
    paths: &[&["files", ANY, "offenses", ANY]],
    is_own: |members| {
        let metadata = members.get("metadata");
        metadata.is_some_and(|it| it.get("hamllint_version").or_else(|| it.get("haml_lint_version")).is_some())
    },
    ..JsonFindings::of(&MEMBERS)
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

static ERB_TEXT: Rows = Rows::new("erb-lint", "text").level(Level::Warning).waits_over_blank_lines().rows(&[
    within(r"^Linting .* linters(?:\.\.\.$| \()").vouches(),
    // The location below a message, in the default format.
    rest(r"^In file: (?<file>\S.*?\.erb):(?<line>\d+)$").last().vouches(),
    rest(r"^In file: (?<file>\S.*?):(?<line>\d+)$").last().known(),
    // The compact format; the column is that of the preceding character, so 0 means none.
    finding(r"^(?<file>\S.*?\.\w+):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$").rule("erb-lint/compact").known(),
    known(r"^No errors were found in ERB files$").known(),
    within(r" found in ERB files$").known(),
    lead(r"^(?<message>.*)$").rule("erb-lint/multiline").tentative(),
]);
