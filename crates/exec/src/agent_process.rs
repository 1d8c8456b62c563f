//! The process of a coding agent for one turn: started in a process group of its own, watched until it ends, and
//! all that it leaves behind ended with it. This module interprets neither the prompt nor the output.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use referee_model::id::ExecutionId;
use referee_model::limit;
use referee_model::plan::guard::Limits;
use referee_model::record::{Ending, LeakedProcess, Log, Stream};
use referee_model::time::Timestamp;
use rustix::event::{PollFd, PollFlags, Timespec};

use crate::attempt::{self, Bounds, Demand, ExecError, Running, Stay, Watcher};
use crate::capture::{Capture, Pump, SinkError};
use crate::command::left_behind;
use crate::environment;
use crate::group::Tree;
use crate::host::Host;
use crate::memory_file;
use crate::meter::Meter;
use crate::process_registry::Marker;
use crate::process_table;
use crate::resolve::{self, Refusal, WorkingDirectory};
use crate::shim::Shim;
use crate::signal::Cancellation;
use crate::silence::Listening;
use crate::spawn::{self, Launch};

/// A turn of a coding agent, ready to be started.
#[derive(Debug)]
pub struct AgentCommand<'turn> {
    /// Program and arguments, run without a shell and as they are.
    pub argv: &'turn [String],
    /// Working directory of the agent.
    pub directory: &'turn Path,
    /// Complete environment of the agent; the marker is added.
    pub environment: BTreeMap<OsString, OsString>,
    /// Standard input of the agent.
    pub input: &'turn [u8],
    /// Id by which the processes that the agent starts are recognized, even after this process has died.
    pub marker: &'turn ExecutionId,
    /// Number of the turn, from 1.
    pub turn: u32,
    /// Timeout of the turn in milliseconds.
    pub timeout_ms: u64,
    /// Time between the request to end and the kill, in milliseconds.
    pub grace_ms: u64,
}

/// How a turn of an agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEnd {
    pub ending: Ending,
    pub started: Timestamp,
    /// Time at which none of its processes was left.
    pub ended: Timestamp,
    /// Milliseconds from `started` to `ended`.
    pub duration_ms: u64,
    /// Processes that outlived the agent and were ended; those that could not be ended come last.
    pub leaked: Vec<LeakedProcess>,
}

/// Callback that receives the agent's output as it arrives.
pub type Tap = Box<dyn FnMut(Stream, &[u8]) + Send>;

/// Runs a turn. Output goes to the tap only; an agent that prints more than [`limit::AGENT_OUTPUT_BYTES`] is
/// stopped. The first request to stop asks the agent to end, the second kills it.
///
/// # Errors
/// Fails where the system refuses something that no run can do without. An agent that cannot be started is an
/// ending, not an error.
pub fn run_agent(
    command: &AgentCommand<'_>,
    host: &Host,
    cancellation: &Cancellation,
    tap: Tap,
) -> Result<AgentEnd, ExecError> {
    run_bounded(command, host, cancellation, tap, limit::AGENT_OUTPUT_BYTES)
}

/// Like [`run_agent`], for a program that is stopped when it prints more than `output_bytes` on both streams
/// together.
///
/// # Errors
/// As [`run_agent`].
pub fn run_bounded(
    command: &AgentCommand<'_>,
    host: &Host,
    cancellation: &Cancellation,
    tap: Tap,
    output_bytes: u64,
) -> Result<AgentEnd, ExecError> {
    let system = |what| move |source| ExecError::System { what, source };
    process_table::adopt_orphans().map_err(system("let this process see and adopt orphans"))?;
    let input = memory_file::holding("prompt", command.input).map_err(system("keep a prompt"))?;
    let (started, began) = (host.clock.now(), Instant::now());
    let bounds = Bounds {
        deadline: began + Duration::from_millis(command.timeout_ms.min(limit::ACTION_DEADLINE_MS_MAX)),
        timeout_ms: command.timeout_ms,
        of_task: false,
        grace: Duration::from_millis(command.grace_ms.min(limit::GRACE_MS_MAX)),
    };
    let (ending, leaked) = match start(command, host, &input) {
        Ok((mut running, pipes)) => {
            let [stdout, stderr] = pipes;
            let mut pump = Pump::new(stdout, stderr, Box::new(Tapped(tap)), None, output_bytes);
            let mut tick = || {
                Ok(match cancellation.level() {
                    0 => Demand::GoOn,
                    1 => Demand::Stop,
                    _ => Demand::Kill,
                })
            };
            let mut watcher = Watcher { wake: cancellation.wake(), tick: &mut tick };
            let ended = attempt::supervise(&mut running, &mut pump, &bounds, Stay::Itself, &mut watcher)?;
            let (leaked, _) = left_behind(&ended);
            (ended.ending, leaked)
        }
        Err(refusal) => (Ending::CouldNotStart { cause: refusal.cause, message: refusal.message }, Vec::new()),
    };
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(AgentEnd { ending, started, ended: host.clock.now(), duration_ms, leaked })
}

