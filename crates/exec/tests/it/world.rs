//! A workspace, a plan that is built line by line, and an observer and sink for its run.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use referee_exec::{
    Answer, Cancellation, Capture, Clock, ExecError, Host, Observer, ObserverError, Schedule, Sink, SinkError,
};
use referee_model::event::EventKind;
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::plan::service::PrerequisiteKind;
use referee_model::plan::{
    Action, CaptureName, Command, Completion, FileCheck, Form, Invocation, Phase, Plan, Service, Shell, Specification,
    StepOrder, Work,
};
use referee_model::record::service::Readiness;
use referee_model::record::{
    CommandFacts, Ending, Facts, Log, NoticeCode, Record, RunEnding, ServiceFacts, ServiceRecord, SkipReason, Stream,
    StreamMap,
};
use referee_model::time::Timestamp;
use tempfile::TempDir;

/// Longest time that a test waits for an expected event.
pub(crate) const BOUND: Duration = Duration::from_secs(30);

/// Runs share this process and its children, so they run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

pub(crate) struct Fixture {
    directory: TempDir,
    pub(crate) plan: Plan,
    pub(crate) host: Host,
    pub(crate) execution: ExecutionId,
    pub(crate) cancellation: Cancellation,
    pub(crate) answers: BTreeMap<String, Answer>,
    pub(crate) failing: Failing,
    pub(crate) jobs: usize,
    pub(crate) time_left_ms: Option<u64>,
    _alone: MutexGuard<'static, ()>,
}

