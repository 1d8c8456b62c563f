//! The shared state of the server.

use std::path::PathBuf;
use std::sync::Arc;

use referee_engine::incident::backend::Backend;
use referee_engine::incident::repair_loop::LoopOptions;
use referee_engine::incident::{IncidentContext, IncidentError, IncidentService};
use referee_model::access::TokenRecord;
use referee_model::incident::id::IncidentId;
use referee_model::time::Timestamp;
use tokio::sync::{Semaphore, watch};

use crate::audit_sink::{AuditSink, Tally};
use crate::loop_queue::{Loops, Work};
use crate::news::News;
use crate::oidc::Oidc;
use crate::problem::Problem;
use crate::proxy::TrustedProxy;
use crate::session::Sessions;

/// Maximum number of blocking operations at a time.
pub(crate) const AT_ONCE: usize = 64;

pub struct Service {
    pub office: IncidentService,
    /// Plans, checks and repairs incidents, in its workspace.
    pub backend: Backend,
    /// Evidence root of the runs that are shown.
    pub evidence: PathBuf,
    /// Queue directory for handoff packages. `None`: they are put in no queue.
    pub queue: Option<PathBuf>,
    pub access: Access,
    pub(crate) sessions: Sessions,
    pub(crate) tally: Tally,
    pub(crate) loops: Loops,
    pub(crate) news: News,
    /// Whether the server is shutting down.
    pub(crate) closing: watch::Sender<bool>,
    places: Arc<Semaphore>,
}

pub struct Access {
    /// The server's own token, an operator's. `None`: the server listens only on a Unix socket, whose file
    /// mode controls access.
    pub token: Option<String>,
    pub named: NamedTokens,
    /// Where every change, and every attempt to sign in, is written down.
    pub audit: AuditSink,
    /// The proxy whose word is taken for who a user is. `None`: no proxy's.
    pub proxy: Option<TrustedProxy>,
    /// The provider at which people sign in. `None`: at none.
    pub oidc: Option<Arc<Oidc>>,
    /// Whether browsers that came by TLS are told to come by TLS alone.
    pub is_strict: bool,
    /// Lower-case host names that are accepted over TCP, in addition to `localhost` and the machine's own addresses.
    pub names: Vec<String>,
}

/// The tokens that were created by name.
pub struct NamedTokens {
    /// Beginning of each of them.
    pub beginning: String,
    /// Returns them as they are now, or why they cannot be read.
    pub list: Box<dyn Fn() -> Result<Vec<TokenRecord>, String> + Send + Sync>,
}

impl Service {
    /// Creates the state. `evidence`: the evidence root. `None`: the project's.
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
            tally: Tally::default(),
            loops: Loops::default(),
            news: News::default(),
            closing: watch::Sender::new(false),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.office.context("api").host.clock.now()
    }

    /// Runs a blocking operation off the async threads. The number of simultaneous operations is limited.
    ///
    /// # Errors
    /// Fails if the operation does.
    pub(crate) async fn off_thread<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        self: &Arc<Self>,
        operation: impl FnOnce(&Self) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Problem> {
        let gone = |_| Problem::unavailable("the server is about to end");
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(gone)?;
        let service = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            let done = operation(&service);
            // The permit is held until the end, even if the client has gone away.
            drop(place);
            done
        });
        match done.await {
            Ok(done) => done.map_err(Into::into),
            Err(_) => Err(Problem::internal("this failed in Referee itself")),
        }
    }

    /// Runs a blocking operation on the incidents, as [`Service::off_thread`].
    ///
    /// # Errors
    /// Fails if the operation does.
    pub(crate) async fn with_incidents<T: Send + 'static>(
        self: &Arc<Self>,
        by: &'static str,
        operation: impl FnOnce(IncidentContext<'_>) -> Result<T, IncidentError> + Send + 'static,
    ) -> Result<T, Problem> {
        self.off_thread(move |service| operation(service.office.context(by))).await
    }

    /// Starts the loop of an incident. The caller has checked its plan.
    ///
    /// # Errors
    /// Fails if there is no agent, if a loop is running, or if no thread can be created.
    pub(crate) fn begin_loop(self: &Arc<Self>, id: &IncidentId, options: LoopOptions) -> Result<Arc<Work>, Problem> {
        if self.backend.agent_line.is_none() {
            let message = "no repair agent: start the server with --agent and the agent's command";
            return Err(Problem::conflict(message));
        }
        let (service, named) = (Arc::clone(self), id.clone());
        self.loops.begin(id, move |cancellation| service.backend.run(&service.office, &named, options, cancellation))
    }

    /// Waits until the server shuts down.
    pub(crate) async fn closes(&self) {
        let mut closing = self.closing.subscribe();
        // The sender lives as long as the service.
        let _ = closing.wait_for(|closing| *closing).await;
    }
}
