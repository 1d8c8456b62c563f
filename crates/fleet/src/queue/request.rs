//! Requests on standard input, what serves them, and what is written of them.

use std::io::{Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum size of a request, in bytes. The queue carries at most 2 MB.
const REQUEST_BYTES: u64 = 4 * 1024 * 1024;

/// Error of a request on standard input.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("cannot use the standard streams: {0}")]
    Stream(#[from] std::io::Error),
    #[error("cannot read the request: {0}")]
    Content(#[from] serde_json::Error),
}

/// Reads a request from standard input.
pub(super) fn request<T: DeserializeOwned>() -> Result<T, RequestError> {
    let mut text = Vec::new();
    std::io::stdin().lock().take(REQUEST_BYTES).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Starts what connections and timers need.
pub(super) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

/// Writes a line to standard output at once.
pub(super) fn write(line: &impl Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    let mut output = std::io::stdout().lock();
    output.write_all(&text)?;
    output.flush()
}
