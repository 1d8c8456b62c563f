//! Runs, reports, evidence, diagnostics and debt in the API, all of it read-only.
//!
//! Path parameters are parsed as ids and looked up; a file of evidence is a name in the seal of its run. No path
//! on disk is built from a client's input.

use std::str::FromStr;
use std::sync::Arc;

use crate::api::ProblemClass;
use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use referee_engine::library::{Library, LibraryError, Which};
use referee_model::id::IdError;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use crate::extract::Document;
use crate::problem::Problem;
use crate::route::Route;
use crate::service::Service;

mod described;
mod evidence;
mod listed;
mod registers;

/// Maximum number of requests that read evidence simultaneously: each may hash gigabytes.
const READERS: usize = 4;

static READING: Semaphore = Semaphore::const_new(READERS);

/// Path segment for the latest run of a task, in place of a run id.
const LATEST: &str = "latest";

pub(crate) fn routes() -> Vec<Route> {
    described::routes()
}

/// The parameters of a path, parsed.
struct Placed<T>(T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Placed<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(values) = Path::<T>::from_request_parts(parts, state)
            .await
            .map_err(|refused| Problem::invalid(refused.body_text()))?;
        Ok(Self(values))
    }
}

/// Parses the run in a path: its id, or `latest`.
fn which(run: &str) -> Result<Which, Problem> {
    if run == LATEST { Ok(Which::Latest) } else { named(run).map(Which::Run) }
}

/// Parses an id in a path. An invalid one is not found.
fn named<Id: FromStr<Err = IdError>>(text: &str) -> Result<Id, Problem> {
    text.parse().map_err(|refused: IdError| Problem::unknown(refused.to_string()))
}

/// Parses the maximum number of items on a page.
pub(crate) fn limit(asked: Option<usize>, most: usize) -> Result<usize, Problem> {
    match asked {
        Some(limit) if limit == 0 || limit > most => {
            Err(Problem::invalid(format!("`limit` is a number from 1 to {most}")))
        }
        asked => Ok(asked.unwrap_or(0)),
    }
}

/// Reads from the library, a few requests at a time.
async fn read<T: Send + 'static>(
    service: &Arc<Service>,
    operation: impl FnOnce(&Library) -> Result<T, LibraryError> + Send + 'static,
) -> Result<T, Problem> {
    service.with_library(&READING, operation).await
}

fn answered<T: serde::Serialize>(document: T) -> Response {
    Document(StatusCode::OK, document).into_response()
}

/// Maps errors of the library to statuses.
impl From<LibraryError> for Problem {
    fn from(error: LibraryError) -> Self {
        let message = error.to_string();
        match error {
            LibraryError::Unknown(_) => Self::unknown(message),
            LibraryError::Invalid(_) => Self::invalid(message),
            LibraryError::NotSealed(_) | LibraryError::Altered(_) | LibraryError::TooLarge(_) => {
                Self::conflict(message)
            }
            LibraryError::Pruned(_) => Self { status: StatusCode::GONE, class: ProblemClass::NotFound, message },
            LibraryError::Register(_) | LibraryError::Store(_) => Self::unavailable(message),
            LibraryError::Internal(_) => Self::internal(message),
        }
    }
}
