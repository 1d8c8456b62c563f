//! Access to the library of runs, a few requests at a time. Results are converted for display, with every text
//! made harmless.

use std::sync::Arc;

use referee_engine::library::{Library, LibraryError, Which};
use referee_model::id::ExecutionId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::form::Form;
use super::harmless;
use crate::problem::Problem;
use crate::service::Service;

/// Maximum number of pages that read evidence simultaneously: each may hash gigabytes.
const READERS: usize = 2;

static READING: Semaphore = Semaphore::const_new(READERS);

/// Reads from the library.
pub(super) async fn read<Found: Send + 'static>(
    service: &Arc<Service>,
    look: impl FnOnce(&Library) -> Result<Found, LibraryError> + Send + 'static,
) -> Result<Found, Problem> {
    service.with_library(&READING, look).await
}

/// Converts a document for display.
pub(super) fn shown<Shown: DeserializeOwned>(document: &impl Serialize) -> Result<Shown, LibraryError> {
    let fault = |error: serde_json::Error| LibraryError::Internal(format!("this cannot be shown: {error}"));
    let value = serde_json::to_value(document).map_err(fault)?;
    serde_json::from_value(harmless::values(value)).map_err(fault)
}

/// Parses the requested run from an address.
pub(super) fn which(form: &Form) -> Result<Which, Problem> {
    match form.given("run") {
        None => Ok(Which::Latest),
        Some(run) => ExecutionId::parse(run).map(Which::Run).map_err(|error| Problem::invalid(error.to_string())),
    }
}
