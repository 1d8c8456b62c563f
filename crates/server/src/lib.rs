//! Incidents, runs and evidence over HTTP, and as a page.
//!
//! [`listen::serve`] listens, `http` turns requests into what [`referee_engine::incident`] does, `page` shows it to people.
//! A request never names a file or a command: what it names is looked up.

pub mod api;

mod problem;

mod session;

mod loop_queue;

mod news;

pub mod service;

mod auth;

mod extract;

mod stream;

mod route;

mod runs;

mod page;

#[cfg(feature = "schema")]
mod openapi;
#[cfg(feature = "schema")]
pub use openapi::openapi;

mod http;

mod idle_timeout;

pub mod listen;
