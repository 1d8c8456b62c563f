//! The Scala compiler: version 2 (`a.scala:3: error: type mismatch;`, with the types found and required, the
//! source line and a caret below), and version 3 (`-- [E007] Type Mismatch Error: a.scala:3:26 ---`).

use crate::prelude::*;
use crate::rows::{caret, dotty};
use crate::tools::sbt;

pub(crate) static TOOL: Tool = Tool::new("scalac", &["scala", "dotty", "dotc"], Role::Compile)
    .lines(&[
        LineFormat::rows(&[".scala:"], &TEXT),
        LineFormat::rows(&["Error: ", "Warning: "], &SCALA3),
        // Under `sbt compile` the findings follow sbt's levels.
        LineFormat::rows(sbt::PREFILTER, &sbt::TEXT),
        LineFormat::rows(sbt::PREFILTER, &sbt::TASKS),
    ])
    .merge(sbt::one_candidate);

static TEXT: Rows = Rows::new("scalac", "text").lists().and(&caret::rows()).rows(&[
    // Some plugins and `-Vcolumn` add the column.
    head(r"^(?<file>\S.*?\.(?:scala|sc|java)):(?<line>\d+)(?::(?<column>\d+))?: (?<level>error|warning|info): (?:\[(?<code>[a-z][\w-]*)\] )?(?<message>.*)$")
        .check(|_, found| found.matched().contains(".sc"))
        .enters("findings"),
    within(COUNT).inside("findings").enters("end"),
    head(GLOBAL).enters("findings").inside("findings"),
    head(GLOBAL).enters("findings").hinted(),
]);

static SCALA3: Rows =
    Rows::new("scalac", "scala3").rule("scalac/text").rows(&dotty::rows!("")).and(&[within(COUNT).known()]);

/// A finding without a location.
const GLOBAL: &str = r"^(?<level>error|warning): (?<message>\S.*)$";

/// The final count, which before version 2.13 spells out numbers up to four.
const COUNT: &str = r"^(?:\d+|one|two|three|four) (?:errors?|warnings?)(?: found)?$";
