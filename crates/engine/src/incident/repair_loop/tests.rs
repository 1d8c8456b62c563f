#![expect(clippy::disallowed_methods, reason = "tests lay out workspaces, and look into them")]

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use referee_exec::agent_process::{self, AgentCommand};
use referee_exec::{Clock, Confines, Host};
use referee_ledger::incidents::{Change, Incidents, Part, PartFile, Stored};
use referee_ledger::redact::Redactor;
use referee_ledger::redness::Redness;
use referee_ledger::{LedgerError, State};
use referee_model::document::to_bytes;
use referee_model::fingerprint::Fingerprint;
use referee_model::gate::{Basis, GateAnswer, GateTask};
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::incident::approval::Approval;
use referee_model::incident::attempt::{
    self, AttemptDocument, FinalStatus, LoopFileDocument, LoopPhase, RunResultDocument, TurnResult,
};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::Verification;
use referee_model::incident::status::IncidentStatus;
use referee_model::progress::Snapshot;
use referee_model::record::{Ending, Stream};
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};
use tempfile::TempDir;

use super::*;
use crate::incident::approval::{self, ApprovalRequest, Credential};
use crate::incident::{IncidentContext, IncidentError};

/// A workspace that is a repository, with incidents, one of which is approved.
struct Fixture {
    directory: TempDir,
    state: TempDir,
    incidents: Incidents,
    kept: State,
    host: Host,
    redactor: Redactor,
    id: IncidentId,
    cancellation: Cancellation,
}

const PLAN: &str = r#"{"incident_id": "incident_1", "generated_at": "2026-02-17T03:15:00+00:00", "revision": 1,
  "summary": "s", "evidence": [], "evidence_quality": {"total_count": 0, "signal_count": 0, "strong_signal_count": 0,
  "weak_signal_count": 0, "has_failure_signal": false, "score": 0, "assessment": "weak", "strongest_evidence_ids": []},
  "root_cause_hypotheses": [], "hypothesis_evidence_map": [], "cause_analysis": [], "unknowns": [],
  "actions": [{"id": "A1", "title": "t", "priority": "P0", "risk": "low", "target_paths": ["src"], "verification": []}],
  "verification_commands": ["sh check.sh"],
  "verification": [{"origin": "check", "command": "sh check.sh", "action": "STEP.1"}], "done_criteria": []}"#;

impl Fixture {
    /// Creates a fixture whose plan a person approved.
    fn new(plan: &str) -> Self {
        let place = Self::proposed(plan);
        place.approve(&[]).unwrap();
        place
    }

    /// Approves the plan as a person, with these commands of a planner.
    fn approve(&self, commands: &[&str]) -> Result<Approval, IncidentError> {
        let commands: Vec<String> = commands.iter().map(|command| (*command).to_owned()).collect();
        let credential = Credential::Terminal;
        let request = ApprovalRequest { person: "p", note: "", commands: &commands, credential, expected: None };
        approval::approve(self.context(), &self.id, &request)
    }

