//! The queue of orders, on Temporal (design, "Fleet"). `referee-fleet order` puts an order in the queue and waits for its
//! answer, `referee-fleet work` performs orders, `referee-fleet orders` lists and cancels them.
//!
//! The queue is believed in nothing: what it answers is signed by a worker, and whoever asked verifies it with the evidence.
//! All that is known of Temporal is in here.

mod access;
mod activity;
mod connection;
mod error;
mod jobs;
mod log;
mod observation;
mod order;
mod order_list;
mod program;
mod request;
mod task_queue;
mod transcript;
mod worker;
mod workflow;

pub use self::access::QueueAccess;
pub(crate) use self::order::order;
pub(crate) use self::order_list::orders;
pub(crate) use self::request::RequestError;
pub(crate) use self::worker::{WorkError, work};
