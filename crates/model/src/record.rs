//! What happened: the facts of one attempt, as observed. Nothing in here judges.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ActionId, Digest, ExecutionId};
use crate::run_context::RunContext;
use crate::selection::Scope;
use crate::time::Timestamp;

pub mod attempt_record;
pub mod file;
pub mod header;
pub mod http;
pub mod service;
mod skip;

pub use self::file::{FileFacts, FileObservation, FileState, GlobFacts, Overrun, SchemaObservation, SyntaxObservation};
use self::http::HttpEnding;
pub use self::http::HttpFacts;
pub use self::service::{ServiceFacts, ServiceRecord};
pub use self::skip::SkipReason;

/// The facts of one attempt of one action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// The action.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// 1 for the first attempt.
    pub attempt: u32,
    /// When it ran.
    #[serde(rename = "execution")]
    pub span: Span,
    /// What was observed.
    #[serde(flatten)]
    pub facts: Facts,
    /// What is worth telling a person beside the facts.
    pub notices: Vec<Notice>,
}

/// When something ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// When it began.
    #[serde(rename = "startTime")]
    pub started: Timestamp,
    /// When it was over: output drained, tree swept.
    #[serde(rename = "endTime")]
    pub ended: Timestamp,
    /// Milliseconds from start to end, by a clock that only goes forward.
    #[serde(rename = "duration")]
    pub duration_ms: u64,
}

/// What was observed, by kind of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Facts {
    /// Of a command.
    Command(CommandFacts),
    /// Of a file.
    File(FileFacts),
    /// Of the files that a pattern names.
    Glob(GlobFacts),
    /// Of an HTTP request and its answer.
    Http(Box<HttpFacts>),
    /// Of a service, up to the moment when it was ready or given up.
    Service(Box<ServiceFacts>),
    /// Of nothing: the plan has a problem with this action, and it was not executed.
    NotExecuted,
}

impl Record {
    /// Returns the one log: the output of a command or of a service that was given up, the body of an answer, the content of
    /// a file. None: there is none, or there are several.
    pub fn log(&self) -> Option<&Log> {
        match &self.facts {
            Facts::Command(facts) => facts.log.as_ref(),
            Facts::File(facts) => facts.content(),
            Facts::Http(facts) => match &facts.ending {
                HttpEnding::Answered(answer) => answer.body.as_ref(),
                HttpEnding::NoAnswer(_) | HttpEnding::DeadlineExceeded { .. } | HttpEnding::Interrupted => None,
            },
            Facts::Service(facts) => facts.log.as_ref(),
            Facts::Glob(_) | Facts::NotExecuted => None,
        }
    }
}

/// What was observed of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandFacts {
    /// Program and arguments as they were started, shell included.
    pub argv: Vec<String>,
    /// Absolute directory it ran in.
    #[serde(rename = "workingDirectory")]
    pub directory: String,
    /// The programs that were resolved for it: what was started first, then what a shell line names.
    pub executables: Vec<Executable>,
    /// The variables that it was given, redacted.
    pub environment: BTreeMap<String, String>,
    /// Names of the caller's variables that it was not given.
    pub dropped_variables: Vec<String>,
    /// How it ended.
    pub ending: Ending,
    /// Processes that it left behind, and that were stopped.
    #[serde(rename = "leakedProcesses")]
    pub leaked: Vec<LeakedProcess>,
    /// Its output. None where it never started.
    #[serde(rename = "output")]
    pub log: Option<Log>,
}

/// A program on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Executable {
    /// The name it was asked for by.
    pub name: String,
    /// Absolute path, links resolved.
    pub path: String,
    /// SHA-256 of the file. None where it could be run but not read.
    pub sha256: Option<Digest>,
    /// The version that the package says in which it lies, as those of npm do. None: it lies in none that says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// How a command ended: exactly one of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Ending {
    /// By itself, with this code.
    Exited {
        /// The exit code, 0 to 255.
        code: i32,
    },
    /// By a signal that Referee did not send.
    Signaled {
        /// Number of the signal, such as 9 for SIGKILL.
        signal: i32,
    },
    /// Stopped at its deadline.
    DeadlineExceeded {
        /// The limit that was hit, in milliseconds.
        #[serde(rename = "limitMs")]
        timeout_ms: u64,
        /// Whether the limit was the task's, not the action's.
        of_task: bool,
        /// Whether it had to be killed after its grace.
        killed: bool,
    },
    /// Stopped because the run was interrupted.
    Interrupted {
        /// Whether it had to be killed.
        killed: bool,
    },
    /// Stopped because it printed more than can be kept.
    OutputLimitExceeded {
        /// Limit of the output, in bytes.
        limit_bytes: u64,
    },
    /// Stopped because more processes of it ran at once than it may have.
    ProcessLimitExceeded {
        /// Greatest number of processes that the command may run at once.
        limit: u64,
    },
    /// Stopped because it took more memory than it may have.
    MemoryLimitExceeded {
        /// Limit of the log, in bytes.
        limit_bytes: u64,
    },
    /// Never started.
    CouldNotStart {
        /// Kind of the start failure.
        cause: StartFailure,
        /// Message of the failure, for people.
        message: String,
    },
}

