//! Runs, reports, evidence, diagnostics and debt over the API: all of it is read, nothing is changed.
//!
//! What stands in a path is parsed into an id and looked up; a file of evidence is a name in the seal of its run. No path on
//! disk is made of what somebody sends.

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
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::extract::Document;
use crate::problem::Problem;
use crate::route::Route;
use crate::service::Service;

mod described;
mod evidence;
mod listed;
mod registers;

/// How many requests read evidence at once: each may hash gigabytes.
const READERS: usize = 4;

static READING: Semaphore = Semaphore::const_new(READERS);

/// The word for the run in the task's place, where a run's id may stand.
const LATEST: &str = "latest";

pub(crate) fn routes() -> Vec<Route> {
    described::routes()
}

/// The values of a path, each parsed as what it is.
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

/// Reads which run of a task a path names: by its id, or as `latest`.
fn which(run: &str) -> Result<Which, Problem> {
    if run == LATEST { Ok(Which::Latest) } else { named(run).map(Which::Run) }
}

/// Reads an id that stands in a path. What is no id names nothing that there is.
fn named<Id: FromStr<Err = IdError>>(text: &str) -> Result<Id, Problem> {
    text.parse().map_err(|refused: IdError| Problem::unknown(refused.to_string()))
}

/// Reads how many are asked for on a page.
fn limit(asked: Option<usize>, most: usize) -> Result<usize, Problem> {
    match asked {
        Some(limit) if limit == 0 || limit > most => {
            Err(Problem::invalid(format!("`limit` is a number from 1 to {most}")))
        }
        asked => Ok(asked.unwrap_or(0)),
    }
}

/// Reads in the library, off the threads that answer, a few at once.
async fn read<T: Send + 'static>(
    service: &Arc<Service>,
    deed: impl FnOnce(&Library, &Service) -> Result<T, LibraryError> + Send + 'static,
) -> Result<T, Problem> {
    let turn: SemaphorePermit<'static> =
        READING.acquire().await.map_err(|_| Problem::unavailable("the server is about to end"))?;
    service
        .off_thread(move |service| {
            let library = Library::new(service.evidence.clone(), Some(service.office.context("api").state.clone()));
            let done = deed(&library, service);
            // Not before it is over, also where nobody waits for it any more.
            drop(turn);
            done
        })
        .await
}

fn answered<T: serde::Serialize>(document: T) -> Response {
    Document(StatusCode::OK, document).into_response()
}

/// Which fault of the library is which status.
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
