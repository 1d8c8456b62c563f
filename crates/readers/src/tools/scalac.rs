//! The Scala compiler: version 2 (`a.scala:3: error: type mismatch;`, with the types found and required, the
//! source line and a caret below), and version 3 (`-- [E007] Type Mismatch Error: a.scala:3:26 ---`).

use crate::prelude::*;
use crate::shapes::caret::{Careted, Format};
use crate::shapes::dotty::Finding;
use crate::tools::sbt::{self, Sbt};

pub(crate) static TOOL: Tool = Tool::new("scalac", &["scala", "dotty", "dotc"], Role::Compile)
    .lines(&[
        LineFormat::new(&[".scala:"], |is_hinted| Box::new(Careted::new(&FORMAT, is_hinted))),
        LineFormat::new(&["Error: ", "Warning: "], |_| Box::new(Scala3::default())),
        // Under `sbt compile` the findings follow sbt's levels.
        LineFormat::new(sbt::PREFILTER, |_| Box::new(Sbt::default())),
    ])
    .merge(sbt::one_candidate);

static FORMAT: Format = Format { tool: "scalac", rule: "scalac/text", heading, closing };

/// A finding with its location; some plugins and `-Vcolumn` add the column.
static LOCATED: Pattern = Pattern::new(
    r"^(?<file>\S.*?\.(?:scala|sc|java)):(?<line>\d+)(?::(?<column>\d+))?: (?<level>error|warning|info): (?:\[(?<code>[a-z][\w-]*)\] )?(?<message>.*)$",
);

/// A finding without a location.
static GLOBAL: Pattern = Pattern::new(r"^(?<level>error|warning): (?<message>\S.*)$");

/// The final count, which before version 2.13 spells out numbers up to four.
static COUNT: Pattern = Pattern::new(r"^(?:\d+|one|two|three|four) (?:errors?|warnings?)(?: found)?$");

fn heading(text: &str, is_trusted: bool) -> Option<Groups<'static, '_>> {
    if text.contains(".sc") {
        return LOCATED.find(text);
    }
    let is_global = is_trusted && (text.starts_with("error: ") || text.starts_with("warning: "));
    is_global.then(|| GLOBAL.find(text)).flatten()
}

fn closing(text: &str) -> bool {
    (text.ends_with('d') || text.ends_with('s') || text.ends_with('r') || text.ends_with('g')) && COUNT.is_match(text)
}

/// Reads the output of version 3.
#[derive(Default)]
struct Scala3 {
    findings: Findings,
    open: Option<Finding>,
}

impl Scala3 {
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.findings.add(open.close());
        }
    }
}

impl LineReader for Scala3 {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if let Some(begun) = Finding::begin("scalac", "scalac/text", &line.text, line) {
            self.close();
            self.open = Some(begun);
            return Use::Line;
        }
        if self.open.as_mut().is_some_and(|open| open.line(&line.text, line)) {
            return Use::Line;
        }
        self.close();
        if 0 < self.findings.counts.total() && closing(&line.text) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.findings.candidate("scala3")
    }
}
