//! sqlfluff: the table that people read, and `json` as it was in several versions.
//!
//! ```text
//! == [q.sql] FAIL
//! L:   1 | P:  10 | LT01 | Expected single whitespace between comma ',' and naked
//!                        | identifier. [layout.spacing]
//! ```

use crate::prelude::*;

pub(crate) const TOOL: Tool = Tool::new("sqlfluff", &["sqlfluff-json"], Role::Lint)
    .lines(&[LineFormat::new(&["== [", "L:   ", "All Finished"], |is_hinted| TEXT.reader(is_hinted))])
    .documents(&[
        DocumentFormat::new(&["[{\"filepath\":"], &["\"filepath\":"], |stream, is_hinted| {
            BY_FILE.reader(stream, is_hinted)
        })
        .or_empty("[]"),
        DocumentFormat::new(&["{\"violations\":"], &["\"violations\":"], |stream, is_hinted| {
            VIOLATIONS.reader(stream, is_hinted)
        }),
        DocumentFormat::new(&["[{\"rule_code\":"], &["\"rule_code\":"], |stream, is_hinted| {
            LIST.reader(stream, is_hinted)
        }),
    ])
    .merge(candidate::together);

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("sqlfluff", "text")
        .rows([
            heading(r"^== \[(?<file>.+)\] (?:FAIL|PASS)$").names_tool(),
            head(r"^L: *(?<line>\d+) \| P: *(?<column>\d+) \| +(?<code>[A-Z0-9_]{2,12}) \| (?<message>\S.*)$"),
            part(r"^     \s*\| (?<message>.*)$").joined(),
            known(r"^All Finished").known(),
        ])
        // The name of the rule ends the message.
        .complete(|found| {
            if found.message.ends_with(']')
                && let Some(rule) = found.message.rfind(" [")
            {
                found.message.truncate(rule);
            }
            true
        })
});

static BY_FILE: JsonFindings = JsonFindings {
    rule: "sqlfluff/json",
    paths: &[&[ANY, "violations", ANY]],
    record: |record| MEMBERS.told(record),
    is_own: |members| members.contains_key("filepath"),
    ..JsonFindings::LIST
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
