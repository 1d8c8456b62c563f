//! Error Prone, a plugin of the Java compiler. The codes of its findings are the names of its checks, with a
//! link below: `    (see https://errorprone.info/bugpattern/StringSplitter)`.

use crate::prelude::*;
use crate::tools::javac;
use crate::tools::maven::compiler;

/// Error Prone, under the compiler or under Maven's compiler plugin.
pub(crate) static TOOL: Tool = Tool::new("errorprone", &["error-prone"], Role::Compile)
    .lines(&[LineFormat::rows(javac::PREFILTER, &TEXT), LineFormat::rows(&["[ERROR] ", "[WARNING] "], &IN_MAVEN)])
    .merge(candidate::together);

const SIGNS: &[&str] = &["errorprone.info/bugpattern"];

static TEXT: Rows = javac::rows("errorprone", SIGNS);

static IN_MAVEN: Rows = compiler::rows("errorprone", SIGNS);
