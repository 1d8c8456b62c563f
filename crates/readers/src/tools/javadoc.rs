//! javadoc: what the compiler prints, and in older versions `App.java:94: warning - @param argument "x" is not …`.

use referee_model::plan::Role;

use crate::candidate;
use crate::tool::{LineFormat, Tool};
use crate::tools::javac::{Flavour, Javac};

pub(crate) const TOOL: Tool = Tool {
    name: "javadoc",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: PREFILTER, reader: |is_hinted| Box::new(Javac::new(&FLAVOUR, is_hinted)) }],
    documents: &[],
    merge: candidate::gravest,
};

/// What comes before or in its findings.
const PREFILTER: &[&str] = &[
    ".java:",
    "Constructing Javadoc information...",
    "Standard Doclet version ",
    "Loading source file ",
    "javadoc: warning",
    "javadoc: error",
    "Javadoc Warnings",
    "while generating Javadoc",
];

const SIGNS: &[&str] = &[
    "Constructing Javadoc information...",
    "Standard Doclet version ",
    "javadoc: warning",
    "javadoc: error",
    "Javadoc Warnings",
    "while generating Javadoc",
    "warning - @",
    "warning - Tag @",
];

static FLAVOUR: Flavour = Flavour { tool: "javadoc", rule: "javadoc/text", signs: SIGNS };
