//! A route of the API. Router and description are made from one list of these, so that they cannot differ.

use std::sync::Arc;

use axum::routing::MethodRouter;
use schemars::{Schema, SchemaGenerator};

use crate::service::Service;

/// A route.
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
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is about.
    pub(crate) meaning: &'static str,
    /// Its schema.
    pub(crate) schema: Shape,
}

/// A schema that is made when it is asked for.
pub(crate) type Shape = fn(&mut SchemaGenerator) -> Schema;

/// The body of an answer.
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
