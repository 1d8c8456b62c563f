//! The observed facts of one attempt, without judgement.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ActionId, Digest, ExecutionId};
use crate::run_context::{RunContext, SharedReceipt};
use crate::selection::Scope;
use crate::time::Timestamp;

pub mod attempt_record;
pub mod file;
pub mod header;
pub mod http;
pub mod interaction;
pub mod service;
mod skip;

pub use self::file::{FileFacts, FileObservation, FileState, GlobFacts, Overrun, SchemaObservation, SyntaxObservation};
use self::http::HttpEnding;
pub use self::http::HttpFacts;
pub use self::interaction::{InteractionEnding, InteractionFacts, Screenshot};
pub use self::service::{ServiceFacts, ServiceRecord};
pub use self::skip::SkipReason;

/// The facts of one attempt of one action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Id of the action.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Time span of the attempt.
    #[serde(rename = "execution")]
    pub span: Span,
    /// The observed facts.
    #[serde(flatten)]
    pub facts: Facts,
    /// Notices for people, in addition to the facts.
    pub notices: Vec<Notice>,
}

/// The time span in which something ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Time of the start.
    #[serde(rename = "startTime")]
    pub started: Timestamp,
    /// Time of the end, when all output was read and leftover processes were stopped.
    #[serde(rename = "endTime")]
    pub ended: Timestamp,
    /// Duration in milliseconds, measured by a monotonic clock.
    #[serde(rename = "duration")]
    pub duration_ms: u64,
}

/// Observed facts, by kind of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Facts {
    /// Facts about a command.
    Command(CommandFacts),
    /// Facts about a file.
    File(FileFacts),
    /// Facts about the files that match a pattern.
    Glob(GlobFacts),
    /// Facts about an HTTP request and its response.
    Http(Box<HttpFacts>),
    /// Facts about a service, until it was ready or given up.
    Service(Box<ServiceFacts>),
    /// Facts about an interaction with a database or a browser.
    Interaction(Box<InteractionFacts>),
    /// No facts: the plan has a problem with this action, and it was not executed.
    NotExecuted,
}

impl Record {
    /// Returns the log: the output of a command or of a service that was given up, the body of a response, or the
    /// content of a file. None: there is none, or there are several.
    pub fn log(&self) -> Option<&Log> {
        match &self.facts {
            Facts::Command(facts) => facts.log.as_ref(),
            Facts::File(facts) => facts.content(),
            Facts::Http(facts) => match &facts.ending {
                HttpEnding::Answered(answer) => answer.body.as_ref(),
                HttpEnding::NoAnswer(_) | HttpEnding::DeadlineExceeded { .. } | HttpEnding::Interrupted => None,
            },
            Facts::Service(facts) => facts.log.as_ref(),
            Facts::Interaction(facts) => facts.answer.as_ref(),
            Facts::Glob(_) | Facts::NotExecuted => None,
        }
    }

    /// Returns the pictures of the page in a browser, in order.
    pub fn screenshots(&self) -> &[Screenshot] {
        match &self.facts {
            Facts::Interaction(facts) => &facts.screenshots,
            _ => &[],
        }
    }

    /// Returns every stored file of the attempt beside its record: its log, and pictures.
    pub fn files(&self) -> impl Iterator<Item = &Log> {
        self.log().into_iter().chain(self.screenshots().iter().map(|screenshot| &screenshot.image))
    }
}

/// Facts about a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandFacts {
    /// Program and arguments as started, including the shell.
    pub argv: Vec<String>,
    /// Absolute path of the working directory.
    #[serde(rename = "workingDirectory")]
    pub directory: String,
    /// The executables that were resolved: the started one first, then those named in a shell command line.
    pub executables: Vec<Executable>,
    /// Environment variables of the command, redacted.
    pub environment: BTreeMap<String, String>,
    /// Names of the caller's environment variables that were not passed on.
    pub dropped_variables: Vec<String>,
    /// How the command ended.
    pub ending: Ending,
    /// Processes that outlived the command and were stopped.
    #[serde(rename = "leakedProcesses")]
    pub leaked: Vec<LeakedProcess>,
    /// Output of the command. None: it was not started.
    #[serde(rename = "output")]
    pub log: Option<Log>,
    /// The container that the command ran. None: it ran none, or none came to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<ContainerFacts>,
}

