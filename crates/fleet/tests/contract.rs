//! What every driver of a depot promises, held against directories, memory and a real server.

#![expect(clippy::disallowed_methods, reason = "tests start a server, and write files")]
#![expect(clippy::print_stdout, reason = "tests say what they leave out")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

#[path = "contract/audit_logs.rs"]
mod audit_logs;
#[path = "contract/checkpoint.rs"]
mod checkpoint;
#[path = "contract/promises.rs"]
mod promises;
#[path = "contract/retention.rs"]
mod retention;
#[path = "contract/server.rs"]
mod server;
#[path = "contract/size.rs"]
mod size;
#[path = "contract/tree.rs"]
mod tree;
#[path = "contract/unusable.rs"]
mod unusable;