/// The operation whose result cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failing {
    Nothing,
    Begin,
    Append,
    Finish,
    Started,
    Finished,
    Interrupting,
    Stopped,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = tempfile::tempdir().unwrap();
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let execution = ExecutionId::parse(format!("exec-test-{}-{number}", std::process::id())).unwrap();
        let host = Host {
            environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            shim: env!("CARGO_BIN_EXE_exec-test-shim").into(),
            controlling_terminal: false,
            clock: Clock::starting_at(Timestamp::from_millisecond(1_000)),
            confines: referee_exec::Confines::default(),
        };
        let plan = Plan {
            completion: Completion { minimum_pass_rate: 0.0, ..Completion::default() },
            step_order: StepOrder::Free,
            ..Plan::of(
                Specification {
                    file: "referee.yaml".to_owned(),
                    form: Form::Short,
                    digest: Digest::from_bytes([0; 32]),
                },
                TaskId::parse("T001").unwrap(),
                "test".to_owned(),
                directory.path().into(),
                directory.path().join("evidence"),
                Vec::new(),
            )
        };
        let cancellation = Cancellation::new().unwrap();
        let answers = BTreeMap::new();
        let failing = Failing::Nothing;
        Self {
            directory,
            plan,
            host,
            execution,
            cancellation,
            answers,
            failing,
            jobs: 1,
            time_left_ms: None,
            _alone: alone,
        }
    }

    /// Returns the absolute path of a file in the workspace.
    pub(crate) fn path(&self, name: &str) -> String {
        self.directory.path().join(name).to_str().unwrap().to_owned()
    }

    /// Creates a file in the workspace.
    pub(crate) fn file(&self, name: &str, text: &str, mode: u32) {
        let path = PathBuf::from(self.path(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn add(&mut self, phase: Phase, work: Work) -> &mut Action {
        let name = match phase {
            Phase::Prerequisite => "PREREQ",
            Phase::Step => "STEP",
            Phase::Cleanup => "CLEANUP",
        };
        let number = self.plan.actions.iter().filter(|action| action.phase == phase).count() + 1;
        let id = ActionId::parse(format!("{name}.{number}")).unwrap();
        self.plan.actions.push(Action {
            timeout_ms: 60_000,
            grace_ms: 200,
            ..Action::of(id, phase, format!("{name} {number}"), work)
        });
        self.plan.actions.last_mut().unwrap()
    }

    /// Adds an action that runs this command.
    pub(crate) fn argv(&mut self, phase: Phase, words: &[&str]) -> &mut Action {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.add(phase, Work::Command(command(Invocation::Argv(words))))
    }

    /// Adds an action that runs `fake-tool`.
    pub(crate) fn tool(&mut self, phase: Phase, script: &[&str]) -> &mut Action {
        let tool = tool();
        let words: Vec<&str> = std::iter::once(tool.as_str()).chain(script.iter().copied()).collect();
        self.argv(phase, &words)
    }

    /// Adds an action that a shell runs.
    pub(crate) fn line(&mut self, line: &str, pipefail: bool) -> &mut Action {
        let shell = Shell::default();
        self.add(Phase::Step, Work::Command(command(Invocation::Shell { line: line.to_owned(), pipefail, shell })))
    }

    /// Adds a prerequisite that starts `fake-tool` as a service, without readiness probes and without a port.
    pub(crate) fn service(&mut self, script: &[&str]) -> &mut Action {
        let words = std::iter::once(tool()).chain(script.iter().map(|word| (*word).to_owned())).collect();
        self.add(Phase::Prerequisite, Work::Service(Box::new(service(Some(command(Invocation::Argv(words)))))))
    }

    pub(crate) fn check(&mut self, check: FileCheck) -> &mut Action {
        self.add(Phase::Step, Work::File(check))
    }

    /// Runs the plan; none of its processes may be alive afterwards.
    pub(crate) fn run(&mut self) -> RunLog {
        self.run_with(&mut |_| ()).expect("the run goes through")
    }

    /// Runs the plan, and calls `idle` in the meantime.
    pub(crate) fn run_with(&mut self, idle: &mut dyn FnMut(&Cancellation)) -> Result<RunLog, ExecError> {
        let sink = MemorySink { outputs: Arc::default(), learned: Mutex::default(), failing: self.failing };
        let mut recorder = Recorder {
            answers: self.answers.clone(),
            plan: self.plan.clone(),
            failing: self.failing,
            refused: false,
            happenings: Vec::new(),
            failed: BTreeMap::new(),
            cancellation: self.cancellation.clone(),
            idle,
        };
        let schedule = Schedule { jobs: NonZeroUsize::new(self.jobs).unwrap(), time_left_ms: self.time_left_ms };
        let ended = referee_exec::run(
            &self.plan,
            &schedule,
            &self.execution,
            &self.host,
            &sink,
            &mut recorder,
            &self.cancellation,
        );
        let happenings = recorder.happenings;
        assert_eq!(marked(&self.execution), Vec::<u32>::new(), "nothing of the run is alive");
        let outputs = std::mem::take(&mut *sink.outputs.lock().unwrap());
        Ok(RunLog { ending: ended?, happenings, outputs, learned: sink.learned.into_inner().unwrap() })
    }
}

pub(crate) fn tool() -> String {
    referee_testkit::fake_tool().to_str().unwrap().to_owned()
}

pub(crate) fn command(invocation: Invocation) -> Command {
    Command::of(invocation)
}

pub(crate) fn service(command: Option<Command>) -> Service {
    Service { command, ready: Vec::new(), port: None, external: false, kind: PrerequisiteKind::DevServerRunning }
}

/// Returns the command of an action, to change it.
pub(crate) fn command_of(action: &mut Action) -> &mut Command {
    match &mut action.work {
        Work::Command(command) => command,
        other => panic!("the action runs no command: {other:?}"),
    }
}

/// Returns the service of an action, to change it.
pub(crate) fn service_of(action: &mut Action) -> &mut Service {
    match &mut action.work {
        Work::Service(service) => service,
        other => panic!("the action starts no service: {other:?}"),
    }
}

/// Whether the twins are tested that every system but Linux has.
pub(crate) const IS_PORTABLE: bool = cfg!(any(not(target_os = "linux"), feature = "portable"));

/// Whether the processes that listen at a port are known.
pub(crate) fn are_listeners_known() -> bool {
    !IS_PORTABLE || ["/usr/sbin/lsof", "/usr/bin/lsof"].iter().any(|lsof| Path::new(lsof).exists())
}

/// Returns the processes that carry the marker of a run.
pub(crate) fn marked(execution: &ExecutionId) -> Vec<u32> {
    let marker = format!("REFEREE_EXECUTION={execution}");
    let pids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes())
    })
    .collect()
}

/// Whether a process lives. One that has ended counts as alive until it is reaped, except where that is not for this
/// process to do.
pub(crate) fn is_alive(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !(IS_PORTABLE && stat.rsplit(") ").next().is_some_and(|fields| fields.starts_with('Z')))
}

/// Whether a child that is started so gets away where orphans are not adopted: it has neither the session nor the marker
/// of its command, and loses its parent before anybody has looked.
pub(crate) fn gets_away(child: &str) -> bool {
    IS_PORTABLE && child.contains("cleared") && (child.contains("detached") || child.contains("session"))
}