/// Facts about a container, as inspected after its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContainerFacts {
    /// Id of the container.
    pub id: String,
    /// Name of the image, as the command named it.
    pub image: String,
    /// Digest of the image that ran, `sha256:` and 64 hexadecimal digits. None: it could not be determined.
    pub image_digest: Option<String>,
    /// State, such as `running` or `exited`.
    pub state: String,
    /// Exit code of its main process. None: it runs on.
    pub exit_code: Option<i32>,
}

/// An executable on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Executable {
    /// Name by which it was requested.
    pub name: String,
    /// Absolute path, with links resolved.
    pub path: String,
    /// SHA-256 of the file. None: executable but not readable.
    pub sha256: Option<Digest>,
    /// Version stated by the package that contains it, as npm packages do. None: no package states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Ending {
    /// Exited by itself.
    Exited {
        /// The exit code, 0 to 255.
        code: i32,
    },
    /// Ended by a signal that Referee did not send.
    Signaled {
        /// Number of the signal, such as 9 for SIGKILL.
        signal: i32,
    },
    /// Stopped at its time limit.
    DeadlineExceeded {
        /// The exceeded limit, in milliseconds.
        #[serde(rename = "limitMs")]
        timeout_ms: u64,
        /// Whether the limit was that of the task, not of the action.
        of_task: bool,
        /// Whether it had to be killed after the grace period.
        killed: bool,
    },
    /// Stopped because the run was interrupted.
    Interrupted {
        /// Whether it had to be killed after the grace period.
        killed: bool,
    },
    /// Stopped because its output exceeded the limit.
    OutputLimitExceeded {
        /// Limit of the output, in bytes.
        limit_bytes: u64,
    },
    /// Stopped because it ran too many processes at once.
    ProcessLimitExceeded {
        /// Greatest number of processes that the command may run at once.
        limit: u64,
    },
    /// Stopped because it exceeded its memory limit.
    MemoryLimitExceeded {
        /// Limit of the memory, in bytes.
        limit_bytes: u64,
    },
    /// Could not be started.
    CouldNotStart {
        /// Kind of the start failure.
        cause: StartFailure,
        /// Message of the failure, for people.
        message: String,
    },
}

impl Ending {
    /// Returns the exit code, if the command exited by itself.
    pub fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Exited { code } => Some(*code),
            _ => None,
        }
    }

    /// Returns the name of the signal that ended the command, sent by Referee or not.
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

    /// Returns whether Referee stopped the command (seed 1, `killed`).
    pub fn is_stopped(&self) -> bool {
        !matches!(self, Self::Exited { .. } | Self::Signaled { .. } | Self::CouldNotStart { .. })
    }
}

document_words! {
    /// Reason why a command could not be started.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum StartFailure {
        /// No such program in `PATH`, in `node_modules/.bin` or at the given path.
        NotFound = "not-found",
        /// The file exists and is not executable.
        NotExecutable = "not-executable",
        /// The file is executable and the system cannot run it (unknown format, missing interpreter).
        BadFormat = "bad-format",
        /// The working directory is missing, is not a directory, or lies outside the workspace.
        BadDirectory = "bad-directory",
        /// A required program is not the file that the specification pins.
        NotPinned = "not-pinned",
        /// Any other error of the system.
        System = "system",
    }
}

/// A process that outlived its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeakedProcess {
    /// Process id of the process that outlived its command.
    pub pid: u32,
    /// Command line, redacted and shortened. Empty: it could not be read.
    pub command: String,
    /// Whether the process held the command's output open.
    pub held_output: bool,
}

/// The stored output of one attempt: both streams in order of arrival, redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Log {
    /// Name of the file in the evidence directory.
    pub file: String,
    /// Size as stored, in bytes.
    pub bytes: u64,
    /// SHA-256 of the stored bytes.
    pub sha256: Digest,
    /// Map of the bytes to the streams.
    #[serde(rename = "streamMap")]
    pub streams: StreamMap,
    /// Redactions in the stored bytes.
    pub redactions: Vec<Redaction>,
    /// Number of redactions, including unlisted ones.
    pub redaction_count: u64,
}