    fn proposed(plan: &str) -> Self {
        let (directory, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join("src/a.txt"), "wrong\n").unwrap();
        let kept = State::open(&state.path().canonicalize().unwrap().join("state")).unwrap();
        let incidents = Incidents::open(&root.join(".referee/reports"), Some(&kept)).unwrap();
        let environment: Vec<(OsString, OsString)> = [
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "p"),
            ("GIT_AUTHOR_EMAIL", "p@p"),
            ("GIT_COMMITTER_NAME", "p"),
            ("GIT_COMMITTER_EMAIL", "p@p"),
            ("REFEREE_KEY", "/key"),
            ("TMPDIR", state.path().to_str().unwrap()),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into_iter()
        .chain([("PATH".into(), std::env::var_os("PATH").unwrap())])
        .collect();
        let host = Host {
            environment,
            shim: "/nonexistent".into(),
            controlling_terminal: false,
            clock: Clock::starting_at(Timestamp::parse("2026-11-22T10:00:00Z").unwrap()),
            confines: Confines::default(),
        };
        let place = Self {
            directory,
            state,
            incidents,
            kept,
            host,
            redactor: Redactor::new(Vec::new(), Vec::new()),
            id: IncidentId::parse("incident_1").unwrap(),
            cancellation: Cancellation::new().unwrap(),
        };
        let incident = referee_model::incident::read(
            br#"{"incident_id": "incident_1", "status": "plan_proposed", "created_at": "2026-02-17T03:00:00+00:00",
                 "updated_at": "2026-02-17T03:00:00+00:00"}"#,
        )
        .unwrap();
        let change = Change {
            files: vec![PartFile { part: Part::Plan, name: "plan.json".to_owned(), bytes: plan.as_bytes().to_vec() }],
            ..Change::of(incident, "capture", "test")
        };
        assert!(place.incidents.add(change, place.host.clock.now()).unwrap());
        place.was_red(&["sh check.sh"]);
        place
    }

    /// Records that exactly these commands failed for the incident.
    fn was_red(&self, commands: &[&str]) {
        let mut redness = Redness::read(&self.kept, self.incidents.root(), &self.id).unwrap();
        redness.forget();
        redness.add(&commands.iter().map(|command| (*command).to_owned()).collect::<Vec<_>>());
        redness.keep(&self.kept, self.incidents.root()).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn context(&self) -> IncidentContext<'_> {
        IncidentContext {
            incidents: &self.incidents,
            state: &self.kept,
            host: &self.host,
            redactor: &self.redactor,
            agent: None,
            by: "loop",
        }
    }

    /// Returns a request for a loop whose agent is these lines of sh; each of its turns adds a line to `turns.txt`.
    fn request(&self, lines: Option<&str>, options: LoopOptions) -> LoopRequest<'_> {
        let agent = lines.map(|lines| {
            let script = format!("cat > given.json; echo x >> turns.txt\n{lines}\n");
            let command = ["sh", "-c", script.as_str()].map(str::to_owned).to_vec();
            Agent { command, timeout: 60_000, secrets: Vec::new(), live: None, workers: None }
        });
        let checks = vec![Verification::Check { command: "sh check.sh".to_owned(), action: "STEP.1".to_owned() }];
        let plan = PlanRequest { workspace: self.path(""), checks, ..PlanRequest::default() };
        LoopRequest { agent, options, plan, specification: None, cancellation: &self.cancellation }
    }

    /// Runs a loop with this check.
    fn run(
        &self,
        request: &LoopRequest<'_>,
        check: &mut dyn FnMut() -> GateReply,
    ) -> Result<RunResultDocument, IncidentError> {
        super::run(self.context(), &self.id, request, &mut |_, _| check())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(".referee/reports").join(name), bytes).unwrap();
    }

    fn stored(&self) -> Stored {
        self.incidents.find(&self.id).unwrap().unwrap()
    }

    fn status(&self) -> IncidentStatus {
        self.stored().incident.status
    }

    fn attempt(&self, number: u32) -> AttemptDocument {
        let bytes = self.incidents.file(&self.id, Part::Run, &attempt::file_name(number)).unwrap();
        serde_json::from_slice(&bytes.unwrap_or_else(|| panic!("there is no attempt {number}"))).unwrap()
    }

    fn attempts(&self) -> usize {
        let names = self.incidents.files(&self.id, Part::Run).unwrap();
        names.iter().filter(|name| attempt::number(name).is_some()).count()
    }

    fn loop_file(&self) -> LoopFileDocument {
        let bytes = self.incidents.file(&self.id, Part::Run, attempt::LOOP_STATE).unwrap().unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    fn kept_result(&self) -> RunResultDocument {
        let bytes = self.incidents.file(&self.id, Part::Run, attempt::RUN_RESULT).unwrap().unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    fn turns(&self) -> usize {
        fs::read_to_string(self.path("turns.txt")).unwrap_or_default().lines().count()
    }

    /// Runs git as the loops run their programs: this process ends all its other children as leftovers.
    fn git(&self, directory: &Path, arguments: &[&str]) -> String {
        let argv: Vec<String> = ["git", "-c", "init.defaultBranch=main"]
            .iter()
            .chain(arguments)
            .map(|&argument| argument.to_owned())
            .collect();
        let command = AgentCommand {
            argv: &argv,
            directory,
            environment: self.host.environment.iter().cloned().collect(),
            input: b"",
            marker: &ExecutionId::parse("exec-git").unwrap(),
            turn: 1,
            timeout_ms: 60_000,
            grace_ms: 1_000,
        };
        let printed = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&printed);
        let tap = Box::new(move |stream, bytes: &[u8]| {
            if stream == Stream::Stdout {
                sink.lock().unwrap().extend_from_slice(bytes);
            }
        });
        let end = agent_process::run_agent(&command, &self.host, &self.cancellation, tap).unwrap();
        let printed = String::from_utf8_lossy(&printed.lock().unwrap()).into_owned();
        assert_eq!(end.ending, Ending::Exited { code: 0 }, "{arguments:?}: {printed}");
        printed.trim().to_owned()
    }

    /// Makes the workspace a repository that pushes to a bare one.
    fn with_remote(self) -> Self {
        let remote = self.state.path().join("remote.git");
        fs::create_dir(&remote).unwrap();
        self.git(&remote, &["init", "-q", "--bare"]);
        let directory = self.path("");
        self.git(&directory, &["init", "-q"]);
        fs::write(self.path("other.txt"), "x\n").unwrap();
        fs::write(self.path(".gitignore"), "turns.txt\ngiven.json\n").unwrap();
        self.git(&directory, &["add", "."]);
        self.git(&directory, &["commit", "-q", "-m", "first"]);
        self.git(&directory, &["remote", "add", "origin", remote.to_str().unwrap()]);
        self
    }
}

