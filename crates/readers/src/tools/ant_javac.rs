//! Ant's `javac` task, which writes its name before each line of the compiler:
//! `    [javac] src/App.java:3: error: …`.

use crate::prelude::*;
use crate::tools::javac;

/// The Java compiler under Ant.
pub(crate) static TOOL: Tool =
    Tool::new("ant-javac", &["ant"], Role::Compile).lines(&[LineFormat::rows(javac::PREFILTER, &TEXT)]);

/// The prefix that Ant writes before the lines is the sign of its task.
static TEXT: Rows = javac::rows("ant-javac", &["   [javac] "]);
