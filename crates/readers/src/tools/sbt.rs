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
use crate::rows::dotty;
use crate::shapes::outcome;

pub(crate) static TOOL: Tool = Tool::new("sbt", &["scalatest", "munit"], Role::Test)
    .lines(&[
        LineFormat::rows(PREFILTER, &TEXT),
        LineFormat::rows(PREFILTER, &TASKS),
        LineFormat::new(tests::PREFILTER, |_| Box::new(tests::Tests::default())),
    ])
    .merge(one_candidate);

/// Starts of the lines of the compilers.
pub(crate) const PREFILTER: &[&str] = &["[error] ", "[warn] "];

/// Format name of the errors of failed tasks, which are printed last.
const TASK_FORMAT: &str = "task";

/// Reads findings after sbt's levels.
pub(crate) static TEXT: Rows = Rows::new("sbt", "text").rows(&dotty::rows!(r"\[(?:error|warn)\] ")).and(&[
    head(r"^\[(?<level>error|warn)\] (?<file>\S.*?\.(?:scala|sc|sbt|java)):(?<line>\d+)(?::(?<column>\d+))?: (?:(?:error|warning): )?(?<message>.*)$")
        .enters("message"),
    part(r"^\[(?:error|warn)\] \s*\^[\^~]*$").caret().last(),
    part(r"^\[(?:error|warn)\] (?<source>.*)$").held(),
]);

/// Reads the errors of failed tasks: `[error] (Compile / compileIncremental) Compilation failed`.
pub(crate) static TASKS: Rows =
    Rows::new("sbt", TASK_FORMAT).rows(&[finding(r"^\[error\] \((?:[\w:.-]+ / )*[\w:.-]+\) (?<message>\S.*)$")]);

/// Merges the candidates of both streams. A failed task is a finding only if nothing else gives the reason.
pub(crate) fn one_candidate(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    outcome::merge(candidates, TASK_FORMAT)
}
