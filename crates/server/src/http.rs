//! HTTP routes of the API, and the middleware around them.

use std::sync::Arc;

use axum::Router;
use axum::middleware;

use crate::problem::Problem;
use crate::route::Route;
use crate::service::Service;
use crate::{auth, page, runs, sign_in};

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
        router = router.route(route.path, (route.handler)());
    }
    for (_, path, handler) in page::routes().into_iter().chain(sign_in::routes()) {
        router = router.route(path, handler);
    }
    router
        .fallback(async || Problem::unknown("there is nothing at this address"))
        .method_not_allowed_fallback(async || Problem::method())
        .layer(middleware::from_fn(frame::bodies))
        .layer(middleware::from_fn(frame::in_time))
        .layer(middleware::from_fn_with_state(Arc::clone(service), auth::guard))
        .layer(middleware::from_fn(page::for_people))
        .layer(middleware::from_fn_with_state(Arc::clone(service), frame::headers))
        .with_state(Arc::clone(service))
}

pub(crate) fn routes() -> Vec<Route> {
    let mut routes = table::routes();
    routes.extend(runs::routes());
    routes
}
