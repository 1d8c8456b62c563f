//! A route of the API. Router and description are made from one list of these, so that they cannot differ.

use std::sync::Arc;

use axum::routing::MethodRouter;

use crate::service::Service;

/// A route.
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "the description is made elsewhere"))]
pub(crate) struct Route {
    /// How it is asked.
    pub(crate) method: Method,
    /// Its path, with parameters in braces.
    pub(crate) path: &'static str,
    /// Its name, for programs.
    pub(crate) name: &'static str,
    /// What it does, in a sentence.
    pub(crate) summary: &'static str,
    /// What stands in its query. What stands in its path is told from that.
    pub(crate) query: &'static [Parameter],
    /// What is sent to it. None: nothing.
    pub(crate) body: Option<Shape>,
    /// What it answers where it did what was asked: the status, and its body.
    pub(crate) answer: (u16, Answer),
    /// Another answer where it did what was asked, such as 202.
    pub(crate) also: Option<(u16, Answer)>,
    /// The statuses of its refusals, beside those of all routes.
    pub(crate) refusals: &'static [u16],
    /// Whether an approver's credential is needed beside the token (ruling 27).
    pub(crate) needs_approver: bool,
    /// What does it.
    pub(crate) handler: fn() -> MethodRouter<Arc<Service>>,
}

/// How a route is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// It changes nothing.
    Get,
    /// It changes something.
    Post,
}

/// A parameter of a query.
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "the description is made elsewhere"))]
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is about.
    pub(crate) meaning: &'static str,
    /// Its schema.
    pub(crate) schema: Shape,
}

/// A schema, for the description of the API. Nothing, where none is made.
#[derive(Clone, Copy)]
pub(crate) struct Shape(#[cfg(feature = "schema")] pub(crate) fn(&mut schemars::SchemaGenerator) -> schemars::Schema);

impl Shape {
    /// The schema of a type.
    pub(crate) const fn of<T: Described>() -> Self {
        Self(
            #[cfg(feature = "schema")]
            schemars::SchemaGenerator::subschema_for::<T>,
        )
    }
}

/// What a schema can be made of.
#[cfg(feature = "schema")]
pub(crate) use schemars::JsonSchema as Described;

/// What a schema could be made of: anything.
#[cfg(not(feature = "schema"))]
pub(crate) trait Described {}

#[cfg(not(feature = "schema"))]
impl<T> Described for T {}

/// The schema that this JSON is.
macro_rules! shape {
    ($json:tt) => {
        $crate::route::Shape(
            #[cfg(feature = "schema")]
            |_| schemars::json_schema!($json),
        )
    };
}
pub(crate) use shape;

/// The body of an answer.
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "the description is made elsewhere"))]
pub(crate) enum Answer {
    /// JSON of this schema.
    Json(Shape),
    /// Any JSON document whose schema is published elsewhere.
    Document,
    /// Bytes of this media type.
    Bytes(&'static str),
    /// Server-sent events.
    Events,
}
