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

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    let global = || head(r"^(?<level>error|warning): (?<message>\S.*)$").enters("findings");
    let mut rows = vec![
        // Some plugins and `-Vcolumn` add the column.
        head(r"^(?<file>\S.*?\.(?:scala|sc|java)):(?<line>\d+)(?::(?<column>\d+))?: (?<level>error|warning|info): (?:\[(?<code>[a-z][\w-]*)\] )?(?<message>.*)$")
            .check(|_, found| found.matched().contains(".sc"))
            .enters("findings"),
        within(COUNT).inside("findings").enters("end"),
        global().inside("findings"),
        global().hinted(),
    ];
    rows.extend(caret::rows());
    Rows::new("scalac", "text").lists().rows(rows)
});

static SCALA3: LazyLock<Rows> = LazyLock::new(|| {
    let mut rows: Vec<_> = dotty::rows!("").into_iter().map(|row| row.rule("scalac/text")).collect();
    rows.push(within(COUNT).known());
    Rows::new("scalac", "scala3").rows(rows)
});

/// The final count, which before version 2.13 spells out numbers up to four.
const COUNT: &str = r"^(?:\d+|one|two|three|four) (?:errors?|warnings?)(?: found)?$";
