//! The program that performs an order: its process, and how it ends.

use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use referee_model::order_protocol::{PerformRequest, WorkRequest};
use referee_model::run_order::OrderOutcome;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::access::VARIABLES;
use super::log::OrderName;
use super::transcript::{Lines, Transcript, TranscriptError};

/// Time to end after a signal, before the process group is killed.
const GRACE: Duration = Duration::from_secs(10);

/// Time to end after the outcome, or to read what is left after the end.
const REST: Duration = Duration::from_secs(2);

/// Whether a worker stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    No,
    /// Programs are asked to end.
    Asked,
    /// Programs are killed.
    Kill,
}

/// How an attempt at an order ended.
#[derive(Debug)]
pub(super) enum AttemptEnd {
    /// With an answer.
    Outcome(OrderOutcome),
    /// Without one. Why, as a part of a sentence.
    Lost(String),
    /// The queue cancelled it, or gave the order to somebody else.
    Cancelled,
    /// The worker stops.
    Stopped,
}

/// What may end an attempt from outside.
pub(super) struct Interrupts {
    pub(super) cancel: oneshot::Receiver<()>,
    pub(super) stop: watch::Receiver<Stop>,
}

/// What was read of a program so far, for signs of life.
pub(super) type SharedTranscript = Arc<Mutex<Transcript>>;

/// Performs an order. What the program wrote is noted in the transcript while it runs.
pub(super) async fn perform(
    work: &WorkRequest,
    request: &PerformRequest,
    name: &OrderName,
    transcript: &SharedTranscript,
    mut interrupts: Interrupts,
) -> AttemptEnd {
    let mut process = match Process::start(work, request, name) {
        Ok(process) => process,
        Err(error) => return AttemptEnd::Lost(format!("cannot start {}: {error}", work.program.display())),
    };
    let end = process.watch(transcript, &mut interrupts).await;
    process.end(&end, &mut interrupts.stop).await;
    end
}

/// A process with its process group.
struct Process {
    child: Child,
    group: Option<Pid>,
    output: Lines<Box<dyn AsyncRead + Send + Unpin>>,
    relay: JoinHandle<()>,
}

impl Process {
    fn start(work: &WorkRequest, request: &PerformRequest, name: &OrderName) -> std::io::Result<Self> {
        let input = serde_json::to_vec(request)?;
        let mut command = Command::new(&work.program);
        command
            .args(&work.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        for variable in VARIABLES {
            command.env_remove(variable);
        }
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read its request is judged by what it writes.
            tokio::spawn(async move { stdin.write_all(&input).await });
        }
        let output: Box<dyn AsyncRead + Send + Unpin> = match child.stdout.take() {
            Some(stdout) => Box::new(stdout),
            None => Box::new(tokio::io::empty()),
        };
        let (stderr, name) = (child.stderr.take(), name.clone());
        let relay = tokio::spawn(async move {
            let Some(stderr) = stderr else { return };
            let mut lines = Lines::new(stderr);
            while let Ok(Some(line)) = lines.next().await {
                name.relay(&line);
            }
        });
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Ok(Self { child, group, output: Lines::new(output), relay })
    }

    /// Reads what the program writes until it has ended, or is interrupted.
    async fn watch(&mut self, transcript: &SharedTranscript, interrupts: &mut Interrupts) -> AttemptEnd {
        let rest = sleep(Duration::MAX);
        tokio::pin!(rest);
        let mut has_ended = false;
        loop {
            tokio::select! {
                line = self.output.next() => match line.and_then(|line| note(transcript, line)) {
                    Ok(None) => {}
                    Ok(Some(outcome)) => return AttemptEnd::Outcome(outcome),
                    Err(problem) => return AttemptEnd::Lost(problem.to_string()),
                },
                _ = self.child.wait(), if !has_ended => {
                    has_ended = true;
                    rest.as_mut().reset(tokio::time::Instant::now() + REST);
                }
                // Somebody who was started by the program holds its output open.
                () = &mut rest, if has_ended => return match note(transcript, None) {
                    Ok(Some(outcome)) => AttemptEnd::Outcome(outcome),
                    _ => AttemptEnd::Lost(TranscriptError::NoOutcome.to_string()),
                },
                _ = &mut interrupts.cancel => return AttemptEnd::Cancelled,
                _ = interrupts.stop.wait_for(|stop| *stop != Stop::No) => return AttemptEnd::Stopped,
            }
        }
    }

    /// Ends what is left of the process group.
    async fn end(mut self, end: &AttemptEnd, stop: &mut watch::Receiver<Stop>) {
        let is_done = matches!(end, AttemptEnd::Outcome(_)) && timeout(REST, self.child.wait()).await.is_ok();
        if !is_done {
            self.signal(Signal::TERM);
            tokio::select! {
                _ = timeout(GRACE, self.child.wait()) => {}
                _ = stop.wait_for(|stop| *stop == Stop::Kill) => {}
            }
        }
        self.signal(Signal::KILL);
        // It was killed: this only takes its status.
        let _ = timeout(REST, self.child.wait()).await;
        if timeout(REST, &mut self.relay).await.is_err() {
            self.relay.abort();
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // Fails if nothing is left of the group.
            let _ = kill_process_group(group, signal);
        }
    }
}

/// Notes a line, or the end of the output, which gives the outcome.
fn note(transcript: &SharedTranscript, line: Option<Vec<u8>>) -> Result<Option<OrderOutcome>, TranscriptError> {
    let mut transcript = transcript.lock().unwrap_or_else(PoisonError::into_inner);
    match line {
        Some(line) => transcript.add(&line).map(|()| None),
        None => transcript.outcome().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::num::NonZeroUsize;

    use referee_model::depot::DepotAddress;
    use referee_model::id::{Digest, ProjectName, TaskId, WorkspacePath};
    use referee_model::order_protocol::WorkerOrder;
    use referee_model::run_order::RunOrder;
    use referee_model::sandbox::SandboxMode;
    use referee_model::tree_manifest::ContentLink;

    use super::*;

    #[tokio::test]
    async fn a_program_that_cannot_be_started_loses_the_attempt() {
        let work = WorkRequest {
            labels: BTreeSet::new(),
            jobs: NonZeroUsize::MIN,
            program: "/nowhere/referee".into(),
            arguments: Vec::new(),
        };
        let digest = Digest::of("");
        let order = RunOrder {
            project: ProjectName::parse("project").unwrap(),
            tree: ContentLink { sha256: digest, bytes: 0 },
            inputs: digest,
            specification: WorkspacePath::root(),
            specification_digest: digest,
            task: TaskId::parse("T001").unwrap(),
            left_out: BTreeMap::new(),
            jobs: None,
            timeout_ms: None,
            sandbox: SandboxMode::Off,
            engine_version: String::new(),
            labels: BTreeSet::new(),
        };
        let (order, depot) = (WorkerOrder::Run(order), DepotAddress::Files { directory: "/".into() });
        let request = PerformRequest { order, depot, authorization: None, attempt: 1 };
        let ((_hold, cancel), (_stop, stop)) = (oneshot::channel(), watch::channel(Stop::No));
        let name = OrderName::new(digest);
        let end = perform(&work, &request, &name, &SharedTranscript::default(), Interrupts { cancel, stop }).await;
        let AttemptEnd::Lost(reason) = end else { panic!("{end:?}") };
        assert!(reason.starts_with("cannot start /nowhere/referee: "), "{reason}");
    }
}
