//! The facts of a command, in documents.

use std::collections::BTreeMap;

use referee_model::id::ActionId;
use referee_model::plan::{Action, ActionType};
use referee_model::record::{CommandFacts, Ending, Executable, Facts, LeakedProcess, Record};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::log::Output;
use super::{Authenticity, Head, NoticeDocument, Span, notices};
use crate::ending;
use crate::form;

/// The facts of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandRecord {
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
    /// `argv` as one line, for people.
    command: String,
    /// Program and arguments as they were started, shell included.
    argv: Vec<String>,
    /// Absolute folder it ran in.
    working_directory: String,
    /// When it ran, and how it ended in a few words.
    execution: CommandExecution,
    /// How it ended.
    ending: Ending,
    /// What it printed.
    output: Output,
    /// The variables that it was given, redacted.
    environment: BTreeMap<String, String>,
    /// Names of the caller's variables that it was not given.
    dropped_variables: Vec<String>,
    /// The programs that were resolved for it.
    executables: Vec<Executable>,
    /// Processes that it left behind, and that were stopped.
    leaked_processes: Vec<LeakedProcess>,
    /// What is worth telling a person beside the facts.
    notices: Vec<NoticeDocument>,
    /// Who says so.
    authenticity: Authenticity,
}

/// When a command ran, and how it ended in a few words; `ending` says it exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CommandExecution {
    /// When it began.
    start_time: Timestamp,
    /// When it was over.
    end_time: Timestamp,
    /// Milliseconds, by a clock that only goes forward.
    duration: u64,
    /// Null: it did not end by itself.
    exit_code: Option<i32>,
    /// The signal that ended it, whoever sent it.
    signal: Option<String>,
    /// Whether Referee stopped it.
    killed: bool,
    /// Whether a deadline was hit.
    timed_out: bool,
}

impl CommandExecution {
    fn new(span: Span, ending: &Ending) -> Self {
        Self {
            start_time: span.start_time,
            end_time: span.end_time,
            duration: span.duration,
            exit_code: ending::exit_code(ending),
            signal: ending::signal(ending),
            killed: ending::is_stopped(ending),
            timed_out: matches!(ending, Ending::DeadlineExceeded { .. }),
        }
    }
}

impl CommandRecord {
    pub(super) fn new(action: &Action, record: &Record, facts: &CommandFacts) -> Self {
        let action_type = match action.work.action_type() {
            ActionType::CustomScript => ActionType::CustomScript,
            _ => ActionType::TerminalCommand,
        };
        Self {
            record_version: super::KIND.version.to_owned(),
            action_id: record.action.clone(),
            action_type,
            attempt: record.attempt,
            description: action.name.clone(),
            command: facts.argv.join(" "),
            argv: facts.argv.clone(),
            working_directory: facts.directory.clone(),
            execution: CommandExecution::new(record.into(), &facts.ending),
            ending: facts.ending.clone(),
            output: facts.log.as_ref().into(),
            environment: facts.environment.clone(),
            dropped_variables: facts.dropped_variables.clone(),
            executables: facts.executables.clone(),
            leaked_processes: facts.leaked.clone(),
            notices: notices(record),
            authenticity: Authenticity::new(record.ended, facts.log.as_ref()),
        }
    }

    pub(super) fn read(self) -> Result<Record, String> {
        let CommandExecution { start_time, end_time, duration, .. } = self.execution;
        let span = Span { start_time, end_time, duration };
        let ending = self.ending;
        if self.execution != CommandExecution::new(span, &ending) {
            return Err("`execution` and `ending` tell of different ends".to_owned());
        }
        if self.command != self.argv.join(" ") {
            return Err("`command` and `argv` differ".to_owned());
        }
        let facts = CommandFacts {
            argv: self.argv,
            directory: self.working_directory,
            executables: self.executables,
            environment: self.environment,
            dropped_variables: self.dropped_variables,
            ending,
            leaked: self.leaked_processes,
            log: self.output.log.map(TryInto::try_into).transpose()?,
        };
        let head = Head {
            action: self.action_id,
            action_type: self.action_type,
            attempt: self.attempt,
            span,
            notices: self.notices,
            authenticity: self.authenticity,
        };
        let types = [ActionType::TerminalCommand, ActionType::CustomScript];
        let authenticity = Authenticity::new(end_time, facts.log.as_ref());
        head.record(&types, &authenticity, Facts::Command(facts))
    }
}
