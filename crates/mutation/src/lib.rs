//! Planted defects: [`mutants`] of a program, located again in a changed file by [`fit`], and files that a
//! compiler, a linter, a type checker or a formatter must reject ([`syntax_break`], [`type_error`],
//! [`lint_violations`], [`unformatted`]). [`hollowed`] returns the tests that a change emptied. Parsing uses
//! tree-sitter, so that files that do not compile can be processed too. Pure functions of text, without
//! randomness, time or I/O: the caller selects.

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
