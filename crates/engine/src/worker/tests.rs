//! Runs of workers, honest and dishonest ones, received and played by the machine that asked for them.
#![expect(clippy::disallowed_methods, reason = "tests make the trees that are run, and forge evidence")]

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_exec::signal::Cancellation;
use referee_judge::waiver::Waivers;
use referee_ledger::attest::{self, Signer};
use referee_ledger::evidence::Evidence;
use referee_ledger::key::{KeyId, PrivateKey};
use referee_ledger::{State, Store};
use referee_model::event::{Event, EventKind};
use referee_model::evidence_name;
use referee_model::id::{ActionId, Digest, ExecutionId};
use referee_model::plan::Plan;
use referee_model::record::{RunEnding, RunRecord, SkipReason};
use referee_model::report::Report;
use referee_model::run_order::{RESULT_TYPE, RunOrderResult};
use referee_model::seal::{Seal, SealedFile};
use referee_model::selection::{LeftOut, Scope};
use referee_model::suite::Suite;
use referee_model::tree_manifest::ContentLink;
use referee_model::verdict::Decision;
use tempfile::TempDir;

use crate::clean_room::Workspace;
use crate::context::sample::context;
use crate::error::ErrorKind;
use crate::event_sink::EventSink;
use crate::judgement::{self, Question};
use crate::recorder::{Beside, RunRecorder, Stage};
use crate::request::{Placement, RunRequest, TaskRequest};
use crate::sandbox::SandboxOptions;
use crate::selection::{Selected, Selection};
use crate::worker_run::{Expected, WorkerRun, open, play, receive};
use crate::{inputs, pipeline, redaction};

mod receipts;

const SPECIFICATION: &str = "task: T001\nchecks:\n  speak: echo hello from $PWD\n  look: { file: a.txt, minSize: 1 }\n  \
                             last: { run: cat a.txt, needs: [speak] }\n";

struct Nobody;

impl EventSink for Nobody {
    fn on_event(&mut self, _: &Event) {}
}

/// A machine with the same files as the other one, in another place.
struct Machine {
    directory: TempDir,
}

/// A run of a worker, and what it signed about it.
struct Answer {
    evidence: PathBuf,
    signer: Arc<Signer>,
    result: RunOrderResult,
    envelope: String,
    /// The report by the worker itself.
    report: Report,
}

