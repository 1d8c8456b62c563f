//! Runs one attempt of any kind of action, on any thread.

use std::time::Instant;

use referee_model::plan::{CaptureName, FileCheck, Interaction, Plan, Work};
use referee_model::record::{Facts, Notice, Overrun};

use crate::attempt::{Demand, ExecError, Turn, Watcher};
use crate::browser::performance;
use crate::browser::sessions::BrowserSessions;
use crate::capture::Sink;
use crate::command::{Commands, Extent};
use crate::file;
use crate::host::Clock;
use crate::http::{self, Exchange};
use crate::query;
use crate::service::{self, Live, Means};

/// Shared inputs of all attempts of a run.
#[derive(Clone, Copy)]
pub(super) struct AttemptRunner<'run> {
    pub(super) plan: &'run Plan,
    pub(super) commands: &'run Commands<'run>,
    pub(super) sink: &'run dyn Sink,
    pub(super) clock: Clock,
    pub(super) browsers: &'run BrowserSessions,
}

pub(super) struct Performed {
    pub(super) facts: Facts,
    pub(super) notices: Vec<Notice>,
    /// Captured values that later actions may use.
    pub(super) captured: Vec<(CaptureName, String)>,
    /// The service that keeps running after the attempt.
    pub(super) live: Option<Live>,
}

impl Performed {
    fn plain(facts: Facts, notices: Vec<Notice>) -> Self {
        Self { facts, notices, captured: Vec::new(), live: None }
    }
}

impl AttemptRunner<'_> {
    pub(super) fn perform(&self, turn: &Turn<'_>, watcher: &mut Watcher<'_>) -> Result<Performed, ExecError> {
        match &turn.action.work {
            Work::Command(command) => {
                let (facts, notices) = self.commands.run(turn, command, Extent::PLAIN, self.sink, watcher)?;
                Ok(Performed::plain(Facts::Command(facts), notices))
            }
            Work::File(check) => Ok(Performed::plain(self.look_at_file(turn, check, watcher)?, Vec::new())),
            Work::Http(request) => {
                let exchange = Exchange {
                    action: turn.action,
                    attempt: turn.attempt,
                    request,
                    workspace: &self.plan.workspace,
                    actions: &self.plan.actions,
                    captured: turn.captured,
                };
                let (facts, captured, notices) = http::perform(&exchange, &turn.bounds, self.sink, watcher)?;
                Ok(Performed { facts: Facts::Http(Box::new(facts)), notices, captured, live: None })
            }
            Work::Service(service) => {
                let means = Means { commands: self.commands, sink: self.sink, clock: self.clock };
                let begun = service::begin(turn, service, &means, watcher)?;
                Ok(Performed {
                    facts: Facts::Service(Box::new(begun.facts)),
                    notices: begun.notices,
                    captured: begun.captured.into_iter().collect(),
                    live: begun.live,
                })
            }
            Work::Interaction(work) => {
                // What cannot be asked is a fact, not an error.
                let (facts, notices) = match work.as_ref() {
                    Interaction::Query(query) => query::perform(turn, query, self.commands, self.sink, watcher)?,
                    Interaction::Browser(browser) => {
                        performance::perform(turn, browser, self.browsers, (self.commands, self.sink), watcher)?
                    }
                };
                Ok(Performed::plain(Facts::Interaction(Box::new(facts)), notices))
            }
        }
    }

    fn look_at_file(&self, turn: &Turn<'_>, check: &FileCheck, watcher: &mut Watcher<'_>) -> Result<Facts, ExecError> {
        let bounds = &turn.bounds;
        let (mut failure, mut overrun) = (None, None);
        let mut interrupted = || match (watcher.tick)() {
            Ok(Demand::GoOn) if Instant::now() < bounds.deadline => None,
            Ok(Demand::GoOn) => {
                overrun = Some(Overrun { timeout_ms: bounds.timeout_ms, of_task: bounds.of_task });
                Some(format!("it could not be looked at within {} ms", bounds.timeout_ms))
            }
            Ok(Demand::Stop | Demand::Kill) => Some("the run was interrupted".to_owned()),
            Err(error) => {
                let message = error.to_string();
                failure = Some(error);
                Some(message)
            }
        };
        let workspace = &self.plan.workspace;
        let facts = file::observe(workspace, turn.action, turn.attempt, check, self.sink, &mut interrupted)?;
        match (failure, overrun) {
            (Some(error), _) => Err(error.into()),
            (None, Some(overrun)) => Ok(file::overran(facts, overrun)),
            (None, None) => Ok(facts),
        }
    }
}