/// Returns an answer about one task with these blocking failures.
fn answer(failures: &[u8]) -> GateReply {
    let prints: Vec<Fingerprint> =
        failures.iter().map(|byte| Fingerprint::version_1(Digest::from_bytes([*byte; 32]))).collect();
    let passed = failures.is_empty();
    let (decision, exit) = if passed { (Decision::Pass, Exit::Passed) } else { (Decision::Fail, Exit::Failed) };
    let task = GateTask {
        task: TaskId::parse("T001").unwrap(),
        title: String::new(),
        execution: ExecutionId::parse("exec-1").unwrap(),
        basis: Basis::Ran,
        decision,
        exit,
        reduced: false,
        reasons: if passed { Vec::new() } else { vec![format!("failure {failures:?}")] },
        edited: Vec::new(),
        weaker: Vec::new(),
        report: "/nonexistent/T001/execution-report.json".to_owned(),
        ended: Timestamp::from_millisecond(0),
        tests: None,
        checks: Vec::new(),
        snapshot: Snapshot {
            passed,
            first_failure: prints.first().copied(),
            failures: prints.into_iter().collect(),
            reached: usize::from(passed),
        },
    };
    GateReply::Answer(Box::new(GateAnswer::of(decision, exit, vec![task])))
}

/// Returns checks that pass if the file has the required content.
fn fixed(place: &Fixture) -> impl FnMut() -> GateReply + '_ {
    || answer(if fs::read_to_string(place.path("src/a.txt")).unwrap() == "right\n" { &[] } else { &[1] })
}

/// An agent that fixes the file in its second turn, and says so.
const FIXES: &str = r#"test $(wc -l < turns.txt) -lt 2 || echo right > src/a.txt; echo '{"actions_applied": ["A1"]}'"#;

#[test]
fn an_agent_that_repairs_resolves_the_incident() {
    let place = Fixture::new(PLAN);
    let options = LoopOptions { archive_on_success: true, ..LoopOptions::default() };
    let result = place.run(&place.request(Some(FIXES), options), &mut fixed(&place)).unwrap();
    // IN-03.
    assert_eq!((result.final_status, result.loops_used), (FinalStatus::Resolved, 2));
    assert_eq!(result.archived_to.as_deref(), Some("error_archive/resolved/incident_1"));
    assert_eq!(
        (place.status(), place.stored().path()),
        (IncidentStatus::Resolved, result.archived_to.clone().unwrap())
    );
    assert_eq!(place.kept_result(), result, "what is told is what is kept");
    assert_eq!((result.same_error_repeats, result.no_progress_streak), (0, 0));
    let (first, second) = (place.attempt(1), place.attempt(2));
    assert_eq!((first.result, first.actions_applied.len()), (TurnResult::Continue, 0), "nothing changed in it");
    assert_eq!((second.result, second.actions_applied), (TurnResult::Resolved, vec!["A1".to_owned()]));
    assert!(first.error_signature.starts_with("sh check.sh::rc="), "{}", first.error_signature);
    assert_eq!(place.loop_file().phase, LoopPhase::Over);
    let given: serde_json::Value = serde_json::from_slice(&fs::read(place.path("given.json")).unwrap()).unwrap();
    assert_eq!((&given["iteration"], &given["turns_left"]), (&2.into(), &7.into()));
    assert_eq!((&given["incident"]["status"], &given["plan"]["revision"]), (&"running".into(), &1.into()));
    assert_eq!(given["reasons"][0], "failure [1]");
    assert_eq!(given["policy"]["scope"][0], "src");
}

#[test]
fn the_same_failure_twice_asks_for_another_plan_and_its_budgets_are_fresh() {
    // IN-07.
    let place = Fixture::new(PLAN);
    let request = place.request(Some("true"), LoopOptions::default());
    let result = place.run(&request, &mut || answer(&[1])).unwrap();
    assert_eq!((result.final_status, result.loops_used), (FinalStatus::ReplanRequested, 2));
    assert_eq!((result.same_error_repeats, result.no_progress_streak), (2, 2));
    assert_eq!((result.replan.requested, result.replan.iteration), (true, 2));
    assert_eq!(result.replan.reason, "no actionable progress for 2 consecutive loops");
    assert_eq!(result.replan.plan_json.as_ref().unwrap().status, "ok");
    assert_eq!((place.status(), place.attempt(2).result), (IncidentStatus::PlanProposed, TurnResult::Replan));
    assert!(matches!(place.run(&request, &mut || answer(&[1])), Err(IncidentError::Illegal(_))));
    // A person approves the new plan: the one replan is used, so a person has to decide now.
    place.approve(&[]).unwrap();
    let result = place.run(&request, &mut || answer(&[1])).unwrap();
    assert_eq!((result.final_status, result.loops_used), (FinalStatus::Escalated, 2));
    assert_eq!((place.status(), place.attempts(), place.turns()), (IncidentStatus::Escalated, 4, 4));
    assert!(!result.replan.requested);
}

