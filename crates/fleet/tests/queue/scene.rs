//! Workers, and those who ask, as processes.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use referee_model::depot::DepotAddress;
use referee_model::id::{Digest, ExecutionId, ProjectName, TaskId, WorkerLabel, WorkspacePath};
use referee_model::order_list::{OrdersAnswer, OrdersRequest};
use referee_model::order_protocol::{OrderFailureKind, OrderLine, OrderRequest, WorkRequest, WorkerOrder};
use referee_model::run_order::{OrderOutcome, RunOrder};
use referee_model::sandbox::SandboxMode;
use referee_model::tree_manifest::ContentLink;
use referee_model::turn_order::TurnOrder;
use rustix::process::{Pid, Signal, kill_process};

/// Time after which a test that waits has failed.
const PATIENCE: Duration = Duration::from_secs(90);

const PROGRAM: &str = env!("CARGO_BIN_EXE_referee-fleet");

/// The outcome that scripts write as `$OUTCOME`.
pub(crate) const RESULT: &str = "{\"payload\":\"signed\"}";

/// Head of every script: a line in `runs` for each attempt, and what it may write.
const HEAD: &str = r#"#!/bin/sh
read -r request
attempt=$(printf '%s' "$request" | sed 's/.*"attempt":\([0-9]*\).*/\1/')
echo "$attempt" >>"$GROUND/runs"
OUTCOME='{"kind":"outcome","outcome":{"kind":"performed","result":"{\"payload\":\"signed\"}"}}'
"#;

/// A server's port, a directory, and queues that no other test uses.
pub(crate) struct Scene {
    port: u16,
    ground: tempfile::TempDir,
    name: String,
}

impl Scene {
    /// Creates the scene of a test, which is named by a label.
    pub(crate) fn new(port: u16, name: &str) -> Self {
        Self { port, ground: tempfile::tempdir().unwrap(), name: name.to_owned() }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.ground.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    /// Returns the numbers of the attempts that were begun, in order.
    pub(crate) fn runs(&self) -> Vec<String> {
        self.read("runs").lines().map(str::to_owned).collect()
    }

    /// Returns an order with the label of the test, and with others.
    pub(crate) fn order(&self, others: &[&str]) -> OrderRequest {
        self.changed_order(others, |_| {})
    }

    /// The same, with a change.
    pub(crate) fn changed_order(&self, others: &[&str], change: impl FnOnce(&mut RunOrder)) -> OrderRequest {
        let link = ContentLink { sha256: Digest::of("tree"), bytes: 4 };
        let mut order = RunOrder {
            project: ProjectName::parse(self.name.as_str()).unwrap(),
            tree: link,
            inputs: Digest::of("inputs"),
            specification: WorkspacePath::parse("referee.yaml").unwrap(),
            specification_digest: Digest::of("specification"),
            task: TaskId::parse("T001").unwrap(),
            left_out: std::collections::BTreeMap::new(),
            jobs: None,
            timeout_ms: None,
            sandbox: SandboxMode::Off,
            engine_version: "1.0.0".to_owned(),
            labels: self.labels(others),
        };
        let depot = DepotAddress::Files { directory: self.ground.path().join("depot") };
        change(&mut order);
        let authorization = Some("an envelope".to_owned());
        OrderRequest { order: WorkerOrder::Run(order), depot, authorization, timeout_ms: 60_000, heartbeat_ms: 20_000 }
    }

    /// Returns the order of a turn of an agent, with the label of the test.
    pub(crate) fn turn(&self) -> OrderRequest {
        let request = self.order(&[]);
        let WorkerOrder::Run(run) = &request.order else { panic!("{request:?}") };
        let turn = TurnOrder {
            project: run.project.clone(),
            tree: run.tree,
            handed: run.tree,
            run: ExecutionId::parse("exec-run-1").unwrap(),
            turn: 1,
            timeout_ms: 60_000,
            engine_version: run.engine_version.clone(),
            labels: run.labels.clone(),
        };
        OrderRequest { order: WorkerOrder::Turn(turn), ..request }
    }

    fn labels(&self, others: &[&str]) -> BTreeSet<WorkerLabel> {
        let labels = others.iter().copied().chain([self.name.as_str()]);
        labels.map(|label| WorkerLabel::parse(label).unwrap()).collect()
    }

    fn command(&self, argument: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .arg(argument)
            .env("TEMPORAL_ADDRESS", format!("127.0.0.1:{}", self.port))
            .env("GROUND", self.ground.path());
        command
    }

    /// Starts a worker, and waits until it asks for orders.
    pub(crate) fn worker(&self, others: &[&str], jobs: usize, script: &str) -> Worker {
        self.worker_with(others, jobs, script, &[])
    }

    /// Starts a worker with variables, and waits until it asks for orders.
    pub(crate) fn worker_with(&self, others: &[&str], jobs: usize, script: &str, variables: &[(&str, &str)]) -> Worker {
        let program = self.ground.path().join(format!("{}.sh", Digest::of(script)));
        std::fs::write(&program, format!("{HEAD}{script}")).unwrap();
        let work = WorkRequest {
            labels: self.labels(others),
            jobs: jobs.try_into().unwrap(),
            program: "/bin/sh".into(),
            arguments: vec![program.to_str().unwrap().to_owned()],
        };
        let mut command = self.command("work");
        command.envs(variables.iter().copied()).stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null());
        let mut process = command.spawn().unwrap();
        process.stdin.take().unwrap().write_all(&serde_json::to_vec(&work).unwrap()).unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (stderr, written) = (process.stderr.take().unwrap(), Arc::clone(&log));
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut log = written.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
        });
        let worker = Worker { process, log };
        worker.expect("connected to");
        worker
    }

    /// Puts an order in the queue.
    pub(crate) fn ask(&self, request: &OrderRequest) -> Asker {
        self.ask_with(request, &[])
    }

    /// Puts an order in the queue, with variables.
    pub(crate) fn ask_with(&self, request: &OrderRequest, variables: &[(&str, &str)]) -> Asker {
        let mut command = self.command("order");
        command.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        process.stdin.take().unwrap().write_all(&serde_json::to_vec(request).unwrap()).unwrap();
        let stdout = process.stdout.take().unwrap();
        let (lines, received) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = lines.send(serde_json::from_str(&line).unwrap());
            }
        });
        Asker { process, lines: received }
    }

    /// Lists orders, or cancels one.
    pub(crate) fn orders(&self, request: &OrdersRequest) -> OrdersAnswer {
        let mut process = self.command("orders").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        process.stdin.take().unwrap().write_all(&serde_json::to_vec(request).unwrap()).unwrap();
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success());
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Puts an order in the queue, and reads no more than that it is there.
    pub(crate) fn ask_unread(&self, request: &OrderRequest) -> Child {
        let mut process = self.command("order").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        process.stdin.take().unwrap().write_all(&serde_json::to_vec(request).unwrap()).unwrap();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        process
    }
}

