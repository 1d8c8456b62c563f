//! Maven: findings of its compiler plugin, test results of Surefire and Failsafe, and the reason why a build
//! failed.
//!
//! Maven prints its own messages with `[INFO] `, `[WARNING] ` or `[ERROR] `, and output of tests without a
//! prefix. A failed build repeats its compiler's messages.

mod build;
mod surefire;

pub(crate) mod compiler;

use crate::prelude::*;
use crate::shapes::outcome;
use crate::tools::javac;

pub(crate) static TOOL: Tool = Tool::new("maven", &["mvn", "surefire", "maven-surefire", "failsafe"], Role::Test)
    .lines(&[
        LineFormat::new(&["Tests run: ", "T E S T S", "<<< "], |_| Box::new(surefire::Surefire::default())),
        LineFormat::rows(&["[ERROR] ", "[WARNING] ", "[WARN] "], &COMPILER),
        LineFormat::rows(SIGNS, &JAVAC),
        LineFormat::new(SIGNS, |_| Box::new(build::Build::default())),
    ])
    .merge(|candidates| outcome::merge(candidates, build::FORMAT));

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

static JAVAC: Rows = javac::rows("maven", SIGNS);

/// A location after a level identifies the format; no other sign is needed.
static COMPILER: Rows = compiler::rows("maven", &[]);