/// Waits until a condition becomes true.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < BOUND, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A run as it was reported.
pub(crate) struct RunLog {
    pub(crate) ending: RunEnding,
    pub(crate) happenings: Vec<EventKind>,
    outputs: BTreeMap<String, Output>,
    /// The secrets that the sink received.
    pub(crate) learned: Vec<(CaptureName, String)>,
}

/// Output of an action.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    pub(crate) bytes: BTreeMap<Stream, Vec<u8>>,
    pub(crate) largest_piece: usize,
    streams: StreamMap,
}

impl RunLog {
    /// Returns the records of all actions that ran.
    pub(crate) fn records(&self) -> Vec<&Record> {
        self.happenings
            .iter()
            .filter_map(|happening| match happening {
                EventKind::ActionFinished(record) => Some(record.as_ref()),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn record(&self, action: &str) -> &Record {
        self.records().into_iter().find(|record| record.action.as_str() == action).expect("the action ran")
    }

    pub(crate) fn facts(&self, action: &str) -> &CommandFacts {
        match &self.record(action).facts {
            Facts::Command(facts) => facts,
            other => panic!("{action} is not a command: {other:?}"),
        }
    }

    pub(crate) fn service(&self, action: &str) -> &ServiceFacts {
        match &self.record(action).facts {
            Facts::Service(facts) => facts,
            other => panic!("{action} is not a service: {other:?}"),
        }
    }

    /// Returns the records of the services that were ready, in the order in which they were reported.
    pub(crate) fn stopped(&self) -> Vec<&ServiceRecord> {
        self.happenings
            .iter()
            .filter_map(|happening| match happening {
                EventKind::ServiceStopped(record) => Some(record.as_ref()),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn ending(&self, action: &str) -> &Ending {
        &self.facts(action).ending
    }

    pub(crate) fn notices(&self, action: &str) -> Vec<NoticeCode> {
        self.record(action).notices.iter().map(|notice| notice.code).collect()
    }

    pub(crate) fn output(&self, action: &str) -> &Output {
        &self.outputs[action]
    }

    pub(crate) fn text(&self, action: &str, stream: Stream) -> String {
        let bytes = self.outputs[action].bytes.get(&stream).cloned().unwrap_or_default();
        String::from_utf8(bytes).unwrap()
    }

    pub(crate) fn skipped(&self) -> Vec<(&str, SkipReason)> {
        self.happenings
            .iter()
            .filter_map(|happening| match happening {
                EventKind::ActionSkipped { action, reason } => Some((action.as_str(), reason.clone())),
                _ => None,
            })
            .collect()
    }
}

struct Recorder<'idle> {
    answers: BTreeMap<String, Answer>,
    plan: Plan,
    failing: Failing,
    /// Whether an event could not be stored; then no more may be reported.
    refused: bool,
    happenings: Vec<EventKind>,
    /// Whether the last attempt of each action failed.
    failed: BTreeMap<ActionId, bool>,
    cancellation: Cancellation,
    idle: &'idle mut dyn FnMut(&Cancellation),
}

/// Judges like the judge, simplified: an action that did not exit with 0 failed, and blocks.
impl Recorder<'_> {
    fn stopper(&self) -> Option<&Action> {
        let stops = |action: &&Action| !action.continue_on_failure && self.failed.get(&action.id) == Some(&true);
        self.plan.actions.iter().find(stops)
    }

    fn is_after(&self, action: &Action, other: &Action) -> bool {
        let place = |action: &Action| self.plan.actions.iter().position(|each| each.id == action.id);
        place(action) > place(other)
    }
}

impl Observer for Recorder<'_> {
    fn due(&mut self, action: &Action) -> Answer {
        if let Some(stopper) = self.stopper()
            && action.phase != Phase::Cleanup
            && self.is_after(action, stopper)
        {
            return Answer::Skip(SkipReason::EarlierFailure(stopper.id.clone()));
        }
        self.answers.get(action.id.as_str()).cloned().unwrap_or(Answer::GoOn)
    }

    fn happened(&mut self, _: Timestamp, happening: EventKind) -> Result<(), ObserverError> {
        let fails = match &happening {
            EventKind::ActionStarted { .. } => self.failing == Failing::Started,
            EventKind::ActionFinished(_) => self.failing == Failing::Finished,
            EventKind::Interrupting { .. } => self.failing == Failing::Interrupting,
            EventKind::ServiceStopped(_) => self.failing == Failing::Stopped,
            _ => false,
        };
        assert!(!self.refused, "after a refusal this is told: {happening:?}");
        if let EventKind::ActionFinished(record) = &happening {
            self.failed.insert(record.action.clone(), has_failed(&record.facts));
        }
        self.refused = fails;
        self.happenings.push(happening);
        if fails { Err(ObserverError::new("the journal is full")) } else { Ok(()) }
    }

    fn again(&mut self, action: &Action, attempt: u32) -> bool {
        assert!(attempt <= action.retries, "{} has no attempt left", action.id);
        self.failed[&action.id]
    }

    fn stopped_at(&mut self) -> Option<ActionId> {
        Some(self.stopper()?.id.clone())
    }

    fn silent(&mut self, _: &referee_exec::Silence) {}

    fn idle(&mut self) {
        (self.idle)(&self.cancellation);
    }
}

fn has_failed(facts: &Facts) -> bool {
    match facts {
        Facts::Command(facts) => facts.ending != Ending::Exited { code: 0 },
        Facts::Service(facts) => !matches!(facts.readiness, Readiness::Ready { .. }),
        _ => false,
    }
}

struct MemorySink {
    outputs: Arc<Mutex<BTreeMap<String, Output>>>,
    learned: Mutex<Vec<(CaptureName, String)>>,
    failing: Failing,
}

struct MemoryCapture {
    name: String,
    outputs: Arc<Mutex<BTreeMap<String, Output>>>,
    failing: Failing,
}

impl MemorySink {
    fn capture(&self, name: String) -> Box<dyn Capture> {
        let earlier = self.outputs.lock().unwrap().insert(name.clone(), Output::default());
        assert!(earlier.is_none(), "{name} is kept once");
        Box::new(MemoryCapture { name, outputs: Arc::clone(&self.outputs), failing: self.failing })
    }
}

/// The output of a first attempt is stored under the action's id, that of later ones under `ID#N`.
impl Sink for MemorySink {
    fn begin(&self, action: &Action, attempt: u32) -> Result<Box<dyn Capture>, SinkError> {
        if self.failing == Failing::Begin {
            return Err(SinkError::new("the disk is full"));
        }
        Ok(self.capture(if attempt == 1 { action.id.to_string() } else { format!("{}#{attempt}", action.id) }))
    }

    fn begin_container(&self, action: &Action, _: u32) -> Result<Box<dyn Capture>, SinkError> {
        Ok(self.capture(format!("{} container", action.id)))
    }

    fn picture(&self, action: &Action, attempt: u32, number: usize, bytes: &[u8]) -> Result<Log, SinkError> {
        let name = format!("{}#{attempt}.{number}.png", action.id);
        let mut streams = StreamMap::default();
        streams.push(Stream::Stdout, bytes.len() as u64);
        let kept = BTreeMap::from([(Stream::Stdout, bytes.to_vec())]);
        let output = Output { bytes: kept, largest_piece: bytes.len(), streams: streams.clone() };
        assert!(self.outputs.lock().unwrap().insert(name.clone(), output).is_none(), "{name} is kept once");
        Ok(Log::of(name, bytes.len() as u64, Digest::of(bytes), streams))
    }

    fn learn(&self, name: &CaptureName, value: &str) -> Result<(), SinkError> {
        self.learned.lock().unwrap().push((name.clone(), value.to_owned()));
        Ok(())
    }
}

impl Capture for MemoryCapture {
    fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
        if self.failing == Failing::Append {
            return Err(SinkError::new("the disk is full"));
        }
        let mut outputs = self.outputs.lock().unwrap();
        let output = outputs.get_mut(&self.name).unwrap();
        output.bytes.entry(stream).or_default().extend_from_slice(bytes);
        output.largest_piece = output.largest_piece.max(bytes.len());
        output.streams.push(stream, bytes.len() as u64);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Log, SinkError> {
        if self.failing == Failing::Finish {
            return Err(SinkError::new("the disk is full"));
        }
        let streams = self.outputs.lock().unwrap()[&self.name].streams.clone();
        Ok(Log::of(format!("{}.log", self.name), streams.total_bytes(), Digest::from_bytes([0; 32]), streams))
    }
}
