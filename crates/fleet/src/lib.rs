//! Evidence in depots: directories, and S3-compatible object storage. A [`DepotRequest`] becomes a [`DepotAnswer`].
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

mod tree;

mod prune;

mod answer;

use std::io::{Read, Write};
use std::process::ExitCode;

use referee_model::depot::DepotRequest;

pub use crate::answer::answer;
pub use crate::error::DepotError;

use crate::access::Access;

/// Maximum size of a request, in bytes.
const REQUEST_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a request from standard input, and writes its answer to standard output.
pub fn main(access: &Access) -> ExitCode {
    match serve(access) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // If standard error is closed, the error cannot be reported.
            let _ = writeln!(std::io::stderr(), "error: {problem}");
            ExitCode::from(2)
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum ServeError {
    #[error("cannot read the request: {0}")]
    Request(#[source] serde_json::Error),
    #[error("cannot write the answer: {0}")]
    Answer(#[source] serde_json::Error),
    #[error("cannot use the standard streams: {0}")]
    Streams(#[from] std::io::Error),
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
