//! Asks real servers, started on free ports for the time of the tests, and files of SQLite.
#![expect(clippy::disallowed_methods, reason = "tests start servers and make files")]
#![expect(clippy::print_stdout, reason = "a test that cannot run says why")]
#![expect(clippy::unwrap_used, reason = "what a test needs and does not get fails the test")]

#[path = "servers/driver.rs"]
mod driver;
#[path = "servers/mariadb.rs"]
mod mariadb;
#[path = "servers/postgres.rs"]
mod postgres;
#[path = "servers/process.rs"]
mod process;
#[path = "servers/sqlite.rs"]
mod sqlite;
#[path = "servers/unreachable.rs"]
mod unreachable;
