use referee_model::incident::planner::{AnswerAction, AnswerHypothesis, AnswerRow, PlannerAnswer};
use referee_model::incident::remediation::{Confidence, Verification};
use serde_json::{Value, json};

use super::proposal::{Proposal, merged};
use super::*;
use crate::incident::evidence::{self, FailureEvidence};
use crate::incident::finding;

struct Sample {
    id: IncidentId,
    step: &'static str,
    class: &'static str,
    message: &'static str,
    log: &'static str,
    context: Value,
    diagnostics: Value,
    checks: Vec<Verification>,
    command: Vec<String>,
}

impl Sample {
    fn new() -> Self {
        Self {
            id: IncidentId::parse("one").unwrap(),
            step: "download",
            class: "run_failed",
            message: "Run failed",
            log: "started provider run\n",
            context: Value::Null,
            diagnostics: json!([]),
            checks: vec![check("npx tsc --noEmit", "STEP.1"), check("npm test", "STEP.2")],
            command: Vec::new(),
        }
    }

    fn with<T>(&self, look: impl FnOnce(&Case<'_>) -> T) -> T {
        let findings = finding::read(&self.diagnostics);
        let signature = format!("{} | {} | {}", self.class, self.step, self.message);
        let rows = evidence::rows(&FailureEvidence {
            message: self.message,
            signature: &signature,
            context: &self.context,
            log: self.log,
            findings: &findings,
        });
        look(&Case {
            incident: &self.id,
            revision: 1,
            now: Timestamp::from_millisecond(0),
            step: self.step,
            failure_class: self.class,
            message: self.message,
            log: self.log,
            findings: &findings,
            rows: &rows,
            checks: &self.checks,
            failed: &[],
            command: &self.command,
            targets: &[],
            workspace: "/work",
        })
    }

    fn plan(&self) -> RemediationPlan {
        self.with(by_rules)
    }

    fn proposed(&self, answer: PlannerAnswer) -> Result<RemediationPlan, String> {
        self.with(|case| merged(by_rules(case), Proposal::new(answer, str::to_owned), case, &["planner".to_owned()]))
    }
}

fn check(command: &str, id: &str) -> Verification {
    Verification::Check { command: command.to_owned(), action: id.to_owned() }
}

fn type_error() -> Sample {
    let error = json!({"severity": "error", "source": "build", "file": "/work/src/a.ts", "line": 3, "code": "TS2322",
        "message": "Type 'string' is not assignable to type 'number'.", "actionId": "STEP.1", "blocking": true});
    Sample { diagnostics: json!([error, {"severity": "warning", "message": "w", "file": "b.ts"}]), ..Sample::new() }
}

fn reasons(plan: &RemediationPlan) -> Vec<&str> {
    plan.cause_analysis.iter().map(|cause| cause.reason.as_str()).collect()
}

#[test]
fn weak_evidence_makes_a_careful_plan() {
    // IN-02.
    let context = json!({"reason": "worker_exit", "returncode": 1, "mode": "none", "source": "-"});
    let plan = Sample { context, ..Sample::new() }.plan();
    assert!(
        plan.cause_analysis.len() >= 2 && plan.confidence_score <= 0.60 && plan.evidence_quality.has_failure_signal
    );
    let cited = &plan.cause_analysis[0].supporting_evidence;
    assert!(cited.iter().any(|row| row.excerpt == "reason=worker_exit"), "{cited:?}");
    assert!(plan.unknowns.iter().any(|unknown| unknown.contains("log")), "{:?}", plan.unknowns);
    assert!(plan.execution.requires_approval);
}

#[test]
fn every_plan_has_hypotheses_with_evidence_actions_and_an_end() {
    let nothing = || Sample { step: "", class: "", message: "", log: "", checks: Vec::new(), ..Sample::new() };
    for sample in [Sample::new(), type_error(), nothing(), Sample { class: "unknown", ..nothing() }] {
        let plan = sample.plan();
        assert!(!plan.cause_analysis.is_empty() && !plan.actions.is_empty() && !plan.done_criteria.is_empty());
        for cause in &plan.cause_analysis {
            assert_eq!(cause.evidence_ids.is_empty(), plan.evidence.is_empty(), "{cause:?}");
            assert!(cause.gaps.len() <= 3);
        }
        assert!(plan.confidence_score < UNSURE && plan.cause_analysis.len() >= 2);
    }
}

#[test]
fn what_was_judged_is_the_first_hypothesis_and_says_what_to_change_and_to_run() {
    let plan = type_error().plan();
    assert!(reasons(&plan)[0].starts_with("A type or compile error in /work/src/a.ts: TS2322: Type 'string'"));
    assert_eq!(plan.cause_analysis[0].evidence_ids, ["E1"]);
    assert_eq!(plan.actions[1].target_paths, ["src/a.ts"]);
    assert_eq!(plan.verifications(), [check("npx tsc --noEmit", "STEP.1")]);
    let ids: Vec<&str> = plan.actions.iter().map(|action| action.id.as_str()).collect();
    assert_eq!(ids, ["A1", "A2", "A3"]);
}

/// A plan that names only a test's file tells the author of the repair to change the test.
#[test]
fn a_test_that_fails_is_not_what_is_to_be_changed() {
    let failed = |file: &str| {
        json!({"severity": "error", "source": "test", "file": file, "line": 3, "code": "test_app.py::test_total",
            "message": "test_app.py::test_total: assert 4 == 3", "actionId": "STEP.2", "blocking": true})
    };
    let plan = Sample { diagnostics: json!([failed("test_app.py")]), ..Sample::new() }.plan();
    assert_eq!(plan.actions[1].target_paths, [""; 0]);
    assert!(plan.unknowns.iter().any(|unknown| unknown.contains("--target")), "{:?}", plan.unknowns);
    assert_eq!(plan.evidence[0].excerpt, "test_app.py:3: error: test_app.py::test_total: assert 4 == 3");
    assert_eq!(reasons(&plan)[0], "What the test `test_app.py::test_total` asks for does not hold: assert 4 == 3");
    // The failure is in the code under test.
    let plan = Sample { diagnostics: json!([failed("test_app.py"), failed("src/app.py")]), ..Sample::new() }.plan();
    assert_eq!(plan.actions[1].target_paths, ["src/app.py"]);
    // Its traceback names the file under test, in either spelling.
    for key in ["file_under_test", "fileUnderTest"] {
        let mut found = failed("test_app.py");
        found[key] = json!("/work/src/total.py");
        let plan = Sample { diagnostics: json!([found]), ..Sample::new() }.plan();
        assert_eq!(plan.actions[1].target_paths, ["src/total.py"], "{key}");
        assert!(!plan.unknowns.iter().any(|unknown| unknown.contains("--target")), "{:?}", plan.unknowns);
    }
    // A compiler error in a test is to be fixed in the test.
    let typed = json!({"severity": "error", "source": "build", "file": "a.test.ts", "message": "m", "blocking": true});
    let plan = Sample { diagnostics: json!([typed]), ..Sample::new() }.plan();
    assert_eq!(plan.actions[1].target_paths, ["a.test.ts"]);
}

#[test]
fn kinds_of_failure_are_told_from_the_words_of_the_evidence() {
    for (log, class, expected) in [
        ("TimeoutError: 30000ms exceeded", "transient", "A service or the network did not answer in time"),
        ("no node for selector .row", "unknown", "Something that is looked for is not there"),
        ("AUTH_REQUIRED: login page", "auth_expired", "The sign-in is missing"),
        ("picked a random item", "unknown", "A fault in the code or its configuration"),
        ("started", "run_failed", "A step of the run failed"),
    ] {
        let plan = Sample { class, log, ..Sample::new() }.plan();
        assert!(reasons(&plan)[0].starts_with(expected), "{log}: {:?}", reasons(&plan));
        assert_eq!(plan.actions.iter().any(|action| action.id == "A1b"), class == "auth_expired");
    }
}

#[test]
fn what_failed_is_what_is_run_again() {
    let command = || vec!["npm".to_owned(), "run".to_owned(), "go on".to_owned()];
    let lines = |sample: Sample| sample.plan().verification_commands;
    assert_eq!(lines(Sample::new()), ["npx tsc --noEmit", "npm test"]);
    assert_eq!(lines(Sample { step: "STEP.2", ..Sample::new() }), ["npm test"]);
    assert_eq!(lines(Sample { command: command(), ..Sample::new() }), ["npm run 'go on'"]);
    assert_eq!(lines(Sample { command: command(), step: "STEP.1", ..Sample::new() }), ["npx tsc --noEmit"]);
    let same = Sample { command: vec!["npm".to_owned(), "test".to_owned()], ..Sample::new() };
    assert_eq!(same.plan().verifications(), [check("npm test", "STEP.2")]);
    let none = Sample { checks: Vec::new(), ..Sample::new() }.plan();
    assert!(none.verification.is_empty() && none.unknowns.iter().any(|unknown| unknown.starts_with("Nothing shows")));
    assert!(none.actions.iter().all(|action| action.verification.is_empty()));
}

fn hypothesis(confidence: Confidence, evidence: &[&str]) -> AnswerHypothesis {
    AnswerHypothesis {
        confidence,
        reason: "The\n# field is a string".to_owned(),
        evidence_ids: evidence.iter().map(|id| (*id).to_owned()).collect(),
        gaps: Vec::new(),
    }
}

fn action(paths: &[&str]) -> AnswerAction {
    AnswerAction {
        title: "Make it a number".to_owned(),
        priority: "P0".to_owned(),
        risk: Confidence::Low,
        target_paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        verification: vec!["STEP.1".to_owned(), "rm -rf /".to_owned()],
    }
}

fn row(id: &str, excerpt: &str) -> AnswerRow {
    AnswerRow { id: id.to_owned(), excerpt: excerpt.to_owned() }
}

#[test]
fn a_planner_may_word_infer_and_order() {
    let proposal = PlannerAnswer {
        summary: Some("The field".to_owned()),
        confidence_score: Some(0.95),
        model: Some("m".to_owned()),
        evidence: vec![row("E1", "forged"), row("AI1", "the schema changed")],
        root_cause_hypotheses: Some(vec![hypothesis(Confidence::High, &["E1", "AI1", "E99"])]),
        actions: Some(vec![action(&["src/a.ts"])]),
        verification_commands: Some(vec!["STEP.2".to_owned(), "curl example.org".to_owned()]),
        ..PlannerAnswer::default()
    };
    let plan = type_error().proposed(proposal).unwrap();
    assert_eq!((plan.summary.as_str(), plan.cause_analysis.len()), ("The field", 1));
    // Facts stay, inferences are marked, and failed checks are always run.
    assert!(plan.evidence.iter().all(|row| row.excerpt != "forged"));
    assert_eq!(plan.evidence.last().map(|row| row.kind.as_str()), Some("ai_inferred"));
    assert_eq!(plan.cause_analysis[0].evidence_ids, ["E1".to_owned(), format!("E{}", plan.evidence.len())]);
    assert_eq!(plan.cause_analysis[0].reason, "The # field is a string");
    let own = Verification::Planner { command: "curl example.org".to_owned() };
    assert_eq!(plan.verifications(), [check("npx tsc --noEmit", "STEP.1"), check("npm test", "STEP.2"), own]);
    assert_eq!(plan.actions[0].verification, ["npx tsc --noEmit"]);
}

#[test]
fn a_planner_is_no_surer_than_the_evidence() {
    let proposal = || PlannerAnswer {
        confidence_score: Some(0.95),
        root_cause_hypotheses: Some(vec![hypothesis(Confidence::High, &["E1"])]),
        ..PlannerAnswer::default()
    };
    let weak = Sample::new().proposed(proposal()).unwrap();
    assert_eq!((weak.confidence_score, weak.cause_analysis[0].confidence.as_str()), (0.45, "medium"));
    assert!(weak.execution.requires_approval);
    let strong = type_error().proposed(proposal()).unwrap();
    assert_eq!((strong.confidence_score, strong.cause_analysis[0].confidence.as_str()), (0.95, "high"));
    assert!(!strong.execution.requires_approval);
}

#[test]
fn a_proposal_that_breaks_a_rule_is_refused_whole() {
    let many = |number: usize| vec!["x".to_owned(); number];
    for (proposal, reason) in [
        (PlannerAnswer { root_cause_hypotheses: Some(vec![]), ..PlannerAnswer::default() }, "no hypothesis"),
        (
            PlannerAnswer {
                root_cause_hypotheses: Some(vec![hypothesis(Confidence::Low, &["E77"])]),
                ..PlannerAnswer::default()
            },
            "no evidence",
        ),
        (
            PlannerAnswer {
                root_cause_hypotheses: Some(vec![hypothesis(Confidence::Low, &["E1"]); 9]),
                ..PlannerAnswer::default()
            },
            "8 are the most",
        ),
        (PlannerAnswer { actions: Some(vec![]), ..PlannerAnswer::default() }, "no action"),
        (PlannerAnswer { actions: Some(vec![action(&["../x"])]), ..PlannerAnswer::default() }, "inside the workspace"),
        (
            PlannerAnswer { actions: Some(vec![action(&["/etc/passwd"])]), ..PlannerAnswer::default() },
            "inside the workspace",
        ),
        (
            PlannerAnswer { verification_commands: Some(vec!["true".to_owned()]), ..PlannerAnswer::default() },
            "no check",
        ),
        (
            PlannerAnswer { verification_commands: Some(vec!["a\nb".to_owned()]), ..PlannerAnswer::default() },
            "one line",
        ),
        (PlannerAnswer { verification_commands: Some(many(51)), ..PlannerAnswer::default() }, "50 are the most"),
        (PlannerAnswer { unknowns: Some(many(21)), ..PlannerAnswer::default() }, "20 are the most"),
        (PlannerAnswer { done_criteria: Some(vec![" ".to_owned()]), ..PlannerAnswer::default() }, "when it is done"),
    ] {
        let refused = Sample::new().proposed(proposal).unwrap_err();
        assert!(refused.contains(reason), "{refused}");
    }
}
