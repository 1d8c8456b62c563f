//! Loops of repairs that this server was asked for. They work in one workspace, so there is one at a time.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use referee_engine::incident::{Cancellation, IncidentError};
use referee_model::incident::attempt::RunResultDocument;
use referee_model::incident::id::IncidentId;
use tokio::sync::watch;

use crate::problem::Problem;

/// Loops that are over and still remembered.
const REMEMBERED: usize = 64;
/// What a loop is told to stop with: SIGTERM.
const STOP: i32 = 15;

/// Loops of repairs that this server was asked for.
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
    /// Returns what it came to. None: it is at work.
    pub(crate) fn outcome(&self) -> Option<Result<RunResultDocument, Problem>> {
        self.ended.borrow().clone()
    }

    /// Waits for what it comes to.
    pub(crate) async fn ended(&self) -> Result<RunResultDocument, Problem> {
        let mut ended = self.ended.subscribe();
        // The sender lives as long as this does.
        let outcome = ended.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or_else(|| Err(Problem::internal("the loop was lost")))
    }
}

impl Loops {
    /// Begins a loop in a thread of its own.
    ///
    /// # Errors
    /// Fails where one is at work, and where the system gives no thread.
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
        let deed = move || {
            // A fault in it is its outcome: nobody waits for ever.
            let outcome = catch_unwind(AssertUnwindSafe(|| run(&at_work.cancellation)))
                .unwrap_or_else(|_| Err(IncidentError::Internal("the loop failed in Referee itself".to_owned())));
            at_work.ended.send_replace(Some(outcome.map_err(Problem::from)));
        };
        std::thread::Builder::new().name("loop".to_owned()).spawn(deed).map_err(refused)?;
        begun.retain(|one| one.id != *id);
        begun.truncate(REMEMBERED - 1);
        begun.push_front(Arc::clone(&work));
        Ok(work)
    }

    /// Finds the last loop of an incident that this server was asked for.
    pub(crate) fn of(&self, id: &IncidentId) -> Option<Arc<Work>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|work| work.id == *id).cloned()
    }

    /// Tells those at work to stop: the first time politely, then at once. Returns them.
    pub(crate) fn stop(&self) -> Vec<Arc<Work>> {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let at_work: Vec<_> = begun.iter().filter(|work| work.outcome().is_none()).cloned().collect();
        for work in &at_work {
            work.cancellation.request(STOP);
        }
        at_work
    }
}
