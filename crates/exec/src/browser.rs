//! Browsers, driven through an MCP server. All actions of a run with the same settings share one browser.
//!
//! | what happens | ending |
//! |---|---|
//! | the server or the browser cannot be started, or is lost | unavailable |
//! | an element or a text is missing, the page fails, an expression throws or is false | refused |
//! | the time limit of a command is over | refused |
//! | the deadline of the action is reached | deadline exceeded |
//!
//! A small program, `driver`, carries out each command inside the server, because the server's own tools do not
//! tell one failure from another.

mod address;
mod client;
mod driver;
mod inbox;
pub(crate) mod launch;
pub(crate) mod performance;
mod picture;
mod server;
mod session;
pub(crate) mod sessions;
mod transcript;
