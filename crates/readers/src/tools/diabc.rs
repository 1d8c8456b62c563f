//! Wind River's Diab compiler: `"lint.c", line 7: warning (dcc:1521): missing return expression`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("diabc", &["dcc", "diab"], Role::Compile)
    .lines(&[LineFormat::rows(&["(dcc:", "(etoa:", "(dplus:"], &TEXT)]);

static TEXT: Rows = Rows::new("diabc", "text").rows(&[finding(
        r#"^"(?<file>[^"]+)", line (?<line>\d+)(?:, pos \d+)?: (?<level>info|warning|error|fatal error) \((?:dcc|etoa|dplus|das|dld):(?<code>\d+)\): (?<message>\S.*)$"#,
    )]);
