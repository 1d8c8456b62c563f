//! sqlfluff: the text table, and `json` in the layouts of several versions.
//!
//! ```text
//! == [q.sql] FAIL
//! L:   1 | P:  10 | LT01 | Expected single whitespace between comma ',' and naked
//!                        | identifier. [layout.spacing]
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("sqlfluff", &["sqlfluff-json"], Role::Lint)
    .lines(&[LineFormat::rows(&["== [", "L:   ", "All Finished"], &TEXT)])
    .documents(&[
        DocumentFormat::json(&["[{\"filepath\":"], &["\"filepath\":"], &BY_FILE).or_empty("[]"),
        DocumentFormat::json(&["{\"violations\":"], &["\"violations\":"], &VIOLATIONS),
        DocumentFormat::json(&["[{\"rule_code\":"], &["\"rule_code\":"], &LIST),
    ])
    .merge(candidate::together);

static TEXT: Rows = Rows::new("sqlfluff", "text")
    .rows(&[
        heading(r"^== \[(?<file>.+)\] (?:FAIL|PASS)$").names_tool(),
        head(r"^L: *(?<line>\d+) \| P: *(?<column>\d+) \| +(?<code>[A-Z0-9_]{2,12}) \| (?<message>\S.*)$"),
        part(r"^     \s*\| (?<message>.*)$").joined(),
        known(r"^All Finished").known(),
    ])
    // The message ends with the name of the rule.
    .complete(|found| {
        if found.message.ends_with(']')
            && let Some(rule) = found.message.rfind(" [")
        {
            found.message.truncate(rule);
        }
        true
    });

static BY_FILE: JsonFindings = JsonFindings {
    paths: &[&[ANY, "violations", ANY]],
    is_own: |members| members.contains_key("filepath"),
    ..JsonFindings::of(&MEMBERS)
};

static VIOLATIONS: JsonFindings = JsonFindings { paths: &[&["violations", ANY]], is_own: |_| false, ..BY_FILE };

static LIST: JsonFindings = JsonFindings { paths: &[&[ANY]], is_own: |_| false, ..BY_FILE };

const MEMBERS: Members = Members {
    tool: "sqlfluff",
    message: "description|rule_description|rule_name|name",
    file: "path|^filepath",
    line: "start_line_no|line_no",
    column: "start_line_pos|line_pos",
    end_line: "end_line_no",
    end_column: "end_line_pos",
    code: "code|rule_code",
    fix: "fixes",
    level: "warning",
    levels: &[("true", Level::Warning)],
    needs: &["code|rule_code"],
    ..Members::MESSAGE
};
