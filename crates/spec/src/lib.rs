//! Loads specifications: checks a document, and turns it into a plan.
//!
//! In order of the data flow: a file is found and read into a [`source::Source`], its text is parsed into one
//! [`tree`](referee_syntax::tree) with positions whatever its format, the tree is checked against the shape of
//! its [`form`], a document in the short form is converted to the full form, the full form is read for its
//! meaning, and a document without errors becomes a plan. Each stage adds its complaints to one list; none
//! stops at the first.
//! Nothing here asks whether the files that checks name exist: that is a fact of the run.

pub mod source;

pub mod complaint;

pub mod error;

pub mod discover;

pub mod form;

pub mod read;

mod word;

mod quantity;

mod glob;

mod tool;

pub mod check;

mod variables;

mod http;

mod service;

mod task;

mod problem;

mod collectable;

mod expectation;

mod conditions;

mod guard;

mod short;

mod full;

mod order;

pub mod project_file;

pub mod expand;

mod masking;

pub mod plan;

pub mod remains;

pub mod compare;

pub mod detect;

pub mod protect;

pub mod workflow;

pub use crate::complaint::{Complaint, Level};
pub use crate::error::SpecError;
pub use crate::plan::{Loaded, Options, load, load_text};
pub use crate::remains::{Remains, remains};
