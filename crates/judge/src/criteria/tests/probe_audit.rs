use referee_model::id::{ActionId, Digest, ExecutionId};
use referee_model::run_context::probe::{ProbeResult, ProbeRun, ProbeTree};
use referee_model::run_context::probe_audit::{CheckAudit, ProbeAttempt, ProbeAudit};
use referee_model::time::Timestamp;

use super::*;
use crate::criteria::probe_audit::{AuditConclusion, AuditStep, findings, step};

/// Builds a run from two letters: its tree (`p`lanted, `s`elected, `n`eutral, neutral selec`t`ed, planted
/// `b`efore, before `c`lean), and whether it passed, failed by a test that reported the defect before (`-`) or
/// otherwise (`!`), or is unusable.
fn run(letters: &str) -> ProbeRun {
    let tree = match &letters[..1] {
        "p" => ProbeTree::Planted,
        "s" => ProbeTree::PlantedSelected,
        "n" => ProbeTree::Neutral,
        "t" => ProbeTree::NeutralSelected,
        "b" => ProbeTree::PlantedBefore,
        _ => ProbeTree::Before,
    };
    let result = match &letters[1..] {
        "+" => ProbeResult::Passed,
        "-" => ProbeResult::Failed { tests: vec!["adds".to_owned()], others: false },
        "!" => ProbeResult::Failed { tests: Vec::new(), others: true },
        _ => ProbeResult::Unusable { reason: "unit was stopped".to_owned() },
    };
    let execution = ExecutionId::parse("exec-1-probe-1").unwrap();
    ProbeRun { tree, execution, report: Digest::from_bytes([1; 32]), result }
}

fn check(attempts: &[&str], is_exhausted: bool) -> CheckAudit {
    let attempt = |(number, runs): (usize, &&str)| ProbeAttempt {
        number: number as u64,
        path: format!("src/{number}.py"),
        is_selectable: runs.starts_with('s'),
        runs: runs.split_whitespace().map(run).collect(),
    };
    CheckAudit {
        action: ActionId::parse("STEP.1").unwrap(),
        name: "unit".to_owned(),
        runs_tests: true,
        wanted: 1,
        attempts: attempts.iter().enumerate().map(attempt).collect(),
        is_exhausted,
    }
}

fn audit(check: CheckAudit, commit: Option<&str>) -> ProbeAudit {
    ProbeAudit {
        set: Digest::from_bytes([2; 32]),
        learned: Timestamp::parse("2026-01-01T00:00:00.000Z").unwrap(),
        commit: commit.map(str::to_owned),
        checks: vec![check],
        change: None,
        obstacle: None,
    }
}

#[test]
fn a_check_is_convicted_only_by_what_it_reported_before_and_still_would() {
    let rows: [(&[&str], bool, bool, &str); 31] = [
        (&[], false, true, "draw"),
        (&[], true, true, "unknown"),
        (&[""], false, true, "run Planted"),
        (&["p-"], false, true, "holds"),
        (&["p+"], false, true, "run Planted"),
        (&["p+ p-"], false, true, "holds"),
        (&["p?"], false, true, "draw"),
        (&["p?"], true, true, "unknown"),
        (&["p?", "p-"], false, true, "holds"),
        (&["p+ p+"], false, true, "run PlantedBefore"),
        (&["p+ p+ b-"], false, true, "run Before"),
        (&["p+ p+ b- c+"], false, true, "hollow src/0.py"),
        // The commit's own tests pass with it as well: the defect is in unused code.
        (&["p+ p+ b+"], false, true, "draw"),
        // The commit's own tests no longer fit the sources.
        (&["p+ p+ b- c-"], false, true, "draw"),
        (&["p+ p+ b- c-", "p-"], false, true, "holds"),
        (&["p+ p+ b?", "p+ p+ b?", "p+ p+ b?"], false, true, "hollow src/2.py"),
        // Without a commit, three unnoticed defects make a check hollow, and a noticed one does not.
        (&["p+ p+"], false, false, "draw"),
        (&["p+ p+", "p+ p+", "p+ p+"], false, false, "hollow src/2.py"),
        (&["p+ p+", "p+ p+", "p-"], false, false, "holds"),
        (&["p+ p+"], true, false, "unknown"),
        // Another test reports it: a neutral edit shows whether that test reports any edit.
        (&["p!"], false, true, "run Neutral"),
        (&["p+ p!"], false, true, "run Neutral"),
        (&["p! n+"], false, true, "holds"),
        (&["p! n!"], false, true, "draw"),
        (&["p! n!", "p! n-", "p! n!"], false, true, "hollow src/2.py"),
        (&["p! n?"], true, true, "unknown"),
        // The tests that reported it, alone.
        (&["s-"], false, true, "run NeutralSelected"),
        (&["s- t+"], false, true, "holds"),
        (&["s- t-"], false, true, "run Planted"),
        (&["s- t- p-"], false, true, "run Neutral"),
        (&["s+ p-"], false, true, "holds"),
    ];
    for (attempts, is_exhausted, has_commit, expected) in rows {
        let check = check(attempts, is_exhausted);
        let found = match step(&check, has_commit) {
            AuditStep::Run(tree) => format!("run {tree:?}"),
            AuditStep::Draw => "draw".to_owned(),
            AuditStep::Done(AuditConclusion::Holds) => "holds".to_owned(),
            AuditStep::Done(AuditConclusion::Hollow { path }) => format!("hollow {path}"),
            AuditStep::Done(AuditConclusion::Unknown(_)) => "unknown".to_owned(),
        };
        assert_eq!(found, expected, "{attempts:?}");
        let told = findings(&audit(check, has_commit.then_some("0123456789abcdef")));
        assert_eq!(told.hollow.len(), usize::from(expected.starts_with("hollow")), "{attempts:?} {told:?}");
        // An incomplete audit is reported, and no check is hollow by it; the same for an undecidable defect
        // beside a noticed one.
        let is_told = attempts.iter().any(|runs| runs.contains("c-") || runs == &"p+ p+");
        let is_silent = (expected == "holds" && !is_told) || expected.starts_with("hollow");
        assert_eq!(told.unknown.is_empty(), is_silent, "{attempts:?} {told:?}");
    }
}

#[test]
fn a_hollow_check_blocks_and_the_defect_is_not_told() {
    let hollow = check(&["p+ p+ b- c+"], false);
    let mut task = Task::new().passed("STEP.1");
    task.run.run_context.probe_audit = Some(audit(hollow, Some("0123456789abcdef")));
    let verdict = task.verdict();
    assert_eq!((verdict.decision, verdict.exit), (Decision::Blocked, Exit::Specification));
    let sentence = "unit no longer notices a planted defect in src/0.py (it did at 0123456789ab) (probe)";
    assert!(verdict.reasons.iter().any(|reason| reason == sentence), "{:?}", verdict.reasons);
    let mut task = Task::new().passed("STEP.1");
    task.run.run_context.probe_audit = Some(audit(check(&["p?"], true), None));
    let verdict = task.verdict();
    assert_eq!(verdict.decision, Decision::Pass);
    assert!(verdict.reasons.iter().any(|reason| reason.contains("could not be asked")), "{:?}", verdict.reasons);
}
