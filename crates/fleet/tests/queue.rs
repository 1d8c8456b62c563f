//! Orders in a queue, with the program and Temporal's server: the one in memory (`REFEREE_TEMPORAL`), or the one that keeps its
//! state (`REFEREE_TEMPORAL_SERVER`). What performs an order is a shell script.

#![expect(clippy::disallowed_methods, reason = "tests start a server, and write files")]
#![expect(clippy::print_stdout, reason = "tests say what they leave out")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

#[path = "queue/answers.rs"]
mod answers;
#[path = "queue/faults.rs"]
mod faults;
#[path = "queue/order_lists.rs"]
mod order_lists;
#[path = "queue/requests.rs"]
mod requests;
#[path = "queue/scene.rs"]
mod scene;
#[path = "queue/server.rs"]
mod server;
#[path = "queue/tls.rs"]
mod tls;
