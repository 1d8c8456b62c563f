//! Who made a request, and what they may do.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use referee_model::access::{Actor, Role};

use crate::problem::Problem;

/// Who made a request, and what they may do. Found by `auth` before any handler runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) who: Actor,
    pub(crate) role: Role,
}

impl Caller {
    /// Returns the caller who proved nothing.
    pub(crate) fn unknown() -> Self {
        Self { who: Actor::Unknown, role: Role::Viewer }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Problem::internal("nobody asked who this is"))
    }
}
