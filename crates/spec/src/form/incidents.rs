//! Whether failed runs become incidents automatically, in both forms. Not part of the original schema.

use super::keys::object;
use super::shape::{Others, Shape};
use super::terms::optional;

object!(pub(super) INCIDENTS: Incidents {
    name: "incidents",
    what: "a way to make incidents",
    doc: "What failed runs leave as incidents.",
    fields: &[capture: optional(
        "Whether a failed `referee run` is captured as an incident by itself. It never changes how the run came out. Default \
         false.",
        Shape::Boolean,
    )],
    others: Others::Refused,
});

/// Description of the key.
pub(super) const DOC: &str = "What failed runs leave as incidents.";