impl Log {
    /// Returns a log in which nothing was redacted.
    pub fn of(file: impl Into<String>, bytes: u64, sha256: Digest, streams: StreamMap) -> Self {
        Self { file: file.into(), bytes, sha256, streams, redactions: Vec::new(), redaction_count: 0 }
    }
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

/// Map of a log's bytes to the streams: segments in log order, without gaps, adjacent ones always of different
/// streams. In documents a text such as `out 120, err 7`, since there may be thousands of segments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StreamMap(Vec<Segment>);

/// A sequence of bytes of one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Stream of the bytes.
    pub stream: Stream,
    /// Length in bytes; never 0.
    pub bytes: u64,
}

impl StreamMap {
    /// Appends bytes at the end.
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

    /// Parses a map in its canonical spelling.
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

/// A secret that was replaced before the output was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Redaction {
    /// Rule that detected it, such as `variable:GITHUB_TOKEN` or `github-token`.
    pub rule: String,
    /// Byte offset of the replacement in the log.
    pub offset: u64,
    /// Length of the replacement, in bytes.
    pub bytes: u64,
}

/// A notice for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Notice {
    /// Subject of the notice, such as `leaked-process` or `dropped-variable`.
    pub code: NoticeCode,
    /// One sentence: what happened and what to do.
    pub message: String,
}

document_words! {
    /// Subject of a notice.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum NoticeCode {
        /// Processes outlived their command and were stopped.
        LeakedProcess = "leaked-process",
        /// The output mentions an environment variable that was not passed on.
        DroppedVariable = "dropped-variable",
        /// The command requires a terminal, and there is none.
        WantedTerminal = "wanted-terminal",
        /// Secrets were replaced in the output.
        Redacted = "redacted",
        /// The command was idle without output when its time limit was reached.
        Idle = "idle",
        /// Exit code 141 with pipefail: a reader closed the pipe early.
        BrokenPipe = "broken-pipe",
        /// bash is not available, so a failing command within a pipeline goes unnoticed.
        NoPipefail = "no-pipefail",
        /// The shell preferred by the specification is not available, and another one was used.
        ShellReplaced = "shell-replaced",
        /// A service ended before it was stopped.
        ServiceEnded = "service-ended",
        /// A service counts as ready although the system does not say which process listens at its port.
        UnknownListener = "unknown-listener",
        /// TLS certificates were not verified.
        UncheckedTls = "unchecked-tls",
        /// A container could not be inspected or removed, one of a killed run was removed, or the command ran outside
        /// of the sandbox.
        Container = "container",
    }
}

/// The header of a run: the facts that do not belong to a single action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRecord {
    /// Id of the run.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// Time at which the run began.
    #[serde(rename = "startTime")]
    pub started: Timestamp,
    /// Time at which the last action ended.
    #[serde(rename = "endTime")]
    pub ended: Timestamp,
    /// How the run ended.
    pub ending: RunEnding,
    /// The host that the run was made on.
    pub host: Host,
    /// Actions that did not run, with the reason.
    #[serde(deserialize_with = "crate::serial::distinct")]
    pub skipped: BTreeMap<ActionId, SkipReason>,
    /// Scope of the run: its profile, and whether anything was left out.
    pub scope: Scope,
    /// Records of the services that had been ready, in plan order.
    pub services: Vec<ServiceRecord>,
    /// Notices that concern the whole run.
    pub notices: Vec<String>,
    /// Context of the run: the state of inputs, protected files, waivers and the like.
    #[serde(default)]
    #[serde(rename = "circumstances")]
    pub run_context: RunContext,
}

impl RunRecord {
    /// Returns when the actions ran, first to last: during this run, or during an earlier one that answered for it.
    pub fn performed(&self) -> (Timestamp, Timestamp) {
        match &self.run_context.shared_receipt {
            Some(SharedReceipt::Taken { started, ended, .. }) => (*started, *ended),
            Some(SharedReceipt::NotTaken { .. }) | None => (self.started, self.ended),
        }
    }
}

/// The machine and the program that made a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Host {
    /// Operating system, such as `linux`.
    pub platform: String,
    /// Processor architecture, such as `x86_64`.
    pub architecture: String,
    /// Id of the engine's process.
    pub process_id: u32,
    /// Version of Referee.
    pub version: String,
    /// Agent that started the run, as detected from environment variables. None: no agent was detected.
    pub agent: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum RunEnding {
    /// Everything was run or skipped as planned.
    Finished,
    /// A signal interrupted the run.
    Interrupted {
        /// Number of the signal (2 or 15).
        signal: i32,
    },
    /// The engine failed.
    Failed {
        /// Error message.
        message: String,
    },
}