impl Ending {
    /// Returns the exit code, where the command ended by itself.
    pub fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Exited { code } => Some(*code),
            _ => None,
        }
    }

    /// Returns the name of the signal that ended the command, whoever sent it.
    pub fn signal(&self) -> Option<String> {
        let of_ours = |killed: bool| if killed { "SIGKILL" } else { "SIGTERM" }.to_owned();
        match self {
            Self::Signaled { signal } => Some(crate::signal::shown(*signal)),
            Self::DeadlineExceeded { killed, .. } | Self::Interrupted { killed } => Some(of_ours(*killed)),
            Self::Exited { .. }
            | Self::OutputLimitExceeded { .. }
            | Self::ProcessLimitExceeded { .. }
            | Self::MemoryLimitExceeded { .. }
            | Self::CouldNotStart { .. } => None,
        }
    }

    /// Says whether Referee stopped the command (seed 1, `killed`).
    pub fn is_stopped(&self) -> bool {
        !matches!(self, Self::Exited { .. } | Self::Signaled { .. } | Self::CouldNotStart { .. })
    }
}

/// Why a command could not be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartFailure {
    /// No such program in PATH, node_modules/.bin or at the given path.
    NotFound,
    /// Found, but it may not be executed.
    NotExecutable,
    /// Found and executable, but the system cannot run it (unknown format, missing interpreter).
    BadFormat,
    /// The directory to run in is missing, or is no directory, or lies outside the workspace.
    BadDirectory,
    /// A program that it needs is not the file that the specification pins.
    NotPinned,
    /// Anything else the system said.
    System,
}

/// A process that outlived its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeakedProcess {
    /// Process id of the process that outlived its command.
    pub pid: u32,
    /// Its command line, redacted and shortened. Empty where it could not be read.
    pub command: String,
    /// Whether it held the command's output open.
    pub held_output: bool,
}

/// The stored output of one attempt: both streams in arrival order, redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Log {
    /// File name in the evidence directory.
    pub file: String,
    /// Size in bytes, as stored.
    pub bytes: u64,
    /// SHA-256 of the stored bytes.
    pub sha256: Digest,
    /// Which bytes belong to which stream.
    #[serde(rename = "streamMap")]
    pub streams: StreamMap,
    /// What was redacted, and where in the stored bytes.
    pub redactions: Vec<Redaction>,
    /// How many redactions there were, also beyond those listed.
    pub redaction_count: u64,
}

/// The output streams of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// Both streams.
    pub const ALL: [Self; 2] = [Self::Stdout, Self::Stderr];

    fn word(self) -> &'static str {
        match self {
            Self::Stdout => "out",
            Self::Stderr => "err",
        }
    }
}

/// Which bytes of a log belong to which stream: segments in the order of the log, without gaps, neighbours never of the
/// same stream. In documents a text such as `out 120, err 7`: there may be thousands of segments, which nobody reads line
/// by line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StreamMap(Vec<Segment>);

/// A run of bytes of one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The stream.
    pub stream: Stream,
    /// Length in bytes; never 0.
    pub bytes: u64,
}

impl StreamMap {
    /// Adds bytes at the end.
    pub fn push(&mut self, stream: Stream, bytes: u64) {
        if bytes == 0 {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.stream == stream => last.bytes += bytes,
            _ => self.0.push(Segment { stream, bytes }),
        }
    }

    /// Returns the segments in log order.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Returns the number of bytes of one stream.
    pub fn stream_bytes(&self, stream: Stream) -> u64 {
        self.0.iter().filter(|segment| segment.stream == stream).map(|segment| segment.bytes).sum()
    }

