//! Who made a request, and what they may do.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use referee_model::access::{Actor, Role};

use crate::problem::Problem;
use crate::role::Need;

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

    /// Checks that the caller may do what needs a role.
    pub(crate) fn may(&self, need: Need) -> Result<(), Problem> {
        match need {
            Need::Role(role) if self.role < role => Err(Problem::forbidden(format!(
                "a {} may not do this: it takes the role `{}`",
                self.role.as_str(),
                role.as_str()
            ))),
            Need::Role(_) | Need::Nothing => Ok(()),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Problem::internal("nobody asked who this is"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_may_read_and_an_operator_may_do_both() {
        let may = |role, need| Caller { who: Actor::ServerToken, role }.may(Need::Role(need));
        assert!(may(Role::Viewer, Role::Viewer).is_ok() && may(Role::Operator, Role::Viewer).is_ok());
        assert!(may(Role::Operator, Role::Operator).is_ok());
        let refused = may(Role::Viewer, Role::Operator).unwrap_err();
        assert_eq!((refused.status.as_u16(), refused.class), (403, crate::api::ProblemClass::Auth));
        assert!(Caller::unknown().may(Need::Nothing).is_ok());
    }
}
