//! The library of runs, read a few at once; what it answers becomes what the page shows, with every text harmless.

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

/// Pages that read evidence at once: each may hash gigabytes.
const READERS: usize = 2;

static READING: Semaphore = Semaphore::const_new(READERS);

/// Reads in the library, off the threads that answer.
pub(super) async fn read<Found: Send + 'static>(
    service: &Arc<Service>,
    look: impl FnOnce(&Library) -> Result<Found, LibraryError> + Send + 'static,
) -> Result<Found, Problem> {
    let turn = READING.acquire().await.map_err(|_| Problem::unavailable("the server is about to end"))?;
    service
        .off_thread(move |service| {
            let library = Library::new(service.evidence.clone(), Some(service.office.context("page").state.clone()));
            let found = look(&library);
            // Not before it is over, also where nobody waits for it any more.
            drop(turn);
            found
        })
        .await
}

/// Takes a document as the page shows it.
pub(super) fn shown<Shown: DeserializeOwned>(document: &impl Serialize) -> Result<Shown, LibraryError> {
    let fault = |error: serde_json::Error| LibraryError::Internal(format!("this cannot be shown: {error}"));
    let value = serde_json::to_value(document).map_err(fault)?;
    serde_json::from_value(harmless::values(value)).map_err(fault)
}

/// Reads which run is meant from an address.
pub(super) fn which(form: &Form) -> Result<Which, Problem> {
    match form.given("run") {
        None => Ok(Which::Latest),
        Some(run) => ExecutionId::parse(run).map(Which::Run).map_err(|error| Problem::invalid(error.to_string())),
    }
}
