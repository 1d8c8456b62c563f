//! Pages for people: incidents and runs. Rendered by the server; they work without JavaScript.
//!
//! All foreign text passes through [`harmless`] before a template sees it, and templates escape HTML. Nothing is
//! loaded from other servers, and documents contain no inline script or style.

use std::sync::Arc;

use askama::Template;
use axum::extract::Path;
use axum::routing::{MethodRouter, get, post};

use self::frame::{Frame, Part};
pub(crate) use self::refusal::for_people;
use crate::route::Method;
use crate::service::Service;

mod harmless;

mod moment;

mod form;

mod asset;

mod frame;

mod refusal;

mod state;

mod tone;

mod board;

mod mutation;

mod kept;

mod tail;

mod turns;

mod remedy;

mod history;

mod incident_view;

mod apply;

mod incident;

mod library;

mod runs;

mod loops;
mod orders;

mod run;

mod log;

pub(crate) fn routes() -> Vec<(Method, &'static str, MethodRouter<Arc<Service>>)> {
    vec![
        (Method::Get, "/", get(board::show)),
        (Method::Get, "/incidents/{id}", get(incident::show)),
        (Method::Post, "/incidents/{id}/{operation}", post(incident::act)),
        (Method::Get, "/runs", get(runs::show)),
        (Method::Get, "/runs/{task}", get(run::show)),
        (Method::Get, "/runs/{task}/{action}", get(log::show)),
        (Method::Get, "/loops", get(loops::show)),
        (Method::Get, "/orders", get(orders::show)),
        (Method::Post, "/orders/{order}/cancel", post(orders::cancel)),
        (Method::Get, "/assets/{name}", get(async |Path(name): Path<String>| asset::serve(&name))),
    ]
}

#[derive(Template)]
#[template(path = "login.html")]
struct Door {
    frame: Frame,
    /// Why nobody was signed in.
    said: Option<String>,
    /// Issuer at which people sign in.
    provider: Option<String>,
}

/// Returns the login page.
pub(crate) fn login(said: Option<&str>, provider: Option<&str>) -> String {
    let frame = Frame::new("Sign in", Part::Door);
    let door = Door { frame, said: said.map(harmless::text), provider: provider.map(harmless::text) };
    door.render().unwrap_or_default()
}

#[derive(Template)]
#[template(path = "signed_in.html")]
struct SignedIn {
    frame: Frame,
}

/// Returns the page for whoever comes back from a provider.
pub(crate) fn signed_in() -> String {
    SignedIn { frame: Frame::new("Signed in", Part::Door) }.render().unwrap_or_default()
}
