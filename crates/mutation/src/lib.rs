//! Planted defects. Text goes in, and texts with one defect each come out: [`mutants`] of a program, found again in a changed
//! file by [`fit`], and files that a compiler, a type checker or a formatter must complain about ([`syntax_break`],
//! [`type_error`], [`lint_violations`], [`unformatted`]). [`hollowed`] tells which tests a change emptied. Trees are made by tree-sitter, so that
//! a file that does not compile is read, too. Nothing is drawn, timed or read here: whoever asks picks.

mod call;
mod exclusion;
mod grammar;
mod kind;
mod names;
mod operators;
mod scope;
mod source;
mod test;

mod mutation;

mod defect;
mod fit;
mod hollow;

mod answer;

pub use answer::answer;
pub use defect::{lint_violations, syntax_break, type_error, unformatted};
pub use fit::{fit, fits};
pub use hollow::hollowed;
pub use mutation::mutants;
pub use source::{FILE_BYTES_MAX, Refusal};
