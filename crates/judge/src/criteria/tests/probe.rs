use referee_model::id::{Digest, ExecutionId};
use referee_model::plan::guard::ProbeAnswer;
use referee_model::run_context::probe::{Probe, ProbeObstacle, ProbeResult, ProbeRun, ProbeTree};

use super::*;
use crate::criteria::probe::{Conclusion, Step, conclusion, sentence, step};

fn passed(tree: ProbeTree) -> ProbeRun {
    came(tree, ProbeResult::Passed)
}

fn failed(tree: ProbeTree, tests: &[&str], others: bool) -> ProbeRun {
    came(tree, ProbeResult::Failed { tests: tests.iter().map(|test| (*test).to_owned()).collect(), others })
}

fn unusable(tree: ProbeTree) -> ProbeRun {
    came(tree, ProbeResult::Unusable { reason: "unit was stopped".to_owned() })
}

fn came(tree: ProbeTree, result: ProbeResult) -> ProbeRun {
    let execution = ExecutionId::parse("exec-1-probe-1").unwrap();
    ProbeRun { tree, execution, report: Digest::from_bytes([1; 32]), result }
}

fn probe(runs: Vec<ProbeRun>) -> Probe {
    Probe { commit: "0".repeat(40), tests: vec!["tests/a.py".to_owned()], taken_back: 1, runs, obstacle: None }
}

fn hollow() -> Probe {
    use ProbeTree::{Broken, TakenBack};
    probe(vec![passed(TakenBack), passed(TakenBack), failed(Broken, &[], true)])
}

#[test]
fn runs_lead_to_the_next_one_or_to_a_conclusion() {
    use ProbeTree::{Broken, Candidate, TakenBack};
    let rows: [(Vec<ProbeRun>, bool, &str); 15] = [
        (vec![], false, "run TakenBack"),
        (vec![failed(TakenBack, &["a"], false)], false, "holds"),
        (vec![failed(TakenBack, &["a"], true)], false, "run Candidate"),
        (vec![failed(TakenBack, &[], true)], false, "run Candidate"),
        (vec![failed(TakenBack, &[], true)], true, "holds"),
        (vec![failed(TakenBack, &[], true), passed(Candidate)], false, "holds"),
        (vec![failed(TakenBack, &[], true), failed(Candidate, &[], true)], false, "unknown"),
        (vec![failed(TakenBack, &[], true), unusable(Candidate)], false, "unknown"),
        (vec![unusable(TakenBack)], false, "unknown"),
        (vec![passed(TakenBack)], false, "run TakenBack"),
        (vec![passed(TakenBack), failed(TakenBack, &["a"], false)], false, "unknown"),
        (vec![passed(TakenBack), passed(TakenBack)], true, "run Broken"),
        (vec![passed(TakenBack), passed(TakenBack), passed(Broken)], false, "unknown"),
        (vec![passed(TakenBack), passed(TakenBack), unusable(Broken)], false, "unknown"),
        (hollow().runs, false, "hollow"),
    ];
    for (runs, in_room, expected) in rows {
        let probe = probe(runs);
        let found = match step(&probe, in_room) {
            Step::Run(tree) => format!("run {tree:?}"),
            Step::Done(Conclusion::Holds) => "holds".to_owned(),
            Step::Done(Conclusion::Hollow) => "hollow".to_owned(),
            Step::Done(Conclusion::Unknown(_)) => "unknown".to_owned(),
        };
        assert_eq!(found, expected, "{probe:?}");
        assert_eq!(sentence(&probe, in_room).is_none(), expected == "holds", "{probe:?}");
    }
    let obstacle = Some(ProbeObstacle { reason: "there was no time".to_owned(), lasts: false });
    let probe = Probe { obstacle, ..hollow() };
    assert_eq!(conclusion(&probe, false), Conclusion::Unknown("there was no time".to_owned()));
}

impl Task {
    fn probed(mut self, probe: Probe, answer: ProbeAnswer) -> Self {
        self.plan.guard.probe = answer;
        self.run.run_context.probe = Some(probe);
        self
    }
}

#[test]
fn hollow_tests_block_where_the_specification_says_so_and_are_told_anywhere() {
    use ProbeAnswer::{Block, Off, Report};
    let task = || Task::new().passed("STEP.1");
    let unasked = || probe(vec![unusable(ProbeTree::TakenBack)]);
    let rows: [(Task, Decision, bool); 6] = [
        (task().probed(hollow(), Block), Decision::Blocked, true),
        (task().probed(hollow(), Report), Decision::Pass, true),
        (task().probed(hollow(), Off), Decision::Pass, true),
        (task().probed(unasked(), Block), Decision::Pass, true),
        (task().probed(probe(vec![failed(ProbeTree::TakenBack, &["a"], false)]), Block), Decision::Pass, false),
        (task(), Decision::Pass, false),
    ];
    for (task, decision, is_told) in rows {
        let verdict = task.verdict();
        let told = verdict.reasons.iter().any(|reason| reason.contains("(probe)"));
        assert_eq!((verdict.decision, told), (decision, is_told), "{:?}", verdict.reasons);
        assert_eq!(verdict.exit, if decision == Decision::Pass { Exit::Passed } else { Exit::Specification });
    }
}
