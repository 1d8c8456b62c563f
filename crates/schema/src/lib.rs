//! JSON Schema: the [`validator`], and the [`published`] schemas of Referee's documents from `schemas/`.
//!
//! Nothing here generates schemas: `cargo xtask` writes the files from the types of the documents.
#![warn(missing_docs)]

pub mod validator;

pub mod published;