    /// Returns the number of bytes of the whole log.
    pub fn total_bytes(&self) -> u64 {
        self.0.iter().map(|segment| segment.bytes).sum()
    }
}

impl From<StreamMap> for String {
    fn from(map: StreamMap) -> Self {
        let word = |segment: &Segment| format!("{} {}", segment.stream.word(), segment.bytes);
        map.0.iter().map(word).collect::<Vec<_>>().join(", ")
    }
}

impl TryFrom<String> for StreamMap {
    type Error = String;

    /// Takes a map that a capture could have made, in the one way in which it is written.
    fn try_from(text: String) -> Result<Self, String> {
        let mut map = Self::default();
        let mut total = 0_u64;
        for part in text.split(", ").filter(|_| !text.is_empty()) {
            let (word, bytes) = part.split_once(' ').unwrap_or((part, ""));
            let stream = Stream::ALL.into_iter().find(|stream| stream.word() == word);
            let (Some(stream), Ok(bytes)) = (stream, bytes.parse()) else {
                return Err(format!("`{part}` is not a segment of a `streamMap`"));
            };
            total = total.checked_add(bytes).ok_or("`streamMap` holds more bytes than can be counted")?;
            map.push(stream, bytes);
        }
        if String::from(map.clone()) != text {
            return Err("`streamMap` has an empty segment, or neighbours of one stream".to_owned());
        }
        Ok(map)
    }
}

/// Something that was replaced before it was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Redaction {
    /// The rule that found it, such as `variable:GITHUB_TOKEN` or `github-token`.
    pub rule: String,
    /// Offset of the replacement in the log, in bytes.
    pub offset: u64,
    /// Length of the replacement, in bytes.
    pub bytes: u64,
}

/// Something worth telling beside the facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Notice {
    /// What it is about, such as `leaked-process` or `dropped-variable`.
    pub code: NoticeCode,
    /// A sentence for a person: what happened and what to do.
    pub message: String,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeCode {
    /// Processes outlived their command and were stopped.
    LeakedProcess,
    /// The output names a variable that was not passed on.
    DroppedVariable,
    /// The command wanted a terminal, and there is none.
    WantedTerminal,
    /// Secrets were replaced in the output.
    Redacted,
    /// It printed nothing and did no work any more when its deadline came.
    Idle,
    /// Exit code 141 under pipefail: a reader closed the pipe early.
    BrokenPipe,
    /// bash is not there, so a failing command inside a pipe goes unnoticed.
    NoPipefail,
    /// The shell that the specification prefers is not there, and another took its place.
    ShellReplaced,
    /// A service ended before it was stopped.
    ServiceEnded,
    /// Certificates were not checked.
    UncheckedTls,
}

/// The facts of a run that belong to no single action: its header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRecord {
    /// The run.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// When it began.
    #[serde(rename = "startTime")]
    pub started: Timestamp,
    /// When its last action was over.
    #[serde(rename = "endTime")]
    pub ended: Timestamp,
    /// How it ended.
    pub ending: RunEnding,
    /// The machine and program.
    pub host: Host,
    /// Actions that never ran, and why.
    #[serde(deserialize_with = "crate::serial::distinct")]
    pub skipped: BTreeMap<ActionId, SkipReason>,
    /// What it set out to do.
    pub scope: Scope,
    /// What became of the services that were ready, in plan order.
    pub services: Vec<ServiceRecord>,
    /// Notices that belong to the whole run.
    pub notices: Vec<String>,
    /// Under which circumstances it was made.
    #[serde(default)]
    #[serde(rename = "circumstances")]
    pub run_context: RunContext,
}

/// The machine and program that ran it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Host {
    /// Operating system, such as `linux`.
    pub platform: String,
    /// Processor architecture, such as `x86_64`.
    pub architecture: String,
    /// The engine's process id.
    pub process_id: u32,
    /// The program's version.
    pub version: String,
    /// Whether an agent is known to have started it, by the variables that agents set.
    pub agent: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum RunEnding {
    /// All that was to run was run or skipped.
    Finished,
    /// A signal ended it.
    Interrupted {
        /// The signal's number (2 or 15).
        signal: i32,
    },
    /// The engine failed.
    Failed {
        /// What failed.
        message: String,
    },
}