/// A worker. It is ended when this is dropped, with what it performs.
pub(crate) struct Worker {
    process: Child,
    log: Arc<Mutex<String>>,
}

impl Worker {
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until the worker has told something.
    pub(crate) fn expect(&self, text: &str) {
        wait_for(&format!("`{text}` in the log of the worker"), || self.log().contains(text));
    }

    pub(crate) fn signal(&self, signal: Signal) {
        send(&self.process, signal);
    }

    /// Waits for the end of the worker.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        wait(&mut self.process)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            let _ = kill_process(Pid::from_child(&self.process), Signal::TERM);
        }
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until && matches!(self.process.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One who asks. It is killed when this is dropped.
pub(crate) struct Asker {
    process: Child,
    lines: Receiver<OrderLine>,
}

impl Asker {
    /// Returns the next line.
    pub(crate) fn next(&self) -> OrderLine {
        self.lines.recv_timeout(PATIENCE).expect("no line was written in time")
    }

    /// Reads up to the line that says whether the order was in the queue.
    pub(crate) fn is_attached(&self) -> bool {
        match self.next() {
            OrderLine::Queued { attached } => attached,
            other => panic!("{other:?}"),
        }
    }

    /// Reads all lines. The last one is an answer or a failure, and the program succeeds.
    pub(crate) fn all(mut self) -> Vec<OrderLine> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.next());
            if matches!(lines.last(), Some(OrderLine::Answered { .. } | OrderLine::Failed { .. })) {
                break;
            }
        }
        assert!(wait(&mut self.process).success());
        assert!(self.lines.recv_timeout(PATIENCE).is_err(), "nothing follows the last line");
        lines
    }

    pub(crate) fn outcome(self) -> OrderOutcome {
        match self.all().pop() {
            Some(OrderLine::Answered { outcome }) => outcome,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn failure(self) -> (OrderFailureKind, String) {
        match self.all().pop() {
            Some(OrderLine::Failed { error }) => (error.kind, error.message),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        send(&self.process, signal);
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The outcome that scripts write as `$OUTCOME`.
pub(crate) fn performed() -> OrderOutcome {
    OrderOutcome::Performed { result: RESULT.to_owned() }
}

fn send(process: &Child, signal: Signal) {
    kill_process(Pid::from_child(process), signal).unwrap();
}

fn wait(process: &mut Child) -> ExitStatus {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = process.try_wait().unwrap() {
            return status;
        }
        assert!(Instant::now() < until, "the program does not end");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until something holds.
pub(crate) fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
