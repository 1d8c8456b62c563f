//! The shape of specifications, as data (rulings 1 and 2).
//!
//! The shape of each form is declared once, in [`SHORT_FORM`] and [`FULL_FORM`]. The published JSON Schemas are
//! derived from it here, and [`check`](crate::check) interprets the same declarations over the text with
//! positions, so the two cannot differ.

#![expect(clippy::pub_underscore_fields, reason = "a member that begins so has no effect")]

pub mod full;
pub mod http;
mod incidents;
pub mod keys;
mod policy;
pub mod report;
pub mod schema;
pub mod shape;
pub mod short;
pub mod terms;

pub use full::FULL_FORM;
pub use schema::{full_schema, schema};
pub use short::SHORT_FORM;
