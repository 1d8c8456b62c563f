//! javadoc: the compiler's findings, and in older versions
//! `App.java:94: warning - @param argument "x" is not …`.

use crate::prelude::*;
use crate::tools::javac;

pub(crate) static TOOL: Tool = Tool::new("javadoc", &[], Role::Lint).lines(&[LineFormat::rows(PREFILTER, &TEXT)]);

/// Texts before or in its findings.
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

static TEXT: Rows = javac::rows("javadoc", SIGNS);
