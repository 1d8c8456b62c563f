//! Ant's `javac` task, which puts its name before every line of the compiler: `    [javac] src/App.java:3: error: …`.

use crate::prelude::*;
use crate::tools::javac::{Flavour, Javac, PREFILTER};

/// Ant around the Java compiler.
pub(crate) static TOOL: Tool = Tool::new("ant-javac", &["ant"], Role::Compile)
    .lines(&[LineFormat::new(PREFILTER, |is_hinted| Box::new(Javac::new(&FLAVOUR, is_hinted)))]);

/// What Ant puts before the lines.
const SIGNS: &[&str] = &["   [javac] "];

static FLAVOUR: Flavour = Flavour { tool: "ant-javac", rule: "ant-javac/text", signs: SIGNS };