/// Sets the status, as another process would.
fn stands(place: &Fixture, status: IncidentStatus) {
    let set = |stored: &Stored| {
        let incident = referee_model::incident::IncidentDocument { status, ..stored.incident.clone() };
        Ok::<_, LedgerError>(Change::of(incident, "approve", "test"))
    };
    place.incidents.change(&place.id, place.host.clock.now(), set).unwrap();
}

#[test]
fn limits_leave_it_to_a_person_and_one_turn_leaves_it_running() {
    let usual = LoopOptions::default;
    // IN-11, IN-12, IN-14, IN-13.
    for (options, failures, status, turns) in [
        (LoopOptions { auto_replan: false, ..usual() }, &[1_u8][..], FinalStatus::Escalated, 3),
        (LoopOptions { max_loops: 4, ..usual() }, &[1, 2], FinalStatus::Escalated, 4),
        (LoopOptions { max_loops: 1, ..usual() }, &[1], FinalStatus::Escalated, 1),
        (LoopOptions { single_iteration: true, ..usual() }, &[1], FinalStatus::Running, 1),
        (LoopOptions { max_runtime_ms: 0, ..usual() }, &[1], FinalStatus::Escalated, 1),
    ] {
        let place = Fixture::new(PLAN);
        let mut turn = 0;
        let mut check = || {
            turn += 1;
            answer(&failures[(turn - 1) % failures.len()..][..1])
        };
        let result = place.run(&place.request(Some("true"), options), &mut check).unwrap();
        assert_eq!((result.final_status, place.turns(), place.attempts()), (status, turns, turns));
        let stands = if status == FinalStatus::Running { IncidentStatus::Running } else { IncidentStatus::Escalated };
        assert_eq!((place.status(), result.loops_used as usize), (stands, turns));
    }
}

#[test]
fn single_turns_are_counted_over_invocations() {
    let place = Fixture::new(PLAN);
    let options = LoopOptions { single_iteration: true, auto_replan: false, ..LoopOptions::default() };
    for expected in [FinalStatus::Running, FinalStatus::Running, FinalStatus::Escalated] {
        let result = place.run(&place.request(None, options.clone()), &mut || answer(&[1])).unwrap();
        assert_eq!(result.final_status, expected);
    }
    assert_eq!((place.attempts(), place.attempt(3).same_error_repeats), (3, 3));
}

#[test]
fn nothing_is_done_without_an_approval_that_counts() {
    let place = Fixture::proposed(PLAN);
    let request = place.request(Some("true"), LoopOptions::default());
    let mut check = || answer(&[]);
    stands(&place, IncidentStatus::Approved);
    let refused = place.run(&request, &mut check);
    assert!(
        matches!(&refused, Err(IncidentError::Refused(why)) if why.contains("plan is not approved")),
        "{refused:?}"
    );
    let place = Fixture::new(PLAN);
    let request = place.request(Some("true"), LoopOptions::default());
    place.write("error_plans/incident_1/plan.json", PLAN.replace("STEP.1", "STEP.9"));
    assert!(matches!(place.run(&request, &mut check), Err(IncidentError::Refused(_))));
    assert_eq!((place.status(), place.turns()), (IncidentStatus::PlanProposed, 0));
    for status in
        [IncidentStatus::New, IncidentStatus::PlanProposed, IncidentStatus::HandedOff, IncidentStatus::Resolved]
    {
        stands(&place, status);
        assert!(matches!(place.run(&request, &mut check), Err(IncidentError::Illegal(_))), "{status:?}");
    }
    // IN-16.
    let unknown = IncidentId::parse("unknown").unwrap();
    let found = super::run(place.context(), &unknown, &request, &mut |_, _| answer(&[]));
    assert!(matches!(found, Err(IncidentError::Unknown(_))));
}

