//! HTTP routes of the API, and the middleware around them.

use std::sync::Arc;

use axum::Router;
use axum::middleware;
use axum::routing::{MethodRouter, get, post};

use crate::problem::Problem;
use crate::route::{Method, Route};
use crate::service::Service;
use crate::{auth, depot_loops, orders, page, runs, sign_in};

mod frame;

mod form;

mod reading;

mod mutations;

mod loop_routes;

mod general;

mod table;

/// Returns the router of the server, with its middleware.
pub(crate) fn router(service: &Arc<Service>) -> Router {
    let mut router = Router::new();
    for route in routes() {
        router = router.route(route.path, offered(service, (route.method, route.path), (route.handler)()));
    }
    for (method, path, handler) in page::routes().into_iter().chain(sign_in::routes()) {
        router = router.route(path, offered(service, (method, path), handler));
    }
    router
        .fallback(async || Problem::unknown("there is nothing at this address"))
        .method_not_allowed_fallback(async || Problem::method())
        .layer(middleware::from_fn(frame::bodies))
        .layer(middleware::from_fn(frame::in_time))
        .layer(middleware::from_fn_with_state(Arc::clone(service), auth::guard))
        .layer(middleware::from_fn_with_state(Arc::clone(service), page::for_people))
        .layer(middleware::from_fn_with_state(Arc::clone(service), frame::headers))
        .with_state(Arc::clone(service))
}

/// Prefixes of what a machine keeps for itself, and of what machines share.
const OF_A_PROJECT: [&str; 6] =
    ["/api/errors/", "/api/events", "/api/handbacks", "/api/diagnostics", "/api/debt", "/incidents/"];
const OF_A_FLEET: [&str; 4] = ["/api/orders", "/orders", "/api/loops", "/loops"];

/// Returns the handler of a route, or one that says why it is not there.
fn offered(
    service: &Arc<Service>,
    (method, path): (Method, &str),
    handler: MethodRouter<Arc<Service>>,
) -> MethodRouter<Arc<Service>> {
    let is_among = |prefixes: &[&str]| prefixes.iter().any(|prefix| path.starts_with(prefix));
    let missing = [
        service.project().err().filter(|_| is_among(&OF_A_PROJECT)),
        service.fleet().err().filter(|_| is_among(&OF_A_FLEET)),
    ];
    let Some(problem) = missing.into_iter().flatten().next() else { return handler };
    let refuse = async move || problem.clone();
    match method {
        Method::Get => get(refuse),
        Method::Post => post(refuse),
    }
}

pub(crate) fn routes() -> Vec<Route> {
    let mut routes = table::routes();
    routes.extend(runs::routes());
    routes.extend(orders::routes());
    routes.push(depot_loops::route());
    routes
}
