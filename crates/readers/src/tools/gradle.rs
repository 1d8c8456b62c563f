//! Gradle: test events, the count of a task whose tests failed, and the reason why a build failed. Output of
//! compilers and Checkstyle under Gradle is read as those tools print it.
//!
//! ```text
//! > Task :test FAILED
//! CalcTest > addsWrong() FAILED
//!     org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
//!         at app//demo.CalcTest.addsWrong(CalcTest.java:7)
//! 9 tests completed, 5 failed, 2 skipped
//! ```
//!
//! Gradle prints no count for a task whose tests all pass: a successful build implies that they did.

mod build;
mod events;

use crate::prelude::*;
use crate::shapes::outcome;
use crate::tools::checkstyle;
use crate::tools::javac;
use crate::tools::kotlinc;

pub(crate) static TOOL: Tool = Tool::new("gradle", &["gradlew"], Role::Test)
    .lines(&[
        LineFormat::new(events::PREFILTER, |_| Box::new(events::Tests::default()))
            .both(events::RESULT[0], events::RESULT[1]),
        LineFormat::new(&["> Task :", "What went wrong:", "BUILD SUCCESSFUL in ", "BUILD FAILED in "], |_| {
            Box::new(build::Build::default())
        }),
        LineFormat::rows(SIGNS, &JAVAC),
        LineFormat::rows(SIGNS, &kotlinc::TEXT),
        LineFormat::new(&["[ant:checkstyle]"], |_| checkstyle::PLAIN.reader(false)),
    ])
    .merge(one_candidate);

const SIGNS: &[&str] = &["> Task :", ":compileJava FAILED", ":compileKotlin FAILED"];

static JAVAC: Rows = javac::rows("javac", SIGNS);

/// Merges the candidates of both streams. Without any line of Gradle, the compilers' own tools read this output.
fn one_candidate(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let is_of_gradle =
        candidates.iter().any(|(_, candidate)| candidate.format == build::FORMAT || candidate.tests.is_some());
    outcome::merge(candidates, build::FORMAT).filter(|_| is_of_gradle)
}
