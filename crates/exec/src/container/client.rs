//! Questions to docker or podman beside an action's own command: with the same program, options, directory and
//! environment, and each with a deadline.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee_model::id::ActionId;
use referee_model::plan::EvidenceCapture;
use referee_model::record::{Ending, Log, Stream};

use crate::attempt::{self, Bounds, Demand, Ended, ExecError, Stay, StopRequest, Watcher};
use crate::capture::{Capture, Pump, SinkError};
use crate::launch::{Launcher, Start};

/// Maximum length of an answer in bytes, on both streams together.
const ANSWER_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum length of the quoted reason why a question was not answered, in characters.
const REASON_CHARACTERS: usize = 300;

/// Time between the request to end and the kill of a program that does not answer.
const GRACE: Duration = Duration::from_millis(500);

/// The program and everything else that questions need.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) program: PathBuf,
    /// Name of the program, and the options before the subcommand.
    pub(super) words: Vec<String>,
    pub(super) directory: PathBuf,
    pub(super) variables: BTreeMap<OsString, OsString>,
    /// Action that the containers are started for.
    pub(super) action: ActionId,
    pub(super) is_sandboxed: bool,
    /// Whether a question was not answered in time; then no more are asked.
    pub(super) is_silent: Arc<AtomicBool>,
}

/// Reason why a question was not answered.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The program failed, with this text.
    Refused(String),
    /// It did not answer in time, now or earlier.
    Silent,
}

impl NoAnswer {
    /// Whether the program says that there is no such container.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Refused(reason) if reason.to_lowercase().contains("no such"))
    }
}

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(reason) => formatter.write_str(reason),
            Self::Silent => formatter.write_str("the program did not answer in time"),
        }
    }
}

impl Client {
    /// Name of the program, for messages.
    pub(super) fn name(&self) -> &str {
        &self.words[0]
    }

    /// Asks, and returns the standard output of a program that exits with 0.
    pub(super) fn ask(&self, launcher: &Launcher<'_>, words: &[&str], bound: Duration) -> Result<Vec<u8>, NoAnswer> {
        let answer = Arc::new(Mutex::new([Vec::new(), Vec::new()]));
        let capture = Box::new(Answer(Arc::clone(&answer)));
        let ended = self.run(launcher, words, bound, EvidenceCapture::default(), (capture, ANSWER_BYTES))?;
        let [stdout, stderr] = std::mem::take(&mut *answer.lock().unwrap_or_else(PoisonError::into_inner));
        match ended.ending {
            Ending::Exited { code: 0 } => Ok(stdout),
            Ending::Exited { code } => {
                let stderr = String::from_utf8_lossy(&stderr);
                let last = stderr.lines().rev().map(str::trim).find(|line| !line.is_empty());
                let reason = last.map_or_else(|| format!("exit code {code}"), str::to_owned);
                Err(NoAnswer::Refused(reason.chars().take(REASON_CHARACTERS).collect()))
            }
            Ending::DeadlineExceeded { .. } => {
                self.is_silent.store(true, Ordering::Relaxed);
                Err(NoAnswer::Silent)
            }
            other => Err(NoAnswer::Refused(format!("it ended otherwise than by itself: {other:?}"))),
        }
    }

    /// Asks, and stores both output streams; what arrives before the deadline is kept.
    pub(super) fn store(
        &self,
        launcher: &Launcher<'_>,
        words: &[&str],
        bound: Duration,
        evidence: EvidenceCapture,
        capture: Box<dyn Capture>,
    ) -> Result<(Log, Option<NoAnswer>), ExecError> {
        // An error of storing ends the run, and an unavailable program does not.
        let stored = Arc::new(Mutex::new(Stored { capture: Some(capture), failure: None }));
        let output_bytes = launcher.output_bytes();
        let capture = Box::new(Storing(Arc::clone(&stored)));
        let run = self.run(launcher, words, bound, evidence, (capture, output_bytes));
        let Stored { capture, failure } = std::mem::take(&mut *stored.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(failure) = failure {
            return Err(failure.into());
        }
        let Some(capture) = capture else {
            return Err(SinkError::new("the output of a container is stored once").into());
        };
        let reason = match run {
            Err(no_answer) => Some(no_answer),
            Ok(ended) => match ended.ending {
                Ending::Exited { code: 0 } => None,
                Ending::DeadlineExceeded { .. } => Some(NoAnswer::Silent),
                other => Some(NoAnswer::Refused(format!("it ended with {other:?}"))),
            },
        };
        Ok((capture.finish()?, reason))
    }

    fn run(
        &self,
        launcher: &Launcher<'_>,
        words: &[&str],
        bound: Duration,
        evidence: EvidenceCapture,
        (capture, output_bytes): (Box<dyn Capture>, u64),
    ) -> Result<Ended, NoAnswer> {
        if self.is_silent.load(Ordering::Relaxed) {
            return Err(NoAnswer::Silent);
        }
        let refused = |error: &dyn std::fmt::Display| NoAnswer::Refused(error.to_string());
        let mut argv = self.words.clone();
        argv.extend(words.iter().map(|word| (*word).to_owned()));
        let start = Start {
            program: &self.program,
            argv: &argv,
            directory: &self.directory,
            variables: &self.variables,
            marker: &launcher.marker(&self.action),
            input: None,
            is_sandboxed: self.is_sandboxed,
        };
        // Requests to stop do not reach a question, whose time is short.
        let nobody = StopRequest::new().map_err(|error| refused(&error))?;
        let (mut running, pipes) = launcher.launch(&start).map_err(|refusal| refused(&refusal.message))?;
        let mut pump = Pump::new(pipes.stdout, pipes.stderr, capture, None, output_bytes).keeping(evidence);
        let timeout_ms = u64::try_from(bound.as_millis()).unwrap_or(u64::MAX);
        let bounds = Bounds { deadline: Instant::now() + bound, timeout_ms, of_task: false, grace: GRACE };
        let mut tick = || Ok(Demand::GoOn);
        let mut watcher = Watcher { wake: nobody.wake(), tick: &mut tick };
        attempt::supervise(&mut running, &mut pump, &bounds, Stay::Itself, &mut watcher)
            .map_err(|error| refused(&error))
    }
}

/// Keeps an answer in memory, each stream for itself.
struct Answer(Arc<Mutex<[Vec<u8>; 2]>>);

impl Capture for Answer {
    fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        streams[usize::from(stream == Stream::Stderr)].extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        Err(SinkError::new("an answer has no log"))
    }
}

/// A capture that outlives the program whose output it stores.
#[derive(Default)]
struct Stored {
    capture: Option<Box<dyn Capture>>,
    failure: Option<SinkError>,
}

struct Storing(Arc<Mutex<Stored>>);

impl Capture for Storing {
    fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
        let mut stored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(capture) = &mut stored.capture else { return Ok(()) };
        if let Err(error) = capture.append(stream, bytes) {
            let message = error.to_string();
            stored.failure = Some(error);
            return Err(SinkError::new(message));
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        Err(SinkError::new("the log is finished by whoever began it"))
    }
}