fn start(command: &AgentCommand<'_>, host: &Host, input: &OwnedFd) -> Result<(Running, [OwnedFd; 2]), Refusal> {
    let place = WorkingDirectory { workspace: command.directory.to_owned(), directory: command.directory.to_owned() };
    let name = command.argv.first().map(String::as_str).unwrap_or_default();
    let path = command.environment.get(OsStr::new("PATH")).map(OsString::as_os_str);
    let program = resolve::find(name, &place, path)?;
    let marker = Marker { execution: command.marker.as_str().to_owned(), action: format!("AGENT.{}", command.turn) };
    let mut variables = command.environment.clone();
    variables.insert(environment::EXECUTION.into(), marker.execution.clone().into());
    variables.insert(environment::ACTION.into(), marker.action.clone().into());
    variables.insert("PWD".into(), command.directory.into());
    let shim = Shim { program: &host.shim, sandbox: None, groups: &[] };
    let started = spawn::start(&Launch {
        program: &program,
        name,
        arguments: command.argv.get(1..).unwrap_or_default(),
        directory: command.directory,
        variables: &variables,
        marker: &marker,
        input: Some(input.as_fd()),
        // A program at a terminal could otherwise wait for input that never comes.
        shim: host.controlling_terminal.then_some(shim),
    })?;
    let tree = Tree::of(&started.leader);
    let meter = Meter::new(Limits::default(), None);
    let pipes = [started.stdout.into(), started.stderr.into()];
    Ok((Running { leader: started.leader, tree, meter, listening: Listening::new(None) }, pipes))
}

/// Waits for the given time, or until there is a request to stop. Returns whether there is one.
pub fn pause(cancellation: &Cancellation, milliseconds: u64) -> bool {
    let until = Instant::now() + Duration::from_millis(milliseconds.min(limit::ACTION_DEADLINE_MS_MAX));
    loop {
        if cancellation.level() > 0 {
            return true;
        }
        let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
            return false;
        };
        let seconds = i64::try_from(left.as_secs()).unwrap_or(i64::MAX);
        let bound = Timespec { tv_sec: seconds, tv_nsec: i64::from(left.subsec_nanos()) };
        let wake = cancellation.wake();
        // Whatever the result, the time and the requests are checked again.
        let _ =
            spawn::retry(|| rustix::event::poll(&mut [PollFd::from_borrowed_fd(wake, PollFlags::IN)], Some(&bound)));
    }
}

/// A capture that passes all output on and stores nothing.
struct Tapped(Tap);

