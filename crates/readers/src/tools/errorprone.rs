//! Error Prone, a plugin of the Java compiler. The codes of its findings are the names of its checks, with a
//! link below: `    (see https://errorprone.info/bugpattern/StringSplitter)`.

use crate::prelude::*;
use crate::tools::javac::{Flavour, Javac, PREFILTER};
use crate::tools::maven::compiler::Compiler;

/// Error Prone, under the compiler or under Maven's compiler plugin.
pub(crate) static TOOL: Tool = Tool::new("errorprone", &["error-prone"], Role::Compile)
    .lines(&[
        LineFormat::new(PREFILTER, |is_hinted| Box::new(Javac::new(&FLAVOUR, is_hinted))),
        LineFormat::new(&["[ERROR] ", "[WARNING] "], |is_hinted| Box::new(Compiler::new(&FLAVOUR, is_hinted))),
    ])
    .merge(candidate::together);

const SIGNS: &[&str] = &["errorprone.info/bugpattern"];

static FLAVOUR: Flavour = Flavour { tool: "errorprone", rule: "errorprone/text", signs: SIGNS };
