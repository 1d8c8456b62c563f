//! The shared state of the server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use referee_engine::depot_mirror::DepotMirror;
use referee_engine::incident::backend::Backend;
use referee_engine::incident::repair_loop::LoopOptions;
use referee_engine::incident::{IncidentContext, IncidentError, IncidentService};
use referee_engine::library::{Library, LibraryError};
use referee_engine::order_queue::OrderQueue;
use referee_engine::standby::LoopBoard;
use referee_model::access::TokenRecord;
use referee_model::incident::id::IncidentId;
use referee_model::time::Timestamp;
use tokio::sync::{Semaphore, watch};

use crate::audit_sink::{AuditSink, Tally};
use crate::channel::Channel;
use crate::cookie::CookieScope;
use crate::loop_queue::{Loops, Work};
use crate::news::News;
use crate::oidc::Oidc;
use crate::problem::Problem;
use crate::proxy::TrustedProxy;
use crate::session::Sessions;
use crate::session_key::SessionKey;

/// Maximum number of blocking operations at a time.
pub(crate) const AT_ONCE: usize = 64;

const OF_A_PROJECT: &str = "this server shows runs of a depot and orders of a queue: incidents, debt and diagnostics are asked \
                            for at the machine that keeps them";
const OF_A_FLEET: &str = "this server shows what one machine keeps: start it with --fleet to see the orders of a queue";

pub struct Service {
    pub content: Content,
    pub access: Access,
    clock: fn() -> Timestamp,
    pub(crate) sessions: Sessions,
    pub(crate) tally: Tally,
    pub(crate) loops: Loops,
    pub(crate) news: News,
    /// Whether the server is shutting down.
    pub(crate) closing: watch::Sender<bool>,
    places: Arc<Semaphore>,
}

/// What is served.
pub enum Content {
    /// Incidents, runs and evidence of a project on this machine.
    Project(Arc<Project>),
    /// Runs of a depot, and orders of a queue.
    Fleet(Fleet),
}

/// A project on this machine.
pub struct Project {
    pub office: IncidentService,
    /// Plans, checks and repairs incidents, in its workspace.
    pub backend: Backend,
    /// Evidence root of the runs that are shown. `None`: the project's.
    pub evidence: Option<PathBuf>,
    /// Queue directory for handoff packages. `None`: they are put in no queue.
    pub queue: Option<PathBuf>,
}

/// What several machines share.
pub struct Fleet {
    pub runs: Arc<DepotMirror>,
    pub loops: Arc<LoopBoard>,
    pub orders: OrderQueue,
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
    /// The key by which sessions are known to all servers that have it. `None`: this server alone knows its own.
    pub session_key: Option<SessionKey>,
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
    /// Creates the state.
    pub fn new(content: Content, access: Access, clock: fn() -> Timestamp) -> Self {
        Self {
            content,
            clock,
            sessions: access.session_key.clone().map_or_else(Sessions::default, Sessions::Shared),
            access,
            tally: Tally::default(),
            loops: Loops::default(),
            news: News::default(),
            closing: watch::Sender::new(false),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Returns which requests cookies come with that are set now.
    pub(crate) fn cookie_scope(&self, address: SocketAddr, channel: Channel) -> CookieScope {
        CookieScope { port: (!self.sessions.is_shared()).then_some(address.port()), channel }
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Returns the project that is served.
    ///
    /// # Errors
    /// Fails where none is.
    pub(crate) fn project(&self) -> Result<&Arc<Project>, Problem> {
        match &self.content {
            Content::Project(project) => Ok(project),
            Content::Fleet(_) => Err(Problem::unknown(OF_A_PROJECT)),
        }
    }

    /// Returns the fleet that is served.
    ///
    /// # Errors
    /// Fails where none is.
    pub(crate) fn fleet(&self) -> Result<&Fleet, Problem> {
        match &self.content {
            Content::Fleet(fleet) => Ok(fleet),
            Content::Project(_) => Err(Problem::unknown(OF_A_FLEET)),
        }
    }

    /// Returns the runs that are served. Blocks until a depot has answered.
    ///
    /// # Errors
    /// Fails if a depot does not answer.
    pub(crate) fn library(&self) -> Result<Library, Problem> {
        match &self.content {
            Content::Fleet(fleet) => fleet.runs.library().map_err(Problem::unavailable),
            Content::Project(project) => {
                let root = project.evidence.clone().unwrap_or_else(|| project.backend.evidence_root());
                Ok(Library::new(root, Some(project.office.context("api").state.clone())))
            }
        }
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

    /// Reads from the runs that are served, as [`Service::off_thread`], once one of `readers` is free.
    ///
    /// # Errors
    /// Fails if a depot does not answer, and as the operation does.
    pub(crate) async fn with_library<T: Send + 'static>(
        self: &Arc<Self>,
        readers: &'static Semaphore,
        operation: impl FnOnce(&Library) -> Result<T, LibraryError> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = readers.acquire().await.map_err(|_| Problem::unavailable("the server is about to end"))?;
        self.off_thread(move |service| {
            let library = service.library()?;
            let done = operation(&library).map_err(Problem::from);
            // The permit is held until the end, even if the client has gone away.
            drop(place);
            done
        })
        .await
    }

    /// Runs a blocking operation on the project, as [`Service::off_thread`].
    ///
    /// # Errors
    /// Fails if the operation does.
    pub(crate) async fn with_project<T: Send + 'static, E: Into<Problem>>(
        self: &Arc<Self>,
        operation: impl FnOnce(&Project) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Problem> {
        self.off_thread(move |service| operation(service.project()?).map_err(Into::into)).await
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
        self.with_project(move |project| operation(project.office.context(by))).await
    }

    /// Starts the loop of an incident. The caller has checked its plan.
    ///
    /// # Errors
    /// Fails if there is no agent, if a loop is running, or if no thread can be created.
    pub(crate) fn begin_loop(&self, id: &IncidentId, options: LoopOptions) -> Result<Arc<Work>, Problem> {
        let (project, named) = (Arc::clone(self.project()?), id.clone());
        if project.backend.agent_line.is_none() {
            let message = "no repair agent: start the server with --agent and the agent's command";
            return Err(Problem::conflict(message));
        }
        self.loops.begin(id, move |cancellation| project.backend.run(&project.office, &named, options, cancellation))
    }

    /// Waits until the server shuts down.
    pub(crate) async fn closes(&self) {
        let mut closing = self.closing.subscribe();
        // The sender lives as long as the service.
        let _ = closing.wait_for(|closing| *closing).await;
    }
}
