//! yamllint: `standard` and `colored`, and `parsable`.
//!
//! ```text
//! a.yaml
//!   1:1       warning  missing document start "---"  (document-start)
//! a.yaml:1:1: [warning] missing document start "---" (document-start)
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("yamllint", &[], Role::Lint)
    .lines(&[LineFormat::rows(&["  error    ", "  warning  ", ": [error] ", ": [warning] "], &TEXT)])
    .merge(candidate::together);

static TEXT: Rows = Rows::new("yamllint", "text").rows(&[
    // A finding below its file. Up to version 1.28 a syntax error has one space before its rule.
    finding(r"^  (?<line>\d+):(?<column>\d+) +(?<level>error|warning)  +(?<message>\S.*?) +\((?<code>[a-z][a-z-]*)\)$")
        .rule("yamllint/standard")
        .check(|made, _| made.file.is_some()),
    finding(PARSABLE).rule("yamllint/parsable").check(|made, _| is_yaml(made)),
    finding(PARSABLE).rule("yamllint/parsable").hinted(),
    heading(r"^(?<file>\S.*)$").tentative(),
]);

const PARSABLE: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+): \[(?<level>error|warning)\] (?<message>\S.*?)(?: \((?<code>[a-z][a-z-]*)\))?$";

/// Whether a file is YAML, judged by its name.
fn is_yaml(found: &Diagnostic) -> bool {
    let file = found.file.as_deref().unwrap_or_default();
    [".yaml", ".yml", ".yamllint", "stdin"].iter().any(|end| file.ends_with(end))
}