impl Machine {
    fn new(specification: &str) -> Self {
        let machine = Self { directory: tempfile::tempdir().unwrap() };
        fs::create_dir(machine.path("tree")).unwrap();
        fs::write(machine.path("tree/referee.yaml"), specification).unwrap();
        fs::write(machine.path("tree/a.txt"), "text\n").unwrap();
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn suite(&self) -> Suite {
        let options = referee_spec::Options { workspace: Some(self.path("tree")) };
        let mut suite = referee_spec::load(&self.path("tree/referee.yaml"), &options).unwrap().suite;
        suite.tasks[0].evidence_root = self.path("evidence");
        suite
    }

    fn inputs(&self) -> Digest {
        inputs::now(&self.suite().tasks[0], None).unwrap().unwrap()
    }

    /// Performs an order, as a worker does once it has the tree.
    fn perform(&self, order: Digest, signs_run: bool) -> Answer {
        self.perform_parts(order, signs_run, &BTreeMap::new())
    }

    /// The same, without these actions, and with up to four steps at once where the specification lets them.
    fn perform_parts(&self, order: Digest, signs_run: bool, left_out: &BTreeMap<ActionId, LeftOut>) -> Answer {
        self.perform_with(order, signs_run, (left_out, NonZeroUsize::new(4)))
    }

    fn perform_with(
        &self,
        order: Digest,
        signs_run: bool,
        (left_out, jobs): (&BTreeMap<ActionId, LeftOut>, Option<NonZeroUsize>),
    ) -> Answer {
        let context = context(&self.path("tree"));
        let state = State::open(&self.path("state")).unwrap();
        let signer: Arc<Signer> = Arc::new(PrivateKey::generate().unwrap().into());
        let (suite, cancellation) = (self.suite(), Cancellation::new().unwrap());
        let request = RunRequest {
            suite: &suite,
            tasks: &[],
            selection: &Selection::default(),
            baseline: None,
            placement: Placement::Order,
            workspace: &Workspace::InPlace,
            state: Some(&state),
            sandbox: SandboxOptions::default(),
            signer: signs_run.then(|| Arc::clone(&signer)),
            protection: None,
            jobs,
            processors: context.processors,
            executions: Vec::new(),
            exec: context.for_exec().unwrap(),
            host: context.host(),
            cancellation: &cancellation,
        };
        let execution = context.new_execution().unwrap();
        let task = TaskRequest {
            run: &request,
            plan: &suite.tasks[0],
            execution: execution.clone(),
            selected: Selected { scope: Scope::default(), left_out: left_out.clone() },
            time_left: None,
            block: None,
            probes: None,
        };
        let answer = pipeline::run(&task, &mut Nobody).unwrap();
        let evidence = answer.directory;
        let seal = fs::read(evidence.join(evidence_name::SEAL)).unwrap();
        let seal = ContentLink { sha256: Digest::of(&seal), bytes: seal.len() as u64 };
        let ended = answer.report.run.ended;
        let result = RunOrderResult { order, attempt: 1, execution, seal, ended };
        let envelope = attest::sign(RESULT_TYPE, &result.encode().unwrap(), &signer).unwrap();
        Answer { evidence, signer, result, envelope: String::from_utf8(envelope).unwrap(), report: answer.report }
    }

    /// Receives a run, as the machine that asked for it.
    fn receive(&self, answer: &Answer, inputs: Digest) -> Result<Result<WorkerRun, String>, (ErrorKind, String)> {
        let plan = redaction::plan(&self.suite().tasks[0], &str::to_owned);
        let signers: [KeyId; 1] = [answer.signer.public().id()];
        let expected = Expected { order: answer.result.order, task: &plan.task, plan: &plan, inputs };
        let signed = (answer.envelope.clone(), &answer.result, &signers[..]);
        receive(&answer.evidence, signed, expected, &str::to_owned).map_err(|error| (error.kind, error.message))
    }

    /// Plays a run, and judges it.
    fn judge(&self, worker: &WorkerRun) -> Report {
        self.judge_parts(worker, &BTreeMap::new())
    }

    fn judge_parts(&self, worker: &WorkerRun, left_out: &BTreeMap<ActionId, LeftOut>) -> Report {
        let played =
            |plan: &Plan, stage: &Stage, recorder: &mut RunRecorder<'_>| play(worker, plan, stage, recorder).unwrap();
        self.judge_played(&worker.plan, (&worker.run, left_out), played, &|run| worker.add_to(run, &str::to_owned))
    }

    /// Judges what was played as the run that a worker recorded.
    fn judge_played(
        &self,
        plan: &Plan,
        (like, left_out): (&RunRecord, &BTreeMap<ActionId, LeftOut>),
        played: impl FnOnce(&Plan, &Stage, &mut RunRecorder<'_>) -> RunEnding,
        add_to: &dyn Fn(&mut RunRecord),
    ) -> Report {
        let store = Store::open(&self.path("evidence")).unwrap();
        let execution = ExecutionId::parse("exec-1-asker").unwrap();
        let plan = plan.clone();
        let mut staging = store.begin(&plan.task, &execution, redaction::redactor(&plan, &[])).unwrap();
        let at = like.started;
        let (task, title) = (plan.task.clone(), plan.title.clone());
        let began = EventKind::RunStarted { execution: execution.clone(), task, title, actions: plan.actions.len() };
        staging.append(at, began).unwrap();
        let stage = Stage::new(staging);
        let beside = Beside { held: None, waivers: Waivers::new(&[], at) };
        let mut nobody = Nobody;
        let mut recorder = RunRecorder::new(&plan, &stage, &mut nobody, left_out, beside);
        let ending = played(&plan, &stage, &mut recorder);
        recorder.end(at).unwrap();
        let mut run = RunRecord {
            execution,
            ending,
            skipped: std::mem::take(&mut recorder.skipped),
            services: std::mem::take(&mut recorder.services),
            notices: std::mem::take(&mut recorder.notices),
            ..like.clone()
        };
        add_to(&mut run);
        let ran = std::mem::take(&mut recorder.ran);
        drop(recorder);
        let beside = judgement::Beside { question: Question::Verdict(None), held: None, standing: None };
        judgement::report(plan, run, ran, beside, |log| stage.lock().log(log)).unwrap()
    }
}

mod parts;

type Files = BTreeMap<String, Vec<u8>>;

fn files(directory: &Path) -> Files {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// A run as a dishonest worker would seal it, with other files than those that it ran.
fn forged(answer: &Answer, into: &Path, change: impl FnOnce(&mut Files)) -> WorkerRun {
    let mut files = files(&answer.evidence);
    change(&mut files);
    fs::create_dir_all(into).unwrap();
    for (name, bytes) in &files {
        fs::write(into.join(name), bytes).unwrap();
    }
    let mut seal: Seal = referee_model::seal::read(&files[evidence_name::SEAL]).unwrap();
    let sealed =
        files.iter().filter(|(name, _)| ![evidence_name::SEAL, evidence_name::ATTESTATION].contains(&name.as_str()));
    seal.files = sealed
        .map(|(name, bytes)| SealedFile { path: name.clone(), bytes: bytes.len() as u64, sha256: Digest::of(bytes) })
        .collect();
    let plan: Plan = referee_model::plan::plan_document::read(&files[evidence_name::PLAN]).unwrap();
    let run = referee_model::record::header::read(&files[evidence_name::RUN]).unwrap();
    let (envelope, signer) = (answer.envelope.clone(), answer.signer.public().id());
    WorkerRun {
        evidence: Evidence::open(into).unwrap(),
        seal,
        plan,
        run,
        envelope,
        signer,
        whole: None,
        receipt: None,
        _directory: None,
    }
}

/// Replaces a text in a file, where it has to be.
fn edit(files: &mut Files, name: &str, from: &str, to: &str) {
    let text = String::from_utf8(files[name].clone()).unwrap();
    assert!(text.contains(from), "{name}: {text}");
    files.insert(name.to_owned(), text.replace(from, to).into_bytes());
}

/// Removes the lines of the journal that hold all of these words.
fn without_lines(files: &mut Files, words: &[&str]) {
    let text = String::from_utf8(files[evidence_name::JOURNAL].clone()).unwrap();
    let is_kept = |line: &&str| !words.iter().all(|word| line.contains(word));
    let kept: Vec<&str> = text.lines().filter(is_kept).collect();
    assert!(kept.len() < text.lines().count(), "{text}");
    files.insert(evidence_name::JOURNAL.to_owned(), (kept.join("\n") + "\n").into_bytes());
}

#[test]
fn an_honest_run_passes_with_the_logs_of_the_worker_whose_paths_are_those_of_its_own_workspace() {
    let (worker, asker) = (Machine::new(SPECIFICATION), Machine::new(SPECIFICATION));
    let answer = worker.perform(Digest::of("order"), true);
    let run = asker.receive(&answer, asker.inputs()).unwrap().unwrap();
    assert_eq!(run.plan.workspace, worker.path("tree"));
    assert_eq!(run.plan.evidence_root, asker.path("evidence"));
    let report = asker.judge(&run);
    assert_eq!(report.verdict.decision, Decision::Pass, "{:?}", report.verdict.reasons);
    assert_eq!(report.actions.len(), 3);
    let ran = report.actions[0].ran().unwrap();
    let log = ran.record.log().unwrap();
    let printed = fs::read(answer.evidence.join("STEP.1-speak.log")).unwrap();
    assert_eq!(String::from_utf8_lossy(&printed), format!("hello from {}\n", worker.path("tree").display()));
    assert_eq!((log.file.as_str(), log.sha256), ("STEP.1-speak.log", Digest::of(&printed)));
    assert!(report.run.notices.iter().any(|notice| notice.contains(answer.result.execution.as_str())));
}

#[test]
fn a_run_that_had_begun_before_it_was_asked_for_counts() {
    let (worker, asker) = (Machine::new(SPECIFICATION), Machine::new(SPECIFICATION));
    let answer = worker.perform(Digest::of("order"), true);
    let run = asker.receive(&answer, asker.inputs()).unwrap().unwrap();
    let late = RunRecord { started: run.run.ended, ..run.run.clone() };
    let played =
        |plan: &Plan, stage: &Stage, recorder: &mut RunRecorder<'_>| play(&run, plan, stage, recorder).unwrap();
    let add_to = |record: &mut RunRecord| run.add_to(record, &str::to_owned);
    let report = asker.judge_played(&run.plan, (&late, &BTreeMap::new()), played, &add_to);
    assert_eq!(report.verdict.decision, Decision::Pass, "{:?}", report.verdict.reasons);
}

#[test]
fn a_run_that_failed_on_the_worker_fails_here() {
    let specification = "task: T001\nchecks:\n  bad: { run: \"false\", continueOnFailure: false }\n  next: echo\n";
    let (worker, asker) = (Machine::new(specification), Machine::new(specification));
    let answer = worker.perform(Digest::of("order"), true);
    let report = asker.judge(&asker.receive(&answer, asker.inputs()).unwrap().unwrap());
    assert_eq!(report.verdict.decision, Decision::Fail, "{:?}", report.verdict.reasons);
    assert_eq!(report.run.ending, RunEnding::Finished);
}

#[test]
fn a_run_is_judged_here_as_on_the_worker_whatever_became_of_its_actions() {
    let left_out = |id: &str| BTreeMap::from([(ActionId::parse(id).unwrap(), LeftOut::Named)]);
    let none = BTreeMap::new();
    for (specification, left_out) in [
        (SPECIFICATION, none.clone()),
        (SPECIFICATION, left_out("STEP.2")),
        ("checks:\n  bad: \"cat missing\"\n  next: echo next\n", none.clone()),
        ("checks:\n  bad: { run: \"false\", continueOnFailure: false }\n  next: echo next\n", none.clone()),
        ("checks:\n  flaky: { run: \"test -f mark || { touch mark; exit 1; }\", retries: 2 }\n", none.clone()),
        ("checks:\n  bad: { run: \"exit 3\", retries: 1 }\n  next: { run: echo, needs: [bad] }\n", none.clone()),
        ("checks:\n  one: sleep 0.2\n  two: echo two\n  three: { run: echo 3, needs: [one, two] }\n", none.clone()),
        (
            "parallel: true\nchecks:\n  one: { run: \"sleep 0.2; false\", continueOnFailure: false }\n  two: sleep 5\n  three: echo\n",
            none.clone(),
        ),
        ("checks:\n  slow: { run: sleep 60, timeout: 200ms }\n", none.clone()),
        ("timeout: 1s\nchecks:\n  slow: { run: sleep 60, timeout: 1s }\n  late: echo\n", none.clone()),
        ("checks:\n  tsc: \"echo 'a.ts(1,2): error TS2304: Cannot find name x.'; exit 2\"\n", none.clone()),
        ("checks:\n  ask: { http: \"http://127.0.0.1:1/\", status: 200 }\n", none.clone()),
        (
            "checks:\n  none: { file: missing.txt }\n  look: { file: a.txt, evidence: { content: true } }\n",
            none.clone(),
        ),
        ("setup: echo installed\nchecks:\n  use: cat a.txt\n", none.clone()),
        (
            "services:\n  web: { run: \"echo up; sleep 60\", ready: { output: up } }\nchecks:\n  ask: echo asked\n",
            none.clone(),
        ),
    ] {
        let (worker, asker) = (Machine::new(specification), Machine::new(specification));
        let answer = worker.perform_parts(Digest::of("order"), true, &left_out);
        let run = asker.receive(&answer, asker.inputs()).unwrap().unwrap();
        let report = asker.judge_parts(&run, &left_out);
        let (here, there) = (&report, &answer.report);
        assert_eq!(here.run.ending, there.run.ending, "{specification}");
        assert_eq!(here.actions, there.actions, "{specification}");
        assert_eq!(here.run.skipped, there.run.skipped, "{specification}");
        assert_eq!(here.run.services, there.run.services, "{specification}");
        assert_eq!(here.run.run_context.tree, there.run.run_context.tree, "{specification}");
        assert_eq!(here.verdict, there.verdict, "{specification}");
    }
}

#[test]
fn what_would_not_run_here_does_not_count_and_what_would_is_missed() {
    let (worker, asker) = (Machine::new(SPECIFICATION), Machine::new(SPECIFICATION));
    let look = ActionId::parse("STEP.2").unwrap();
    let left_out = BTreeMap::from([(look.clone(), LeftOut::Named)]);
    let whole = worker.perform(Digest::of("order"), true);
    let report = asker.judge_parts(&asker.receive(&whole, asker.inputs()).unwrap().unwrap(), &left_out);
    assert_eq!(report.run.skipped[&look], SkipReason::LeftOut(LeftOut::Named));
    assert!(report.actions[1].ran().is_none() && report.actions[2].ran().is_some());
    let (worker, asker) = (Machine::new(SPECIFICATION), Machine::new(SPECIFICATION));
    let part = worker.perform_parts(Digest::of("order"), true, &left_out);
    let report = asker.judge(&asker.receive(&part, asker.inputs()).unwrap().unwrap());
    assert!(matches!(&report.run.ending, RunEnding::Failed { message } if message.contains("skipped STEP.2")));
    assert_ne!(report.verdict.decision, Decision::Pass);
}

#[test]
fn what_nobody_or_another_one_signed_or_what_answers_another_order_is_no_answer() {
    let (worker, asker) = (Machine::new(SPECIFICATION), Machine::new(SPECIFICATION));
    let order = Digest::of("order");
    let answer = worker.perform(order, true);
    let keys = [answer.signer.public().clone()];
    assert!(open(&answer.envelope, order, &keys).is_ok());
    let other = PrivateKey::generate().unwrap();
    let of = |answered: Result<_, crate::error::EngineError>| {
        let error = answered.map(drop).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Evidence, "{}", error.message);
        error.message
    };
    assert!(of(open(&answer.envelope, Digest::of("later order"), &keys)).contains("answers the order"));
    of(open(&answer.envelope, order, &[other.public().clone()]));
    of(open(&answer.envelope, order, &[]));
    of(open("{}", order, &keys));
    of(open(&answer.envelope.replace("payloadType\":\"application", "payloadType\":\"text"), order, &keys));

    let (careless, second) = (Machine::new(SPECIFICATION), Machine::new(SPECIFICATION));
    let unsigned = careless.perform(order, false);
    let (kind, message) = asker.receive(&unsigned, asker.inputs()).err().unwrap();
    assert_eq!(kind, ErrorKind::Evidence, "{message}");
    assert!(message.contains("did not sign the run"), "{message}");
    let swapped = Answer { signer: Arc::new(other.into()), ..again(&answer) };
    assert!(asker.receive(&swapped, asker.inputs()).err().unwrap().1.contains("did not sign the run"));
    // The seal of another run than the one that was signed.
    let another = second.perform(order, true);
    let mixed = Answer { evidence: another.evidence.clone(), ..again(&answer) };
    assert_eq!(asker.receive(&mixed, asker.inputs()).err().unwrap().0, ErrorKind::Evidence);
}

fn again(answer: &Answer) -> Answer {
    Answer {
        evidence: answer.evidence.clone(),
        signer: Arc::clone(&answer.signer),
        result: answer.result.clone(),
        envelope: answer.envelope.clone(),
        report: answer.report.clone(),
    }
}

#[test]
fn evidence_that_is_not_as_it_was_sealed_is_no_answer() {
    let (worker, asker) = (Machine::new(SPECIFICATION), Machine::new(SPECIFICATION));
    let answer = worker.perform(Digest::of("order"), true);
    let good = files(&answer.evidence);
    for name in good.keys() {
        let path = answer.evidence.join(name);
        let half = &good[name][..good[name].len() / 2];
        for wrong in [None, Some(half)] {
            match wrong {
                None => fs::remove_file(&path).unwrap(),
                Some(half) => fs::write(&path, half).unwrap(),
            }
            let received = asker.receive(&answer, asker.inputs());
            let kind = received.map(drop).err().map(|(kind, _)| kind);
            assert_eq!(kind, Some(ErrorKind::Evidence), "{name}");
            fs::write(&path, &good[name]).unwrap();
        }
    }
    assert!(asker.receive(&answer, asker.inputs()).unwrap().is_ok());
}

#[test]
fn a_run_of_another_plan_or_about_another_tree_was_not_performed() {
    let asker = Machine::new(SPECIFICATION);
    let other = Machine::new(&SPECIFICATION.replace("hello", "hullo"));
    let answer = other.perform(Digest::of("order"), true);
    let refused = asker.receive(&answer, other.inputs()).unwrap().err().unwrap();
    assert!(refused.contains("plan of the worker"), "{refused}");
    let worker = Machine::new(SPECIFICATION);
    fs::write(worker.path("tree/a.txt"), "other text\n").unwrap();
    let answer = worker.perform(Digest::of("order"), true);
    let refused = asker.receive(&answer, asker.inputs()).unwrap().err().unwrap();
    assert!(refused.contains("inputs on the worker"), "{refused}");
}

/// A name, and what makes a run dishonest.
type Forgery = (&'static str, Box<dyn Fn(&mut Files)>);

const LOG: &str = "STEP.1-speak.log";

const SKIPPED: &str = r#""skipped": {"STEP.2": {"code": "earlier-failure", "because": "STEP.1"}}"#;

const SKIP_LINE: &str = concat!(
    r#"{"eventVersion":"1.0.0","sequence":2,"at":"2026-01-01T00:00:00.000Z","type":"action-skipped","#,
    r#""actionId":"STEP.2","reason":{"code":"earlier-failure","because":"STEP.1"},"message":""}"#
);

fn forgeries() -> Vec<Forgery> {
    vec![
        ("no record", Box::new(|files| drop(files.remove("STEP.2-look.json")))),
        ("no end", Box::new(|files| without_lines(files, &["action-finished", "STEP.1"]))),
        ("never there", Box::new(|files| without_lines(files, &["STEP.2"]))),
        (
            "twice",
            Box::new(|files| {
                let mut journal = files[evidence_name::JOURNAL].clone();
                journal.extend(files[evidence_name::JOURNAL].clone());
                files.insert(evidence_name::JOURNAL.to_owned(), journal);
            }),
        ),
        ("an empty journal", Box::new(|files| drop(files.insert(evidence_name::JOURNAL.to_owned(), Vec::new())))),
        (
            "half a journal",
            Box::new(|files| {
                let journal = files[evidence_name::JOURNAL].clone();
                files.insert(evidence_name::JOURNAL.to_owned(), journal[..journal.len() / 2].to_vec());
            }),
        ),
        (
            "an extra skip",
            Box::new(|files| {
                without_lines(files, &["STEP.2"]);
                edit(files, evidence_name::RUN, "\"skipped\": {}", SKIPPED);
                let journal = String::from_utf8(files[evidence_name::JOURNAL].clone()).unwrap();
                let (first, rest) = journal.split_once('\n').unwrap();
                files.insert(evidence_name::JOURNAL.to_owned(), format!("{first}\n{SKIP_LINE}\n{rest}").into_bytes());
            }),
        ),
        ("a cut log", Box::new(|files| drop(files.insert(LOG.to_owned(), b"he".to_vec())))),
        ("no log", Box::new(|files| drop(files.remove(LOG)))),
        (
            "the record of another action",
            Box::new(|files| {
                let other = files["STEP.3-last.json"].clone();
                files.insert("STEP.1-speak.json".to_owned(), other);
            }),
        ),
        (
            "the log of another action",
            Box::new(|files| {
                edit(files, "STEP.1-speak.json", LOG, "STEP.3-last.log");
            }),
        ),
        (
            "a second attempt",
            Box::new(|files| {
                edit(files, evidence_name::JOURNAL, r#""attempt":1"#, r#""attempt":2"#);
            }),
        ),
        (
            "a failure of its engine",
            Box::new(|files| {
                edit(
                    files,
                    evidence_name::RUN,
                    "\"kind\": \"finished\"",
                    "\"kind\": \"failed\", \"message\": \"the disk is full\"",
                );
            }),
        ),
    ]
}

#[test]
fn a_dishonest_run_never_passes() {
    let (worker, asker) = (Machine::new(SPECIFICATION), Machine::new(SPECIFICATION));
    let answer = worker.perform(Digest::of("order"), true);
    let directory = tempfile::tempdir().unwrap();
    for (number, (name, change)) in forgeries().into_iter().enumerate() {
        let run = forged(&answer, &directory.path().join(number.to_string()), change);
        let report = Machine::new(SPECIFICATION).judge(&run);
        assert_ne!(report.verdict.decision, Decision::Pass, "{name}");
        assert!(matches!(report.run.ending, RunEnding::Failed { .. }), "{name}: {:?}", report.run.ending);
    }
    assert_eq!(
        asker.judge(&forged(&answer, &directory.path().join("honest"), |_| {})).verdict.decision,
        Decision::Pass
    );
}
