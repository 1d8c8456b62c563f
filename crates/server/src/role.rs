//! What each route asks of whoever calls it. No other place says so: `auth` and the OpenAPI description ask here.
//!
//! A route that only reads is a viewer's. Where reading an incident finds a changed plan, an operator's look moves
//! the incident back before a person, and a viewer's look does not (`approval::inspect`).

use axum::http::Method as HttpMethod;
use referee_model::access::Role;

use crate::caller::Caller;
use crate::problem::Problem;
use crate::route::Method;

/// What a route asks of its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// The route is open to everybody.
    Nothing,
    /// At least this role.
    Role(Role),
}

impl Need {
    /// Checks that a caller may do what needs this.
    pub(crate) fn check(self, caller: &Caller) -> Result<(), Problem> {
        match self {
            Self::Role(role) if caller.role < role => Err(Problem::forbidden(format!(
                "a {} may not do this: it takes the role `{}`",
                caller.role.as_str(),
                role.as_str()
            ))),
            Self::Role(_) | Self::Nothing => Ok(()),
        }
    }
}

const NOTHING: Need = Need::Nothing;
const VIEWER: Need = Need::Role(Role::Viewer);
const OPERATOR: Need = Need::Role(Role::Operator);

/// What each route needs, by method and path as the router has it.
#[rustfmt::skip]
const NEEDS: &[(Method, &str, Need)] = &[
    (Method::Get, "/api/health", NOTHING),
    (Method::Get, "/api/openapi.json", VIEWER),
    (Method::Get, "/api/events", VIEWER),
    (Method::Get, "/api/handbacks", VIEWER),
    (Method::Get, "/api/errors/incidents", VIEWER),
    (Method::Post, "/api/errors/incidents", OPERATOR),
    (Method::Get, "/api/errors/incidents/{id}", VIEWER),
    (Method::Get, "/api/errors/incidents/{id}/events", VIEWER),
    (Method::Post, "/api/errors/incidents/{id}/archive", OPERATOR),
    (Method::Post, "/api/errors/incidents/{id}/reopen", OPERATOR),
    (Method::Post, "/api/errors/incidents/{id}/plan", OPERATOR),
    (Method::Post, "/api/errors/incidents/plan-all", OPERATOR),
    (Method::Post, "/api/errors/incidents/{id}/approve", OPERATOR),
    (Method::Post, "/api/errors/incidents/{id}/reject", OPERATOR),
    (Method::Post, "/api/errors/incidents/{id}/handoff", OPERATOR),
    (Method::Post, "/api/errors/incidents/{id}/recall", OPERATOR),
    (Method::Post, "/api/errors/incidents/{id}/ack", OPERATOR),
    (Method::Post, "/api/errors/incidents/{id}/handback", OPERATOR),
    (Method::Post, "/api/errors/incidents/{id}/go", OPERATOR),
    (Method::Get, "/api/runs", VIEWER),
    (Method::Get, "/api/runs/{task}", VIEWER),
    (Method::Get, "/api/runs/{task}/{execution}", VIEWER),
    (Method::Get, "/api/runs/{task}/{execution}/report", VIEWER),
    (Method::Get, "/api/runs/{task}/{execution}/verification", VIEWER),
    (Method::Get, "/api/runs/{task}/{execution}/evidence", VIEWER),
    (Method::Get, "/api/runs/{task}/{execution}/evidence/{name}", VIEWER),
    (Method::Get, "/api/runs/{task}/{execution}/actions/{action}/log", VIEWER),
    (Method::Get, "/api/runs/{task}/{execution}/actions/{action}/diagnostics", VIEWER),
    (Method::Get, "/api/diagnostics", VIEWER),
    (Method::Get, "/api/debt", VIEWER),
    (Method::Get, "/api/debt/{debt}", VIEWER),
    (Method::Get, "/api/loops", VIEWER),
    (Method::Get, "/api/orders", VIEWER),
    (Method::Post, "/api/orders/{order}/cancel", OPERATOR),
    (Method::Get, "/", VIEWER),
    (Method::Get, "/incidents/{id}", VIEWER),
    (Method::Get, "/runs", VIEWER),
    (Method::Get, "/runs/{task}", VIEWER),
    (Method::Get, "/runs/{task}/{action}", VIEWER),
    (Method::Post, "/incidents/{id}/{operation}", OPERATOR),
    (Method::Get, "/loops", VIEWER),
    (Method::Get, "/orders", VIEWER),
    (Method::Post, "/orders/{order}/cancel", OPERATOR),
    (Method::Get, "/assets/{name}", NOTHING),
    (Method::Get, "/login", NOTHING),
    (Method::Post, "/login", NOTHING),
    (Method::Get, "/login/provider", NOTHING),
    (Method::Get, "/login/callback", NOTHING),
    (Method::Post, "/logout", VIEWER),
];

