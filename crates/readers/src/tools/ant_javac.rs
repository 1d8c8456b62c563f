//! Ant's `javac` task, which puts its name before every line of the compiler: `    [javac] src/App.java:3: error: …`.

use referee_model::plan::Role;

use crate::candidate;
use crate::tool::{LineFormat, Tool};
use crate::tools::javac::{Flavour, Javac, PREFILTER};

/// Ant around the Java compiler.
pub(crate) const TOOL: Tool = Tool {
    name: "ant-javac",
    aliases: &["ant"],
    role: Role::Compile,
    lines: &[LineFormat { prefilter: PREFILTER, reader: |is_hinted| Box::new(Javac::new(&FLAVOUR, is_hinted)) }],
    documents: &[],
    merge: candidate::gravest,
};

/// What Ant puts before the lines.
const SIGNS: &[&str] = &["   [javac] "];

static FLAVOUR: Flavour = Flavour { tool: "ant-javac", rule: "ant-javac/text", signs: SIGNS };
