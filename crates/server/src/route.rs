//! Routes of the API. Router and OpenAPI description are generated from the same list, so they cannot differ.

use std::sync::Arc;

use axum::routing::MethodRouter;

use crate::service::Service;

/// A route of the API.
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "the description is made elsewhere"))]
pub(crate) struct Route {
    pub(crate) method: Method,
    /// Path, with parameters in braces.
    pub(crate) path: &'static str,
    /// Name of the operation, for programs.
    pub(crate) name: &'static str,
    /// Description, one sentence.
    pub(crate) summary: &'static str,
    /// Query parameters. Path parameters are derived from the path.
    pub(crate) query: &'static [Parameter],
    /// Schema of the body. `None`: there is no body.
    pub(crate) body: Option<Shape>,
    /// Status and body of the response on success.
    pub(crate) answer: (u16, Answer),
    /// Another response on success, such as 202. `None`: there is only one.
    pub(crate) also: Option<(u16, Answer)>,
    /// Error statuses beside those of all routes.
    pub(crate) refusals: &'static [u16],
    /// Whether an approver's credential is required in addition to the token (ruling 27).
    pub(crate) needs_approver: bool,
    pub(crate) handler: fn() -> MethodRouter<Arc<Service>>,
}

/// Method of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// The route changes nothing.
    Get,
    /// The route changes something.
    Post,
}

/// A query parameter.
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "the description is made elsewhere"))]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// Description of the parameter.
    pub(crate) meaning: &'static str,
    pub(crate) schema: Shape,
}

/// A schema for the OpenAPI description. Empty if the description is not generated.
#[derive(Clone, Copy)]
pub(crate) struct Shape(#[cfg(feature = "schema")] pub(crate) fn(&mut schemars::SchemaGenerator) -> schemars::Schema);

impl Shape {
    /// Returns the schema of a type.
    pub(crate) const fn of<T: Described>() -> Self {
        Self(
            #[cfg(feature = "schema")]
            schemars::SchemaGenerator::subschema_for::<T>,
        )
    }
}

/// Types with a schema.
#[cfg(feature = "schema")]
pub(crate) use schemars::JsonSchema as Described;

/// Types with a schema: any type, since no description is generated.
#[cfg(not(feature = "schema"))]
pub(crate) trait Described {}

#[cfg(not(feature = "schema"))]
impl<T> Described for T {}

/// Creates a [`Shape`] from a JSON schema.
macro_rules! shape {
    ($json:tt) => {
        $crate::route::Shape(
            #[cfg(feature = "schema")]
            |_| schemars::json_schema!($json),
        )
    };
}
pub(crate) use shape;

/// Body of a response.
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "the description is made elsewhere"))]
pub(crate) enum Answer {
    /// JSON with this schema.
    Json(Shape),
    /// A JSON document with a schema that is published elsewhere.
    Document,
    /// Bytes of this media type.
    Bytes(&'static str),
    /// Server-sent events.
    Events,
}
