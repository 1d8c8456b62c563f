//! Checkstyle's plain report: `[ERROR] /src/App.java:4:10: Line is longer than 80 characters. [LineLength]`,
//! between `Starting audit...` and `Audit done.`. Before version 6.14 the only level is `warning: `, and the
//! rule is often missing.

use crate::prelude::*;
use crate::shapes::ant;

pub(crate) static TOOL: Tool = Tool::new("checkstyle", &["checkstyle-xml"], Role::Lint)
    .lines(&[LineFormat::rows(PREFILTER, &PLAIN)])
    .documents(crate::formats::checkstyle::DOCUMENTS);

/// Texts around the report; Ant's task omits them.
pub(crate) const PREFILTER: &[&str] = &["Starting audit...", "[ant:checkstyle]", "[checkstyle]", "[ERROR] ", "[WARN] "];

/// A finding since version 6.14.
const FINDING: &str = r"^\[(?<level>ERROR|WARN|INFO)\] (?<file>\S.*?\.\w+):(?<line>\d+)(?::(?<column>\d+))?: (?<message>.*?)(?: \[(?<code>[A-Z]\w*)\])?$";

pub(crate) static PLAIN: Rows = Rows::new("checkstyle", "plain")
    .without(ant::without_task)
    // Other Maven plugins also print a location and brackets.
    .confidence(Confidence::Likely)
    .rows(&[
    known(r"^(?:\[INFO\] )?Starting audit\.\.\.$").enters("audit"),
    known(r"^Audit done\.$").enters(""),
    within(r"^Checkstyle ends with .* errors\.$"),
    finding(FINDING).check(|made, _| made.code.is_some()),
    finding(FINDING).hinted(),
    finding(FINDING).inside("audit"),
    finding(
        r"^(?<file>[^\s\[].*?\.\w+):(?<line>\d+)(?::(?<column>\d+))?: (?:(?<level>error|warning|info): )?(?<message>.*?)(?: \[(?<code>[A-Z]\w*)\])?$",
    )
    .inside("audit"),
    ]);
