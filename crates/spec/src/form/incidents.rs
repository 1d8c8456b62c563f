//! Whether failed runs become incidents automatically, in both forms. Not part of the original schema.

use super::keys::object;
use super::shape::Shape;
use super::terms::optional;

object! {
    /// What failed runs leave as incidents.
    pub(super) INCIDENTS: Incidents = "incidents", "a way to make incidents" {
        /// Whether a failed `referee run` is captured as an incident by itself. It never changes how the run came out.
        /// Default false.
        capture: optional(Shape::Boolean),
    }
}

/// Description of the key.
pub(super) const DOC: &str = "What failed runs leave as incidents.";
