//! sbt: messages of the Scala and Java compilers after its levels, and the tests of all frameworks.
//!
//! ```text
//! [error] /src/Main.scala:5:11: type mismatch;
//! [error]  found   : Int
//! [error]   val a: String = 3
//! [error]                   ^
//! [error] one error found
//! ```

mod tests;

use crate::prelude::*;
use crate::shapes::caret::Open;
use crate::shapes::dotty::Finding;

pub(crate) static TOOL: Tool = Tool::new("sbt", &["scalatest", "munit"], Role::Test)
    .lines(&[
        LineFormat::new(PREFILTER, |_| Box::new(Sbt::default())),
        LineFormat::new(tests::PREFILTER, |_| Box::new(tests::Tests::default())),
    ])
    .merge(one_candidate);

/// Starts of the lines of the compilers.
pub(crate) const PREFILTER: &[&str] = &["[error] ", "[warn] "];

/// Format name of the errors of failed tasks, which are printed last.
const TASK_FORMAT: &str = "task";

static LOCATED: Pattern = Pattern::new(
    r"^(?<file>\S.*?\.(?:scala|sc|sbt|java)):(?<line>\d+)(?::(?<column>\d+))?: (?:(?:error|warning): )?(?<message>.*)$",
);

static TASK: Pattern = Pattern::new(r"^\((?:[\w:.-]+ / )*[\w:.-]+\) (?<message>\S.*)$");

/// Reads findings after sbt's levels.
#[derive(Default)]
pub(crate) struct Sbt {
    findings: Findings,
    tasks: Findings,
    open: Option<Either>,
}

/// The finding whose lines are being read, with its level.
enum Either {
    Scala2(Open, Level),
    Scala3(Finding, Level),
}

impl Sbt {
    fn close(&mut self) {
        match self.open.take() {
            Some(Either::Scala2(open, _)) => self.findings.add(open.close()),
            Some(Either::Scala3(finding, _)) => self.findings.add(finding.close()),
            None => {}
        }
    }

    fn begin(&mut self, text: &str, level: Level, line: &Line<'_>) -> bool {
        if let Some(finding) = Finding::begin("sbt", "sbt/text", text, line) {
            self.close();
            self.open = Some(Either::Scala3(finding, level));
            return true;
        }
        if let Some(captures) = LOCATED.find(text) {
            self.close();
            let mut found = diagnostic("sbt", "sbt/text", line, level, captures.text("message").trim_end());
            found.file = captures.file("file");
            found.line = captures.position("line");
            found.column = captures.position("column");
            self.open = Some(Either::Scala2(Open::new(found, false), level));
            return true;
        }
        if level == Level::Error
            && let Some(captures) = TASK.find(text)
        {
            self.close();
            self.tasks.add(diagnostic("sbt", "sbt/task", line, level, captures.text("message")));
            return true;
        }
        false
    }
}

impl LineReader for Sbt {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let levels = [("[error] ", Level::Error), ("[warn] ", Level::Warning)];
        let Some((text, level)) =
            levels.iter().find_map(|(start, level)| Some((line.text.strip_prefix(start)?, *level)))
        else {
            self.close();
            return Use::None;
        };
        if self.begin(text, level, line) {
            return Use::Line;
        }
        let is_part = match &mut self.open {
            Some(Either::Scala2(open, of)) => *of == level && open.line(text, line),
            Some(Either::Scala3(finding, of)) => *of == level && finding.line(text, line),
            None => false,
        };
        if is_part {
            return Use::Line;
        }
        self.close();
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        if 0 < self.findings.counts.total() {
            return Some(Candidate { format: "text", findings: self.findings, ..Candidate::default() });
        }
        let has_failed = 0 < self.tasks.counts.total();
        has_failed.then(|| Candidate { format: TASK_FORMAT, findings: self.tasks, ..Candidate::default() })
    }
}

/// Merges the candidates of both streams. A failed task is a finding only if nothing else gives the reason.
pub(crate) fn one_candidate(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let (mut tasks, others): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|(_, candidate)| candidate.format == TASK_FORMAT);
    if others.iter().any(|(_, candidate)| 0 < candidate.gravity().0) {
        tasks.clear();
    }
    candidate::together(others.into_iter().chain(tasks).collect())
}
