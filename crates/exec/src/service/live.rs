//! A running service: a thread reads its output and watches its process tree for as long as any process of it
//! lives.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use referee_model::plan::Action;
use referee_model::record::{Ending, Log, ServiceRecord, Span};
use referee_model::time::Timestamp;

use super::output::Signs;
use crate::attempt::{self, Bounds, Demand, Ended, ExecError, Running, Stay, StopRequest, Turn, Watcher};
use crate::capture::{Pump, Tap};
use crate::command;
use crate::group::Tree;
use crate::host::Clock;

/// A running service has no deadline; this is longer than any run.
const FOREVER: Duration = Duration::from_hours(24 * 365);

/// Time in which a killed service ends, whatever it does: longer than the wait for processes that cannot be
/// killed.
const KILLED: Duration = Duration::from_secs(15);

/// A service that is running, or has ended.
pub(crate) struct Live {
    pub(crate) action: Action,
    attempt: u32,
    started: Timestamp,
    began: Instant,
    pub(crate) tree: Tree,
    order: Arc<StopRequest>,
    thread: Option<JoinHandle<()>>,
    news: Receiver<Over>,
    over: Option<Over>,
    /// Whether its end was already reported.
    announced: bool,
}

pub(crate) struct Over {
    at: Timestamp,
    when: Instant,
    pub(crate) outcome: Result<(Ended, Log), ExecError>,
}

impl Live {
    /// Watches a service that has just been started.
    pub(crate) fn watch(
        turn: &Turn<'_>,
        clock: Clock,
        mut running: Running,
        pump: Pump,
        signs: Option<Arc<Signs>>,
    ) -> Result<Self, ExecError> {
        let system = |source| ExecError::System { what: "watch over a service", source };
        let order = Arc::new(StopRequest::new().map_err(system)?);
        let (tell, news) = channel();
        let tree = running.tree;
        let tap = signs.map(|signs| -> Tap { Box::new(move |stream, bytes| signs.take(stream, bytes)) });
        let mut pump = pump.keeping(turn.action.evidence).tapped(tap);
        let bounds = Bounds { deadline: Instant::now() + FOREVER, ..turn.bounds };
        let heard = Arc::clone(&order);
        // If no thread can be created, the started service is dropped, which ends it.
        let thread = std::thread::Builder::new().name("service".to_owned()).spawn(move || {
            let mut tick = || Ok(heard.demand());
            let mut watcher = Watcher { wake: heard.wake(), tick: &mut tick };
            let ended = attempt::supervise(&mut running, &mut pump, &bounds, Stay::Tree, &mut watcher);
            let outcome = ended.and_then(|ended| Ok((ended, pump.finish()?.0)));
            // If the receiver is gone, the result is no longer needed.
            let _ = tell.send(Over { at: clock.now(), when: Instant::now(), outcome });
        });
        Ok(Self {
            action: turn.action.clone(),
            attempt: turn.attempt,
            started: clock.now(),
            began: turn.began,
            tree,
            order,
            thread: Some(thread.map_err(system)?),
            news,
            over: None,
            announced: false,
        })
    }

    pub(crate) fn raise(&self, demand: Demand) {
        self.order.raise(demand);
    }

    /// Waits at most `longest` for the service to end; returns whether it has.
    pub(crate) fn wait(&mut self, longest: Duration) -> bool {
        if self.over.is_none() {
            let over = match self.news.recv_timeout(longest) {
                Ok(over) => Some(over),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(unwatched()),
            };
            self.take(over);
        }
        self.over.is_some()
    }

    pub(crate) fn is_over(&mut self) -> bool {
        if self.over.is_none() {
            let over = match self.news.try_recv() {
                Ok(over) => Some(over),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(unwatched()),
            };
            self.take(over);
        }
        self.over.is_some()
    }

    fn take(&mut self, over: Option<Over>) {
        if over.is_some()
            && let Some(thread) = self.thread.take()
        {
            // The thread is about to end, or has panicked, which is visible from the missing message.
            let _ = thread.join();
        }
        self.over = over;
    }

    /// Returns whether its output could not be stored, or it could not be watched.
    pub(crate) fn has_failed(&mut self) -> bool {
        self.is_over() && self.over.as_ref().is_some_and(|over| over.outcome.is_err())
    }

    /// Returns how the service ended, on the first call after it ended by itself.
    pub(crate) fn unannounced_ending(&mut self) -> Option<&Ending> {
        if self.announced || !self.is_over() {
            return None;
        }
        self.announced = true;
        self.ended_with()
    }

    /// Returns how the service ended. None: it is still running.
    pub(crate) fn ended_with(&self) -> Option<&Ending> {
        let (ended, _) = self.over.as_ref()?.outcome.as_ref().ok()?;
        Some(&ended.ending)
    }

    /// Returns the outcome of the service. None: it is still running.
    pub(crate) fn into_outcome(mut self) -> Option<Result<(Ended, Log), ExecError>> {
        Some(self.over.take()?.outcome)
    }

    /// Returns the record of a service that has ended; `cleanup` is when cleanup began. None: it is still
    /// running.
    pub(crate) fn into_record(mut self, cleanup: Option<Instant>) -> Option<Result<ServiceRecord, ExecError>> {
        let Over { at, when, outcome } = self.over.take()?;
        let (ended, log) = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return Some(Err(error)),
        };
        let (leaked, _) = command::left_behind(&ended);
        Some(Ok(ServiceRecord {
            action: self.action.id.clone(),
            attempt: self.attempt,
            span: Span {
                started: self.started,
                ended: at,
                duration_ms: u64::try_from(when.saturating_duration_since(self.began).as_millis()).unwrap_or(u64::MAX),
            },
            ending: ended.ending,
            in_cleanup: cleanup.is_some_and(|began| when >= began),
            log: Some(log),
            leaked,
            notices: Vec::new(),
        }))
    }
}

/// The outcome if the watching thread ended without a message; the service was ended when it was dropped.
fn unwatched() -> Over {
    let source = std::io::Error::other("what watched it has broken down");
    let outcome = Err(ExecError::System { what: "watch over a service", source });
    Over { at: Timestamp::from_millisecond(0), when: Instant::now(), outcome }
}

impl Drop for Live {
    /// A service does not outlive its run, whatever happened to the run.
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.order.raise(Demand::Kill);
            self.wait(KILLED);
        }
    }
}
