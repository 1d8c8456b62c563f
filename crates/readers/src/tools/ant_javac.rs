//! Ant's `javac` task, which writes its name before each line of the compiler:
//! `    [javac] src/App.java:3: error: …`.

use crate::prelude::*;
use crate::tools::javac::{Flavour, Javac, PREFILTER};

/// The Java compiler under Ant.
pub(crate) static TOOL: Tool = Tool::new("ant-javac", &["ant"], Role::Compile)
    .lines(&[LineFormat::new(PREFILTER, |is_hinted| Box::new(Javac::new(&FLAVOUR, is_hinted)))]);

/// Prefix that Ant writes before the lines.
const SIGNS: &[&str] = &["   [javac] "];

static FLAVOUR: Flavour = Flavour { tool: "ant-javac", rule: "ant-javac/text", signs: SIGNS };
