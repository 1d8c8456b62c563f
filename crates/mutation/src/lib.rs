//! Planted defects: text goes in, and [`mutants`] come out, each with one change of what the program does.

mod call;
mod exclusion;
mod kind;
mod language;
mod names;
mod operators;
mod scope;
mod source;
mod test;

mod mutant;
mod mutation;

pub use language::Language;
pub use mutant::{Anchor, Mutant, Operator};
pub use mutation::mutants;
pub use source::{FILE_BYTES_MAX, Refusal};