impl Capture for Tapped {
    fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
        (self.0)(stream, bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        Err(SinkError::new("an agent's output has no log"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, Mutex};

    use signal_hook::consts::SIGINT;

    use super::*;
    use crate::host::{Clock, Confines};

    fn host() -> Host {
        Host {
            environment: Vec::new(),
            shim: "/bin/false".into(),
            controlling_terminal: false,
            clock: Clock::starting_at(Timestamp::from_millisecond(0)),
            confines: Confines::default(),
        }
    }

    /// Runs a line of sh with this prompt, and returns how it ended and its standard output.
    fn run(line: &str, input: &str, timeout_ms: u64, cancellation: &Cancellation) -> (AgentEnd, String) {
        run_argv(&["sh", "-c", line], input, timeout_ms, cancellation)
    }

    fn run_argv(argv: &[&str], input: &str, timeout_ms: u64, cancellation: &Cancellation) -> (AgentEnd, String) {
        // Tests run in parallel in one process, so each marks its own processes.
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let marker = format!("exec-run-agent-{}", RUNS.fetch_add(1, Ordering::Relaxed));
        let printed = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&printed);
        let command = AgentCommand {
            argv: &argv.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(),
            directory: Path::new("/"),
            environment: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
            input: input.as_bytes(),
            marker: &ExecutionId::parse(marker).unwrap(),
            turn: 2,
            timeout_ms,
            grace_ms: 200,
        };
        let tap = move |stream: Stream, bytes: &[u8]| {
            if stream == Stream::Stdout {
                kept.lock().unwrap().extend_from_slice(bytes);
            }
        };
        let end = run_agent(&command, &host(), cancellation, Box::new(tap)).unwrap();
        let printed = String::from_utf8(printed.lock().unwrap().clone()).unwrap();
        (end, printed)
    }

    #[test]
    fn an_agent_reads_its_prompt_and_carries_the_marker() {
        let never = Cancellation::new().unwrap();
        let (end, printed) = run("cat; echo $REFEREE_EXECUTION $REFEREE_ACTION; exit 3", "fix\n", 60_000, &never);
        assert_eq!(end.ending, Ending::Exited { code: 3 });
        assert!(printed.starts_with("fix\nexec-run-agent-") && printed.ends_with(" AGENT.2\n"), "{printed}");
    }

    #[test]
    fn what_it_leaves_behind_is_ended_with_it() {
        let never = Cancellation::new().unwrap();
        let (end, printed) = run("setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $!", "", 60_000, &never);
        assert_eq!(end.ending, Ending::Exited { code: 0 });
        assert_eq!(end.leaked.len(), 1, "{:?}", end.leaked);
        assert!(!crate::own::is_alive(printed.trim().parse().unwrap()));
    }

    #[test]
    fn deadlines_requests_and_missing_programs_are_endings() {
        let never = Cancellation::new().unwrap();
        let hanging = "trap '' TERM; while :; do sleep 1; done";
        let (end, _) = run(hanging, "", 300, &never);
        assert_eq!(end.ending, Ending::DeadlineExceeded { timeout_ms: 300, of_task: false, killed: true });
        let (end, _) = run("kill -9 $$", "", 60_000, &never);
        assert_eq!(end.ending, Ending::Signaled { signal: 9 });
        let asked = Cancellation::new().unwrap();
        asked.request(SIGINT);
        assert!(matches!(run("sleep 600", "", 60_000, &asked).0.ending, Ending::Interrupted { .. }));
        for argv in [&["no-such-agent"][..], &[""], &[], &["/etc/passwd"]] {
            let (end, _) = run_argv(argv, "", 60_000, &never);
            assert!(matches!(end.ending, Ending::CouldNotStart { .. }), "{argv:?}: {end:?}");
        }
    }

    #[test]
    fn a_program_that_prints_more_than_it_may_is_stopped() {
        let command = AgentCommand {
            argv: &["yes".to_owned()],
            directory: Path::new("/"),
            environment: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
            input: b"",
            marker: &ExecutionId::parse("exec-run-bounded".to_owned()).unwrap(),
            turn: 1,
            timeout_ms: 60_000,
            grace_ms: 200,
        };
        let never = Cancellation::new().unwrap();
        let end = run_bounded(&command, &host(), &never, Box::new(|_, _| {}), 10_000).unwrap();
        assert_eq!(end.ending, Ending::OutputLimitExceeded { limit_bytes: 10_000 });
    }

    #[test]
    fn a_pause_ends_at_a_request() {
        let cancellation = Cancellation::new().unwrap();
        assert!(!pause(&cancellation, 1));
        cancellation.request(SIGINT);
        assert!(pause(&cancellation, 3_600_000));
    }
}
