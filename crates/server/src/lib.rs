//! HTTP server for incidents, runs and evidence: an API and pages.
//!
//! [`listen::serve`] listens, `http` maps requests to operations of [`referee_engine::incident`], and `page`
//! renders pages for people. A request never names a file or a command: everything it names is looked up.

pub mod api;

mod problem;

pub mod session_key;

mod session;

mod caller;

mod role;

mod token;

pub mod audit_sink;

pub mod depot_audit;
mod depot_loops;

mod audit;

mod loop_queue;

mod news;

pub mod service;

mod channel;

mod cookie;

pub mod proxy;

pub mod oidc;

mod auth;

mod sign_in;

mod extract;

mod stream;

mod route;

mod runs;

mod orders;

mod page;

#[cfg(feature = "schema")]
mod openapi;
#[cfg(feature = "schema")]
pub use openapi::openapi;

mod http;

mod idle_timeout;

pub mod tls;

pub mod listen;
