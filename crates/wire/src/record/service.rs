//! The facts of a service, in documents: up to the moment when it was ready or given up, and what became of one that
//! was ready.

use std::collections::BTreeMap;

use referee_model::id::ActionId;
use referee_model::plan::{Action, ActionType};
use referee_model::record::service::{
    PortCheck, ProbeObservation, Readiness, ServiceFacts, ServiceRecord as Service, ServiceStart,
};
use referee_model::record::{Ending, Executable, Facts, LeakedProcess, Record, StartFailure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::log::Output;
use super::{Authenticity, Head, NoticeDocument, Span, notices};
use crate::form;

/// The facts of a service, up to the moment when it was ready or given up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServiceRecord {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    record_version: String,
    /// The action.
    action_id: ActionId,
    /// The action's type.
    #[serde(rename = "type")]
    action_type: ActionType,
    /// 1 for the first.
    #[schemars(range(min = 1))]
    attempt: u32,
    /// The check's name.
    description: String,
    /// What was started. Null: somebody else runs it.
    started: Option<StartDocument>,
    /// The port that it was to listen on. Null: none is known.
    port: Option<u16>,
    /// For each sign of readiness, in order, what was observed last.
    probes: Vec<ProbeObservation>,
    /// Who listens at the port. Null: that was not looked at.
    diagnostics: Option<PortCheck>,
    /// How the wait ended.
    readiness: ReadinessDocument,
    /// All of its output, where it did not become ready. That of a service that is ready belongs to the run's header.
    output: Output,
    /// Processes that it left behind when it was given up, and that were stopped.
    leaked_processes: Vec<LeakedProcess>,
    /// When it was started, and when it was ready or given up.
    execution: Span,
    /// What is worth telling a person beside the facts.
    notices: Vec<NoticeDocument>,
    /// Who says so.
    authenticity: Authenticity,
}

/// How a service was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StartDocument {
    /// `argv` as one line, for people.
    command: String,
    /// Program and arguments as they were started, shell included.
    argv: Vec<String>,
    /// Absolute folder it ran in.
    working_directory: String,
    /// The variables that it was given, redacted.
    environment: BTreeMap<String, String>,
    /// Names of the caller's variables that it was not given.
    dropped_variables: Vec<String>,
    /// The programs that were resolved for it.
    executables: Vec<Executable>,
    /// Its process id. Null: it never started.
    pid: Option<u32>,
}

/// How the wait for a service ended: exactly one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum ReadinessDocument {
    /// It is ready.
    Ready {
        /// Milliseconds from its start.
        after_ms: u64,
    },
    /// Somebody listened at its port before it was started; it was not started.
    PortTaken {},
    /// Somebody listens at its port who is not of its tree of processes.
    ForeignPort {},
    /// It ended before it was ready.
    Ended {
        /// How.
        ending: Ending,
    },
    /// It was not ready in time.
    DeadlineExceeded {
        /// The limit that was hit, in milliseconds.
        limit_ms: u64,
        /// Whether the limit was the task's, not the action's.
        of_task: bool,
    },
    /// The run was interrupted.
    Interrupted {},
    /// It never started.
    CouldNotStart {
        /// Why, by kind.
        cause: StartFailure,
        /// Why, for a person.
        message: String,
    },
}

/// What became of a service that was ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StoppedServiceDocument {
    /// The action that started it.
    action_id: ActionId,
    /// The attempt that made it ready.
    #[schemars(range(min = 1))]
    attempt: u32,
    /// When it ran.
    execution: Span,
    /// How it ended; `interrupted`: it was stopped, as it should be.
    ending: Ending,
    /// Whether cleanup had begun when it ended.
    in_cleanup: bool,
    /// All of its output.
    output: Output,
    /// Processes that it left behind, and that were stopped.
    leaked_processes: Vec<LeakedProcess>,
}

impl ServiceRecord {
    pub(super) fn new(action: &Action, record: &Record, facts: &ServiceFacts) -> Self {
        let action_type = match action.work.action_type() {
            ActionType::ServiceCheck => ActionType::ServiceCheck,
            _ => ActionType::TerminalCommand,
        };
        Self {
            record_version: super::KIND.version.to_owned(),
            action_id: record.action.clone(),
            action_type,
            attempt: record.attempt,
            description: action.name.clone(),
            started: facts.started.as_ref().map(StartDocument::from),
            port: facts.port,
            probes: facts.probes.clone(),
            diagnostics: facts.port_check.clone(),
            readiness: (&facts.readiness).into(),
            output: facts.log.as_ref().into(),
            leaked_processes: facts.leaked.clone(),
            execution: record.into(),
            notices: notices(record),
            authenticity: Authenticity::new(record.ended, facts.log.as_ref()),
        }
    }

