//! What a specification may look like, as data (rulings 1 and 2).
//!
//! The document's shape is declared once, in [`SHORT_FORM`]. The published JSON Schema is derived from it here, and
//! `referee-spec` interprets the same declaration over the text with positions, so the two cannot say different things.

pub mod schema;
pub mod shape;
pub mod short;

pub use schema::schema;
pub use short::SHORT_FORM;
