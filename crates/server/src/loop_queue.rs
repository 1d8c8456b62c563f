//! Repair loops that this server started. They share one workspace, so only one runs at a time.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use referee_engine::incident::{Cancellation, IncidentError};
use referee_model::incident::attempt::RunResultDocument;
use referee_model::incident::id::IncidentId;
use tokio::sync::watch;

use crate::problem::Problem;

/// Maximum number of loops that are remembered.
const REMEMBERED: usize = 64;
/// Signal number that a loop is asked to stop with: SIGTERM.
const STOP: i32 = 15;

/// Repair loops that this server started.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    begun: Mutex<VecDeque<Arc<Work>>>,
}

#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) id: IncidentId,
    cancellation: Cancellation,
    ended: watch::Sender<Option<Result<RunResultDocument, Problem>>>,
}

impl Work {
    /// Returns the outcome. `None`: the loop is running.
    pub(crate) fn outcome(&self) -> Option<Result<RunResultDocument, Problem>> {
        self.ended.borrow().clone()
    }

    /// Waits for the outcome.
    pub(crate) async fn ended(&self) -> Result<RunResultDocument, Problem> {
        let mut ended = self.ended.subscribe();
        // The sender lives as long as `self`.
        let outcome = ended.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or_else(|| Err(Problem::internal("the loop was lost")))
    }
}

impl Loops {
    /// Starts a loop in its own thread.
    ///
    /// # Errors
    /// Fails if a loop is running, or if no thread can be created.
    pub(crate) fn begin(
        &self,
        id: &IncidentId,
        run: impl FnOnce(&Cancellation) -> Result<RunResultDocument, IncidentError> + Send + 'static,
    ) -> Result<Arc<Work>, Problem> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = begun.iter().find(|work| work.outcome().is_none()) {
            let message =
                format!("the loop of {} is at work, and one works at a time: wait until it is over", other.id);
            return Err(Problem::busy(message));
        }
        let refused = |error: std::io::Error| Problem::unavailable(format!("the loop could not be begun: {error}"));
        let cancellation = Cancellation::new().map_err(refused)?;
        let work = Arc::new(Work { id: id.clone(), cancellation, ended: watch::Sender::new(None) });
        let at_work = Arc::clone(&work);
        let operation = move || {
            // A panic becomes the outcome, so that nothing waits forever.
            let outcome = catch_unwind(AssertUnwindSafe(|| run(&at_work.cancellation)))
                .unwrap_or_else(|_| Err(IncidentError::Internal("the loop failed in Referee itself".to_owned())));
            at_work.ended.send_replace(Some(outcome.map_err(Problem::from)));
        };
        std::thread::Builder::new().name("loop".to_owned()).spawn(operation).map_err(refused)?;
        begun.retain(|one| one.id != *id);
        begun.truncate(REMEMBERED - 1);
        begun.push_front(Arc::clone(&work));
        Ok(work)
    }

    /// Returns the last loop that this server started for an incident.
    pub(crate) fn of(&self, id: &IncidentId) -> Option<Arc<Work>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|work| work.id == *id).cloned()
    }

    /// Asks running loops to stop: gracefully the first time, then immediately. Returns them.
    pub(crate) fn stop(&self) -> Vec<Arc<Work>> {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let at_work: Vec<_> = begun.iter().filter(|work| work.outcome().is_none()).cloned().collect();
        for work in &at_work {
            work.cancellation.request(STOP);
        }
        at_work
    }
}
