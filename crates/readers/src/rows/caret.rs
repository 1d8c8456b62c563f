//! Compilers that print the source line and a caret below the message, such as javac, kotlinc and scalac:
//!
//! ```text
//! src/App.java:14: error: cannot find symbol
//!         undefined(a);
//!         ^
//!   symbol:   method undefined(int)
//! ```
//!
//! The lines between the heading and the source line belong to the message; javac also adds text below the
//! caret.

use referee_model::reading::Diagnostic;

use crate::pattern::Groups;
use crate::rows::{Row, part};

/// A caret, which may be extended by tildes.
pub(crate) const CARET: &str = r"^\s*\^[\^~]*$";

/// Creates the rows of the lines below a heading, up to the caret.
pub(crate) const fn rows() -> [Row; 2] {
    [part(CARET).caret().last(), part("^(?<source>.*)$").held().check(is_part)]
}

/// Whether a line can stand between heading and caret: it does not begin like the output of other programs.
pub(crate) fn is_part(_: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    const OTHERS: &[&str] =
        &["> Task ", "FAILURE: ", "BUILD ", "[INFO]", "[ERROR]", "[WARN", "Note: ", "* What went wrong"];
    !OTHERS.iter().any(|other| found.matched().starts_with(other))
}
