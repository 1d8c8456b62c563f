//! Maven: what its compiler plugin lists, what Surefire and Failsafe say of tests, and why a build failed.
//!
//! Maven puts `[INFO] `, `[WARNING] ` or `[ERROR] ` before what it says itself; what tests print stands bare. A build that
//! fails says again what its compiler said.

mod build;
mod surefire;

pub(crate) mod compiler;

use crate::prelude::*;
use crate::tools::javac::{Flavour, Javac};

pub(crate) static TOOL: Tool = Tool::new("maven", &["mvn", "surefire", "maven-surefire", "failsafe"], Role::Test)
    .lines(&[
        LineFormat::new(&["Tests run: ", "T E S T S", "<<< "], |_| Box::new(surefire::Surefire::default())),
        LineFormat::new(&["[ERROR] ", "[WARNING] ", "[WARN] "], |is_hinted| {
            Box::new(compiler::Compiler::new(&COMPILER, is_hinted))
        }),
        LineFormat::new(SIGNS, |is_hinted| Box::new(Javac::new(&COMPLETE, is_hinted))),
        LineFormat::new(SIGNS, |_| Box::new(build::Build::default())),
    ])
    .merge(one_candidate);

const SIGNS: &[&str] = &[
    "[INFO] Scanning for projects",
    "[INFO] BUILD ",
    "[INFO] --- ",
    "[INFO] Compiling ",
    "[ERROR] COMPILATION ERROR",
    "[ERROR] Failed to execute goal",
    "[ERROR] The build could not read",
    "[INFO] Reactor Summary",
];

const FLAVOUR: Flavour = Flavour { tool: "maven", rule: "maven/text", signs: SIGNS };

static COMPLETE: Flavour = FLAVOUR;

/// A place behind a level is sign enough.
static COMPILER: Flavour = Flavour { signs: &[], ..FLAVOUR };

/// Makes one claim of both streams. Why a build failed is a finding only where nothing else says it.
pub(crate) fn one_candidate(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let (mut build, others): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|(_, candidate)| candidate.format == build::FORMAT);
    let said = build.iter_mut().find_map(|(_, candidate)| candidate.tests.take());
    let is_told = others.iter().any(|(_, candidate)| 0 < candidate.gravity().0);
    if is_told {
        build.clear();
    }
    let mut candidate = candidate::together(others.into_iter().chain(build).collect())?;
    candidate.tests = candidate::or_said(candidate.tests, said);
    Some(candidate)
}