    pub(super) fn read(self) -> Result<Record, String> {
        let facts = ServiceFacts {
            started: self.started.map(ServiceStart::try_from).transpose()?,
            port: self.port,
            probes: self.probes,
            port_check: self.diagnostics,
            readiness: self.readiness.into(),
            log: self.output.log.map(TryInto::try_into).transpose()?,
            leaked: self.leaked_processes,
        };
        let head = Head {
            action: self.action_id,
            action_type: self.action_type,
            attempt: self.attempt,
            span: self.execution,
            notices: self.notices,
            authenticity: self.authenticity,
        };
        let types = [ActionType::TerminalCommand, ActionType::ServiceCheck];
        let authenticity = Authenticity::new(head.span.end_time, facts.log.as_ref());
        head.record(&types, &authenticity, Facts::Service(Box::new(facts)))
    }
}

impl From<&ServiceStart> for StartDocument {
    fn from(start: &ServiceStart) -> Self {
        Self {
            command: start.argv.join(" "),
            argv: start.argv.clone(),
            working_directory: start.directory.clone(),
            environment: start.environment.clone(),
            dropped_variables: start.dropped_variables.clone(),
            executables: start.executables.clone(),
            pid: start.pid,
        }
    }
}

impl From<&Readiness> for ReadinessDocument {
    fn from(readiness: &Readiness) -> Self {
        match readiness {
            Readiness::Ready { after_ms } => Self::Ready { after_ms: *after_ms },
            Readiness::PortTaken => Self::PortTaken {},
            Readiness::ForeignPort => Self::ForeignPort {},
            Readiness::Ended(ending) => Self::Ended { ending: ending.clone() },
            Readiness::DeadlineExceeded { limit_ms, of_task } => {
                Self::DeadlineExceeded { limit_ms: *limit_ms, of_task: *of_task }
            }
            Readiness::Interrupted => Self::Interrupted {},
            Readiness::CouldNotStart { cause, message } => {
                Self::CouldNotStart { cause: *cause, message: message.clone() }
            }
        }
    }
}

impl From<&Service> for StoppedServiceDocument {
    fn from(service: &Service) -> Self {
        Self {
            action_id: service.action.clone(),
            attempt: service.attempt,
            execution: Span { start_time: service.started, end_time: service.ended, duration: service.duration_ms },
            ending: service.ending.clone(),
            in_cleanup: service.in_cleanup,
            output: service.log.as_ref().into(),
            leaked_processes: service.leaked.clone(),
        }
    }
}

impl TryFrom<StartDocument> for ServiceStart {
    type Error = String;

    fn try_from(document: StartDocument) -> Result<Self, String> {
        if document.command != document.argv.join(" ") {
            return Err("`command` and `argv` differ".to_owned());
        }
        Ok(Self {
            argv: document.argv,
            directory: document.working_directory,
            executables: document.executables,
            environment: document.environment,
            dropped_variables: document.dropped_variables,
            pid: document.pid,
        })
    }
}

impl From<ReadinessDocument> for Readiness {
    fn from(document: ReadinessDocument) -> Self {
        match document {
            ReadinessDocument::Ready { after_ms } => Self::Ready { after_ms },
            ReadinessDocument::PortTaken {} => Self::PortTaken,
            ReadinessDocument::ForeignPort {} => Self::ForeignPort,
            ReadinessDocument::Ended { ending } => Self::Ended(ending),
            ReadinessDocument::DeadlineExceeded { limit_ms, of_task } => Self::DeadlineExceeded { limit_ms, of_task },
            ReadinessDocument::Interrupted {} => Self::Interrupted,
            ReadinessDocument::CouldNotStart { cause, message } => Self::CouldNotStart { cause, message },
        }
    }
}

impl TryFrom<StoppedServiceDocument> for Service {
    type Error = String;

    fn try_from(document: StoppedServiceDocument) -> Result<Self, String> {
        if document.attempt == 0 {
            return Err("`attempt` is 0, and the first is 1".to_owned());
        }
        Ok(Self {
            action: document.action_id,
            attempt: document.attempt,
            started: document.execution.start_time,
            ended: document.execution.end_time,
            duration_ms: document.execution.duration,
            ending: document.ending,
            in_cleanup: document.in_cleanup,
            log: document.output.log.map(TryInto::try_into).transpose()?,
            leaked: document.leaked_processes,
        })
    }
}
