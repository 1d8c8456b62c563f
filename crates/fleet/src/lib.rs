//! Evidence in depots: directories, and S3-compatible object storage. A [`DepotRequest`] becomes a
//! [`DepotAnswer`](referee_model::depot::DepotAnswer).
//! Orders in a queue: who asks for a run, and who performs it on another machine, is in [`queue`].
//!
//! A depot is a store of bytes and is believed in nothing: every object is checked against the digest that names it, and
//! what is fetched is written to a directory that the caller verifies as any other evidence. The layout is in
//! `docs/design/fleet.md`.

mod error;

mod layout;

pub mod access;

mod content;

mod objects;

pub mod depot;

mod document;

mod chain;

mod generation;

mod push;

mod pull;

mod tree_record;

mod tree;

mod retention;

mod receipt;

mod checkpoint;

mod audit;

mod prune;

mod answer;

pub mod queue;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;

use referee_model::depot::DepotRequest;

pub use crate::answer::answer;
pub use crate::error::DepotError;

use crate::access::Access;
use crate::queue::{QueueAccess, order, orders, work};

/// Maximum size of a request, in bytes.
const REQUEST_BYTES: u64 = 64 * 1024 * 1024;

/// Does what the arguments say: without any, answers a request to a depot.
pub fn main(mut arguments: impl Iterator<Item = OsString>, variable: impl Fn(&str) -> Option<String>) -> ExitCode {
    let command = arguments.next();
    let command = command.as_ref().map(|command| command.to_string_lossy());
    let end = match (command.as_deref(), arguments.next()) {
        (None, _) => serve(&Access::read(variable)).map(|()| ExitCode::SUCCESS),
        (Some("order"), None) => order(&QueueAccess::read(variable)).map(|()| ExitCode::SUCCESS).map_err(Into::into),
        (Some("orders"), None) => orders(&QueueAccess::read(variable)).map(|()| ExitCode::SUCCESS).map_err(Into::into),
        (Some("work"), None) => work(&QueueAccess::read(variable)).map_err(Into::into),
        (Some(other), None) => Err(ServeError::Command(other.to_owned())),
        (Some(_), Some(more)) => Err(ServeError::Command(more.to_string_lossy().into_owned())),
    };
    end.unwrap_or_else(|problem| {
        // If standard error is closed, the error cannot be reported.
        let _ = writeln!(std::io::stderr(), "error: {problem}");
        ExitCode::from(2)
    })
}

#[derive(Debug, thiserror::Error)]
enum ServeError {
    #[error("cannot read the request: {0}")]
    Request(#[source] serde_json::Error),
    #[error("cannot write the answer: {0}")]
    Answer(#[source] serde_json::Error),
    #[error("cannot use the standard streams: {0}")]
    Streams(#[from] std::io::Error),
    #[error(transparent)]
    Order(#[from] queue::RequestError),
    #[error(transparent)]
    Work(#[from] queue::WorkError),
    #[error(
        "unexpected argument `{0}`: expected `order`, `orders`, `work`, or nothing; requests are read from standard input"
    )]
    Command(String),
}

fn serve(access: &Access) -> Result<(), ServeError> {
    let mut text = Vec::new();
    std::io::stdin().lock().take(REQUEST_BYTES).read_to_end(&mut text)?;
    let request: DepotRequest = serde_json::from_slice(&text).map_err(ServeError::Request)?;
    let text = serde_json::to_vec(&answer(&request, access)).map_err(ServeError::Answer)?;
    let mut output = std::io::stdout().lock();
    output.write_all(&text)?;
    Ok(output.flush()?)
}