#[test]
fn a_plan_without_checks_and_a_planners_own_command_are_refused() {
    // IN-15.
    let none = PLAN.replace(r#"["sh check.sh"]"#, "[]");
    let place = Fixture::new(&none);
    let request = place.request(None, LoopOptions::default());
    let refused = place.run(&request, &mut || answer(&[])).unwrap_err();
    assert!(refused.to_string().contains("no verification commands"), "{refused}");
    // A command without an origin is the planner's own.
    let place = Fixture::proposed(&PLAN.replace(r#"["sh check.sh"]"#, r#"["sh check.sh", "true"]"#));
    assert!(matches!(place.approve(&[]), Err(IncidentError::Refused(_))));
    place.approve(&["true"]).unwrap();
    let result = place.run(&place.request(None, LoopOptions::default()), &mut || answer(&[])).unwrap();
    assert_eq!(result.final_status, FinalStatus::Resolved);
    for junk in ["{}", "", r#"{"incident_id": "x"}"#] {
        let place = Fixture::new(PLAN);
        place.write("error_plans/incident_1/plan.json", junk);
        let request = place.request(None, LoopOptions::default());
        assert!(matches!(place.run(&request, &mut || answer(&[])), Err(IncidentError::Refused(_))));
    }
}

#[test]
fn a_plan_that_the_agent_changes_is_void_and_nothing_is_checked_by_it() {
    let place = Fixture::new(PLAN);
    let agent = "sed -i 's/STEP.1/STEP.9/' .referee/reports/error_plans/incident_1/plan.json; echo right > src/a.txt";
    // The approval is verified once; a later change of the plan is detected by its digest.
    let request = place.request(Some(agent), LoopOptions::default());
    let result = place.run(&request, &mut || panic!("it was checked")).unwrap();
    assert_eq!((result.final_status, place.status()), (FinalStatus::ReplanRequested, IncidentStatus::PlanProposed));
    assert!(result.reason.contains("void") && result.replan.plan_json.is_none(), "{result:?}");
    // An agent's claim that the incident is resolved does not count.
    let place = Fixture::new(PLAN);
    let agent = "echo resolved > .referee/reports/error_inbox/incident_1/status.txt";
    let result = place.run(&place.request(Some(agent), LoopOptions::default()), &mut || answer(&[1])).unwrap();
    assert_eq!((result.final_status, place.status()), (FinalStatus::ReplanRequested, IncidentStatus::PlanProposed));
    let events = place.incidents.events(0, 100).unwrap();
    assert!(events.iter().any(|event| event.note.contains("it stood as resolved")), "{events:?}");
    // Nor does moving it to where resolved ones are.
    let place = Fixture::new(PLAN);
    let agent = "mkdir -p .referee/reports/error_archive/resolved; \
                 mv .referee/reports/error_inbox/incident_1 .referee/reports/error_archive/resolved/";
    let options = LoopOptions { single_iteration: true, ..LoopOptions::default() };
    let result = place.run(&place.request(Some(agent), options), &mut || answer(&[1])).unwrap();
    assert_eq!((result.final_status, place.status()), (FinalStatus::Running, IncidentStatus::Running));
    assert_eq!(place.stored().shelf, referee_ledger::incidents::IncidentDir::Inbox);
}

#[test]
fn a_plan_whose_checks_are_not_what_it_says_runs_nothing() {
    let check = |id: &str, command: &str| Verification::Check { command: command.to_owned(), action: id.to_owned() };
    for (checks, runs) in [
        (vec![check("STEP.1", "true"), check("STEP.2", "sh check.sh")], false),
        (vec![check("STEP.1", "sh check.sh")], true),
        (vec![check("T001/STEP.1", "true"), check("T002/STEP.1", "false")], false),
        (vec![check("T001/STEP.1", "true"), check("T002/STEP.1", "sh check.sh")], true),
        // Whether the check exists is found when it is run.
        (vec![check("STEP.2", "true")], true),
    ] {
        let place = Fixture::new(PLAN);
        let mut request = place.request(Some("true"), LoopOptions::default());
        request.plan.checks = checks.clone();
        let result = place.run(&request, &mut || answer(&[]));
        assert_eq!((result.is_ok(), place.turns()), (runs, usize::from(runs)), "{checks:?}: {result:?}");
        if let Err(refused) = result {
            assert!(
                refused.to_string().contains("runs `sh check.sh`, and in the specification it runs `true`"),
                "{refused}"
            );
            assert_eq!(place.status(), IncidentStatus::Approved);
            // An incident on which work has begun is returned to a person.
            stands(&place, IncidentStatus::Running);
            place.run(&request, &mut || answer(&[])).unwrap_err();
            assert_eq!(place.status(), IncidentStatus::PlanProposed);
        }
    }
}

#[test]
fn what_cannot_be_checked_is_never_a_pass() {
    let none = |exit| GateReply::None { exit, reason: "why not".to_owned() };
    let place = Fixture::new(PLAN);
    let request = place.request(Some("true"), LoopOptions::default());
    let failed = place.run(&request, &mut || none(Exit::Internal));
    assert!(matches!(failed, Err(IncidentError::Internal(_))), "{failed:?}");
    // The agent's turn was taken, and is not repeated.
    let failed = place.run(&request, &mut || none(Exit::Evidence));
    assert!(matches!(failed, Err(IncidentError::Store(_))), "{failed:?}");
    assert_eq!((place.turns(), place.status()), (1, IncidentStatus::Running));
    let result = place.run(&request, &mut || none(Exit::Specification)).unwrap();
    assert_eq!((result.final_status, place.turns()), (FinalStatus::Escalated, 1));
    assert!(result.reason.contains("why not"), "{}", result.reason);
}

#[test]
fn an_agent_that_crashes_hangs_or_cannot_start_decides_nothing() {
    let place = Fixture::new(PLAN);
    let request = place.request(Some("echo right > src/a.txt; kill -9 $$"), LoopOptions::default());
    assert_eq!(place.run(&request, &mut fixed(&place)).unwrap().final_status, FinalStatus::Resolved);
    assert_eq!(place.attempt(1).agent.unwrap().ending, "signaled");
    let place = Fixture::new(PLAN);
    let mut request =
        place.request(Some("echo begun; sleep 600"), LoopOptions { max_loops: 1, ..LoopOptions::default() });
    request.agent.as_mut().unwrap().timeout = 300;
    assert_eq!(place.run(&request, &mut fixed(&place)).unwrap().final_status, FinalStatus::Escalated);
    let left = place.attempt(1).agent.unwrap();
    assert_eq!((left.ending.as_str(), left.stdout.as_str()), ("timeout", "begun\n"));
    let place = Fixture::new(PLAN);
    let mut request = place.request(Some("true"), LoopOptions::default());
    request.agent.as_mut().unwrap().command = vec!["no-such-agent".to_owned()];
    let refused = place.run(&request, &mut || panic!("it was checked"));
    assert!(matches!(&refused, Err(IncidentError::Refused(why)) if why.contains("no-such-agent")), "{refused:?}");
    assert_eq!((place.attempts(), place.loop_file().iteration), (0, 0), "it was not a turn");
}

#[test]
fn an_agent_is_given_what_failed_and_nothing_of_keys() {
    let place = Fixture::new(PLAN);
    let agent = "env > variables.txt; cmp $REFEREE_PLAN .referee/reports/error_plans/incident_1/plan.json && touch same; \
                 cat $REFEREE_DIAGNOSTICS > diagnostics.txt";
    let options = LoopOptions { single_iteration: true, ..LoopOptions::default() };
    place.run(&place.request(Some(agent), options), &mut || answer(&[1])).unwrap();
    let variables = fs::read_to_string(place.path("variables.txt")).unwrap();
    assert!(variables.contains("REFEREE_INCIDENT=incident_1") && !variables.contains("REFEREE_KEY"), "{variables}");
    assert!(place.path("same").exists());
    assert_eq!(fs::read_to_string(place.path("diagnostics.txt")).unwrap().trim(), "[]");
}

/// Runs a loop that is interrupted when its checks run for the `at`-th time, as far as the disk shows.
fn cut_off(place: &Fixture, request: &LoopRequest<'_>, at: usize) {
    let calls = RefCell::new(0);
    let mut check = || {
        *calls.borrow_mut() += 1;
        assert!(*calls.borrow() != at, "cut off");
        answer(&[1, u8::try_from(*calls.borrow()).unwrap()])
    };
    let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| place.run(request, &mut check)));
    assert!(ran.is_err());
}

#[test]
fn a_loop_that_was_cut_off_goes_on_without_a_turn_taken_twice() {
    // While the checks ran: the agent does not run again.
    let place = Fixture::new(PLAN);
    let request = place.request(Some("true"), LoopOptions { auto_replan: false, ..LoopOptions::default() });
    cut_off(&place, &request, 2);
    assert_eq!((place.turns(), place.attempts(), place.loop_file().phase), (2, 1, LoopPhase::Checks));
    let result = place.run(&request, &mut || answer(&[])).unwrap();
    assert_eq!((result.final_status, result.loops_used), (FinalStatus::Resolved, 2));
    assert_eq!((place.turns(), place.attempts()), (2, 2));
    // While the agent worked: that was its turn.
    let place = Fixture::new(PLAN);
    cut_off(&place, &place.request(Some("true"), LoopOptions::default()), 1);
    let mut file = place.loop_file();
    file.phase = LoopPhase::Agent;
    file.agent = None;
    place.write("error_runs/incident_1/loop_state.json", to_bytes(&file).unwrap());
    let result = place.run(&place.request(Some("true"), LoopOptions::default()), &mut || answer(&[])).unwrap();
    assert_eq!((result.final_status, place.turns()), (FinalStatus::Resolved, 1));
    assert_eq!(place.attempt(1).agent.unwrap().ending, "cut_off");
    // Whatever is wrong with the stored state, nothing is overwritten and nothing passes because of it.
    for junk in ["", "{}", "\0"] {
        let place = Fixture::new(PLAN);
        let single = LoopOptions { single_iteration: true, ..LoopOptions::default() };
        place.run(&place.request(None, single.clone()), &mut || answer(&[1])).unwrap();
        place.write("error_runs/incident_1/loop_state.json", junk);
        place.run(&place.request(None, single), &mut || answer(&[1])).unwrap();
        assert_eq!(place.attempts(), 2);
    }
}

#[test]
fn another_plan_that_was_asked_for_is_made_after_a_crash_and_no_turn_is_taken() {
    let place = Fixture::new(PLAN);
    let single = LoopOptions { single_iteration: true, ..LoopOptions::default() };
    let request = place.request(Some("true"), single);
    place.run(&request, &mut || answer(&[1])).unwrap();
    // As stored before the new plan is made.
    let mut file = place.loop_file();
    file.phase = LoopPhase::Replan;
    place.write("error_runs/incident_1/loop_state.json", to_bytes(&file).unwrap());
    let result = place.run(&request, &mut || panic!("it was checked")).unwrap();
    assert_eq!((result.final_status, place.turns()), (FinalStatus::ReplanRequested, 1));
    assert_eq!(place.status(), IncidentStatus::PlanProposed);
    // A plan that cannot be made returns the incident to a person all the same.
    let place = Fixture::new(PLAN);
    let mut request = place.request(None, LoopOptions::default());
    let stopped = Cancellation::new().unwrap();
    stopped.request(15);
    // A planner that does not end by itself: whether it or the request to stop is seen first must not matter.
    let planner = Some(vec!["sleep".to_owned(), "60".to_owned()]);
    request.plan = PlanRequest { planner, cancellation: Some(stopped), ..request.plan };
    let result = place.run(&request, &mut || answer(&[1])).unwrap();
    let error = result.replan.plan_json.unwrap().error.unwrap();
    assert!(error.contains("interrupted"), "{error}");
    assert_eq!(place.status(), IncidentStatus::PlanProposed);
}

#[test]
fn a_loop_that_is_asked_to_stop_stays_where_it_is() {
    let place = Fixture::new(PLAN);
    let request = place.request(None, LoopOptions::default());
    let result = place
        .run(&request, &mut || {
            place.cancellation.request(2);
            answer(&[])
        })
        .unwrap();
    assert_eq!((result.final_status, place.status()), (FinalStatus::Running, IncidentStatus::Running));
    assert_eq!(place.attempts(), 0, "checks that were stopped say nothing");
}

fn committing(push: bool, archive: bool) -> LoopOptions {
    LoopOptions {
        commit_on_resolve: true,
        push_on_resolve: push,
        archive_on_success: archive,
        ..LoopOptions::default()
    }
}

#[test]
fn what_was_changed_is_committed_and_pushed_and_nothing_else_that_is_staged() {
    // IN-08.
    let place = Fixture::new(PLAN).with_remote();
    fs::write(place.path("other.txt"), "staged\n").unwrap();
    place.git(&place.path(""), &["add", "other.txt"]);
    let agent = "echo right > src/a.txt; echo new > src/new.txt; echo beside > beside.txt";
    let result = place.run(&place.request(Some(agent), committing(true, true)), &mut fixed(&place)).unwrap();
    let commit = &result.commit;
    assert_eq!((commit.ran, commit.skipped, commit.error.as_deref()), (true, false, None), "{commit:?}");
    assert_eq!((commit.push.ran, commit.push.success), (true, true), "{commit:?}");
    let sha = commit.commit_sha.clone().unwrap();
    assert_eq!(place.git(&place.state.path().join("remote.git"), &["rev-parse", "main"]), sha);
    let listed = place.git(&place.path(""), &["show", "--name-status", "--format=%s", "--no-renames", "HEAD"]);
    assert!(listed.starts_with("Resolve incident incident_1\n"), "{listed}");
    for line in ["M\tsrc/a.txt", "A\tsrc/new.txt", "A\t.referee/reports/error_archive/resolved/incident_1/status.txt"] {
        assert!(listed.lines().any(|found| found == line), "{line}: {listed}");
    }
    assert!(listed.lines().any(|line| line == "D\t.referee/reports/error_inbox/incident_1/status.txt"), "{listed}");
    for absent in ["other.txt", "beside.txt", "error_runs"] {
        assert!(!listed.contains(absent), "{absent}: {listed}");
    }
    assert_eq!(place.git(&place.path(""), &["diff", "--cached", "--name-only"]), "other.txt");
    let clean = place.git(&place.path(""), &["status", "--porcelain", "--", "src", ".referee/reports/error_archive"]);
    assert_eq!(clean, "", "what was committed stays as it was");
}

#[test]
fn nothing_to_commit_is_skipped_and_a_push_that_fails_leaves_it_resolved() {
    // IN-09.
    let place = Fixture::new(PLAN).with_remote();
    let options = LoopOptions { commit_scope: CommitScope::Plan, ..committing(true, false) };
    let result = place.run(&place.request(None, options), &mut || answer(&[])).unwrap();
    assert_eq!((result.commit.ran, result.commit.skipped, result.commit.push.ran), (false, true, false));
    // IN-10.
    let place = Fixture::new(PLAN).with_remote();
    fs::remove_dir_all(place.state.path().join("remote.git")).unwrap();
    let agent = Some("echo right > src/a.txt");
    let result = place.run(&place.request(agent, committing(true, false)), &mut fixed(&place)).unwrap();
    assert_eq!((result.final_status, place.status()), (FinalStatus::Resolved, IncidentStatus::Resolved));
    assert!(result.commit.ran && result.commit.push.ran && !result.commit.push.success, "{:?}", result.commit);
    assert!(result.commit.push.error.is_some());
    let error = result.commit.push.build_error.as_ref().unwrap();
    assert_eq!(
        (&error["type"], error["message"].as_str()),
        (&"system_error".into(), result.commit.push.error.as_deref())
    );
    // An agent that makes a commit itself: its commit is not pushed.
    let place = Fixture::new(PLAN).with_remote();
    let agent = Some("echo right > src/a.txt; git commit -q -a -m sneaky");
    let result = place.run(&place.request(agent, committing(true, false)), &mut fixed(&place)).unwrap();
    assert_eq!((result.final_status, result.commit.ran, result.commit.push.ran), (FinalStatus::Resolved, false, false));
    assert!(result.commit.error.unwrap().contains("another commit was made"));
}

#[test]
fn a_commit_that_cannot_be_is_refused_before_any_turn() {
    let place = Fixture::new(PLAN);
    let refused = |options: LoopOptions| {
        place.run(&place.request(Some("true"), options), &mut || panic!("it was checked")).unwrap_err()
    };
    assert!(matches!(refused(committing(false, false)), IncidentError::Refused(_)), "there is no repository");
    for options in [
        LoopOptions { push_on_resolve: true, ..LoopOptions::default() },
        LoopOptions { remote: "--upload-pack=x".to_owned(), ..committing(true, false) },
        LoopOptions { branch: Some("a..b".to_owned()), ..committing(false, false) },
        LoopOptions { commit_message: Some(" ".to_owned()), ..committing(false, false) },
    ] {
        assert!(matches!(refused(options), IncidentError::Invalid(_)));
    }
    let place = Fixture::new(PLAN).with_remote();
    let other = LoopOptions { branch: Some("other".to_owned()), ..committing(false, false) };
    let ended = place.run(&place.request(Some("true"), other), &mut || panic!("it was checked"));
    assert!(matches!(&ended, Err(IncidentError::Refused(why)) if why.contains("not checked out")), "{ended:?}");
    assert_eq!((place.turns(), place.status()), (0, IncidentStatus::Approved));
}

#[test]
fn a_commit_that_was_cut_off_is_made_when_the_loop_goes_on_and_the_checks_still_pass() {
    let place = Fixture::new(PLAN).with_remote();
    fs::write(place.path("src/a.txt"), "right\n").unwrap();
    let request = place.request(Some("true"), committing(false, false));
    cut_off(&place, &request, 1);
    stands(&place, IncidentStatus::Resolved);
    let refused = place.run(&request, &mut || answer(&[1]));
    assert!(matches!(refused, Err(IncidentError::Refused(_))), "nobody's word is believed: {refused:?}");
    let result = place.run(&request, &mut || answer(&[])).unwrap();
    assert_eq!((result.final_status, result.commit.ran, place.turns()), (FinalStatus::Resolved, true, 1));
    assert!(matches!(place.run(&request, &mut || answer(&[])), Err(IncidentError::Illegal(_))), "it is over");
}

#[test]
fn checks_that_were_never_red_resolve_nothing_and_no_agent_works_by_them() {
    let place = Fixture::new(PLAN);
    place.was_red(&["sh other.sh"]);
    let options = LoopOptions { archive_on_success: true, ..LoopOptions::default() };
    for agent in [Some("true"), None, Some("true")] {
        let result = place.run(&place.request(agent, options.clone()), &mut || answer(&[])).unwrap();
        assert_eq!((result.final_status, result.never_red), (FinalStatus::Running, true), "{result:?}");
        assert_eq!((place.status(), place.turns(), result.loops_used), (IncidentStatus::Running, 0, 0));
    }
    // It fails later, before any agent worked: that reproduces the failure.
    let result = place.run(&place.request(Some(FIXES), options), &mut fixed(&place)).unwrap();
    assert_eq!((result.final_status, place.turns()), (FinalStatus::Resolved, 2));
}

#[test]
fn a_check_that_was_red_when_the_loop_began_counts_after_it_was_cut_off() {
    let place = Fixture::new(PLAN);
    place.was_red(&[]);
    let request = place.request(Some("true"), LoopOptions::default());
    // The first look is the first run of the checks.
    cut_off(&place, &request, 2);
    assert_eq!((place.turns(), place.loop_file().phase), (1, LoopPhase::Checks));
    let result = place.run(&request, &mut || answer(&[])).unwrap();
    assert_eq!((result.final_status, place.turns()), (FinalStatus::Resolved, 1));
    // If it is not known to have failed, a failure after an agent worked may be the agent's doing.
    let place = Fixture::new(PLAN);
    cut_off(&place, &place.request(Some("true"), LoopOptions::default()), 1);
    place.was_red(&[]);
    let result = place.run(&place.request(Some("true"), LoopOptions::default()), &mut || answer(&[])).unwrap();
    assert_eq!((result.final_status, result.never_red), (FinalStatus::Running, true));
}

#[test]
fn checks_that_cannot_be_asked_begin_no_turn() {
    let place = Fixture::new(PLAN);
    place.was_red(&[]);
    let request = place.request(Some("true"), LoopOptions::default());
    let none = |exit| GateReply::None { exit, reason: "why not".to_owned() };
    assert!(matches!(place.run(&request, &mut || none(Exit::Internal)), Err(IncidentError::Internal(_))));
    let result = place.run(&request, &mut || none(Exit::Specification)).unwrap();
    assert_eq!((result.final_status, place.turns()), (FinalStatus::Escalated, 0));
    assert!(result.reason.contains("why not"), "{}", result.reason);
}
