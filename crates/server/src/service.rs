//! What the server serves, and how it is told to.

use std::path::PathBuf;
use std::sync::Arc;

use referee_engine::incident::backend::Backend;
use referee_engine::incident::repair_loop::LoopOptions;
use referee_engine::incident::{IncidentContext, IncidentError, IncidentService};
use referee_model::incident::id::IncidentId;
use tokio::sync::{Semaphore, watch};

use crate::loop_queue::{Loops, Work};
use crate::news::News;
use crate::problem::Problem;
use crate::session::Sessions;

/// Deeds that wait for the disk at once.
pub(crate) const AT_ONCE: usize = 64;

pub struct Service {
    pub office: IncidentService,
    /// How they are planned, checked and repaired, and in which workspace.
    pub backend: Backend,
    /// The evidence whose runs are shown: its root.
    pub evidence: PathBuf,
    /// Where packages for executors go. None: nowhere.
    pub queue: Option<PathBuf>,
    pub access: Access,
    pub(crate) sessions: Sessions,
    pub(crate) loops: Loops,
    pub(crate) news: News,
    /// Whether the server is about to end.
    pub(crate) closing: watch::Sender<bool>,
    places: Arc<Semaphore>,
}

pub struct Access {
    /// The token that every request over TCP needs. None: it listens on a Unix socket alone, whose file says who may.
    pub token: Option<String>,
    /// Names that it may be called by over TCP, beside `localhost` and the addresses of the machine itself, in lower case.
    pub names: Vec<String>,
}

impl Service {
    /// Puts together what is served. Without a root of evidence that of the project is shown.
    pub fn new(
        office: IncidentService,
        backend: Backend,
        evidence: Option<PathBuf>,
        queue: Option<PathBuf>,
        access: Access,
    ) -> Self {
        Self {
            office,
            evidence: evidence.unwrap_or_else(|| backend.evidence_root()),
            backend,
            queue,
            access,
            sessions: Sessions::default(),
            loops: Loops::default(),
            news: News::default(),
            closing: watch::Sender::new(false),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Does what waits for the disk, off the threads that answer. So many deeds at once, and no more.
    ///
    /// # Errors
    /// Fails where the deed does.
    pub(crate) async fn off_thread<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        self: &Arc<Self>,
        deed: impl FnOnce(&Self) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Problem> {
        let gone = |_| Problem::unavailable("the server is about to end");
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(gone)?;
        let service = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            let done = deed(&service);
            // Not before it is over, also where nobody waits for it any more.
            drop(place);
            done
        });
        match done.await {
            Ok(done) => done.map_err(Into::into),
            Err(_) => Err(Problem::internal("this failed in Referee itself")),
        }
    }

    /// As [`Service::off_thread`], with the incidents.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn at_desk<T: Send + 'static>(
        self: &Arc<Self>,
        by: &'static str,
        deed: impl FnOnce(IncidentContext<'_>) -> Result<T, IncidentError> + Send + 'static,
    ) -> Result<T, Problem> {
        self.off_thread(move |service| deed(service.office.context(by))).await
    }

    /// Begins the loop of an incident, whose plan was looked at before.
    ///
    /// # Errors
    /// Fails where there is no agent, where a loop is at work, and where the system gives no thread.
    pub(crate) fn begin_loop(self: &Arc<Self>, id: &IncidentId, options: LoopOptions) -> Result<Arc<Work>, Problem> {
        if self.backend.agent_line.is_none() {
            let message = "no repair agent: start the server with --agent and the agent's command";
            return Err(Problem::conflict(message));
        }
        let (service, named) = (Arc::clone(self), id.clone());
        self.loops.begin(id, move |cancellation| service.backend.run(&service.office, &named, options, cancellation))
    }

    /// Waits until the server is about to end.
    pub(crate) async fn closes(&self) {
        let mut closing = self.closing.subscribe();
        // The sender lives as long as the service.
        let _ = closing.wait_for(|closing| *closing).await;
    }
}
