//! Runs plans with `fake-tool`, and checks that none of their processes stays alive.
#![expect(
    clippy::disallowed_methods,
    reason = "tests make workspaces, and look at the world to check what is told of it"
)]
#![expect(clippy::unwrap_used, reason = "what a test needs and does not get fails the test")]

mod browser;
mod browser_failures;
mod confinement;
mod containers;
mod endings;
mod environment;
mod files;
mod interruption;
mod output;
mod parallel;
mod queries;
mod requests;
mod retries;
mod services;
mod terminal;
mod tree;
mod world;
