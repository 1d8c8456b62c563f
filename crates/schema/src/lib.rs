//! JSON Schema: the one [`validator`], and the [`published`] schemas of Referee's documents as they stand in `schemas/`.
//!
//! Nothing in here makes a schema: `cargo xtask` writes the files, from the types that write and read the documents.
#![warn(missing_docs)]

pub mod validator;

pub mod published;