/// Returns what a request needs. A request that no route answers reads like a viewer, or changes like an operator.
pub(crate) fn need(method: &HttpMethod, path: Option<&str>) -> Need {
    let reads = matches!(*method, HttpMethod::GET | HttpMethod::HEAD);
    let method = match *method {
        HttpMethod::GET | HttpMethod::HEAD => Some(Method::Get),
        HttpMethod::POST => Some(Method::Post),
        _ => None,
    };
    let listed = path.zip(method).and_then(|(path, method)| of_route(method, path));
    listed.unwrap_or(if reads { VIEWER } else { OPERATOR })
}

/// Returns what a route needs. None: it is not listed.
pub(crate) fn of_route(method: Method, path: &str) -> Option<Need> {
    NEEDS.iter().find(|(listed, at, _)| *listed == method && *at == path).map(|(.., need)| *need)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use referee_model::access::Actor;

    use super::*;
    use crate::{http, page, sign_in};

    #[test]
    fn every_route_says_what_it_needs_and_no_other_does() {
        let api = http::routes().into_iter().map(|route| (route.method, route.path));
        let pages = page::routes().into_iter().chain(sign_in::routes()).map(|(method, path, _)| (method, path));
        let routes: Vec<_> = api.chain(pages).collect();
        for (method, path) in &routes {
            assert!(of_route(*method, path).is_some(), "{method:?} {path} needs nobody knows what");
        }
        let word = |(method, path): (Method, &str)| format!("{method:?} {path}");
        let known: BTreeSet<String> = routes.into_iter().map(word).collect();
        let listed: Vec<String> = NEEDS.iter().map(|(method, path, _)| word((*method, *path))).collect();
        assert_eq!(known, listed.iter().cloned().collect::<BTreeSet<_>>());
        assert_eq!(listed.len(), known.len(), "a route is listed twice");
    }

    #[test]
    fn a_viewer_may_read_and_an_operator_may_do_both() {
        let check = |role, need| Need::Role(need).check(&Caller { who: Actor::ServerToken, role });
        assert!(check(Role::Viewer, Role::Viewer).is_ok() && check(Role::Operator, Role::Viewer).is_ok());
        assert!(check(Role::Operator, Role::Operator).is_ok());
        let refused = check(Role::Viewer, Role::Operator).unwrap_err();
        assert_eq!((refused.status.as_u16(), refused.class), (403, crate::api::ProblemClass::Auth));
        assert!(NOTHING.check(&Caller::unknown()).is_ok());
    }

    #[test]
    fn what_changes_something_is_no_viewers() {
        let of_everybody = ["/login", "/logout"];
        for &(method, path, need) in NEEDS {
            let is_right = match method {
                Method::Get => need <= VIEWER,
                Method::Post => need == OPERATOR || of_everybody.contains(&path),
            };
            assert!(is_right, "{method:?} {path}: {need:?}");
        }
    }

    #[test]
    fn what_no_route_answers_is_refused_by_the_same_rule() {
        assert_eq!(need(&HttpMethod::HEAD, Some("/api/health")), NOTHING);
        assert_eq!(need(&HttpMethod::GET, None), VIEWER);
        for method in [HttpMethod::PUT, HttpMethod::DELETE, HttpMethod::PATCH, HttpMethod::OPTIONS, HttpMethod::POST] {
            assert_eq!(need(&method, Some("/api/health")), OPERATOR);
        }
    }
}
