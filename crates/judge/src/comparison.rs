//! Compares a run in CI with an attestation from elsewhere.
//!
//! The run in CI decides; a claim from elsewhere can only add a reason against a pass. An attestation of
//! another tree or specification says nothing about this one, and is not compared.

use referee_model::comparison::{
    Agreement, Brought, CheckFact, Comparison, Demand, Finding, FindingKind, RunFacts, TaskComparison,
};
use referee_model::gate::CheckStanding;
use referee_model::verdict::{Decision, Exit};

/// Maximum number of listed findings about single checks of one task; there may be as many as checks.
const CHECKS_LISTED: usize = 50;

/// Words of a verification for a valid signature that is by none of the required keys.
const OF_OTHERS: &str = "by none of the keys that are asked for";

/// Compares the tasks of a run with their attestations, and combines the findings.
///
/// | attestation                                      | finding                 | blocks                                 |
/// |--------------------------------------------------|-------------------------|----------------------------------------|
/// | was changed                                      | tampered                | yes                                    |
/// | cannot be verified                               | unverifiable            | where it was named, or one is required |
/// | nothing                                          | missing                 | where it was named, or one is required |
/// | of another tree                                  | stale                   | where one is required                  |
/// | of another specification or plan                 | other-specification     | where one is required                  |
/// | a run that left something out                    | reduced                 | where one is required                  |
/// | says PASS; the run here does not                 | passed-only-there       | yes                                    |
/// | a check passed; here it blocks                   | check-passed-only-there | yes                                    |
/// | a check passed; here it fails and does not block | check-passed-only-there | no                                     |
/// | says not PASS; the run here does                 | passed-only-here        | no                                     |
/// | a check did not pass; here it does               | check-passed-only-here  | no                                     |
///
/// A blocking finding turns PASS into FAIL if a claim is untrue, and into BLOCKED if something required is missing.
pub fn compare(decision: Decision, exit: Exit, tasks: Vec<(RunFacts, Brought)>, demand: Demand) -> Comparison {
    let mut findings = Vec::new();
    let mut compared = Vec::with_capacity(tasks.len());
    for (here, there) in tasks {
        let agreement = task(&here, &there, demand, &mut findings);
        compared.push(TaskComparison { here, there, agreement });
    }
    findings.sort_by_key(|finding| !finding.blocking);
    let blocking = || findings.iter().filter(|finding| finding.blocking);
    let is_false = blocking().any(|finding| {
        matches!(finding.kind, FindingKind::Tampered | FindingKind::PassedOnlyThere | FindingKind::CheckPassedOnlyThere)
    });
    let blocks = blocking().next().is_some();
    let decision = match decision {
        Decision::Pass if is_false => Decision::Fail,
        Decision::Pass if blocks => Decision::Blocked,
        decision => decision,
    };
    // The most severe exit of the tasks that ran, and at least a failure.
    let exit = if blocks { exit.min(Exit::Failed) } else { exit };
    Comparison { decision, exit, tasks: compared, findings }
}

fn task(here: &RunFacts, there: &Brought, demand: Demand, findings: &mut Vec<Finding>) -> Agreement {
    let mut find = |kind, blocking, message: String| {
        findings.push(Finding { kind, blocking, task: here.task.clone(), check: None, message });
    };
    let (facts, place) = match there {
        Brought::Nothing => {
            find(FindingKind::Missing, demand.required || demand.named, "no attestation came along".to_owned());
            return Agreement::Missing;
        }
        Brought::Unverifiable { place, reasons } => {
            let message = format!("{place} cannot be verified: {}", reasons.join("; "));
            find(FindingKind::Unverifiable, demand.required || demand.named, message);
            return Agreement::Unverifiable;
        }
        Brought::Tampered { place, reasons } => {
            let is_of_others = reasons.iter().all(|reason| reason.contains(OF_OTHERS));
            let what = if is_of_others { "is signed by others" } else { "was changed after it was sealed" };
            let message = format!("{place} {what}: {}", reasons.join("; "));
            find(FindingKind::Tampered, true, message);
            return Agreement::Tampered;
        }
        Brought::Run { facts, .. } => (facts, &facts.place),
    };
    if facts.tree.is_none() || facts.tree != here.tree {
        let tree = |facts: &RunFacts| {
            facts.tree.map_or_else(|| "a tree that is not known".to_owned(), |tree| format!("tree {tree}"))
        };
        let message = format!("{place} is of {}, and this run of {}: not compared", tree(facts), tree(here));
        find(FindingKind::Stale, demand.required, message);
        return Agreement::OtherTree;
    }
    let is_other_plan = matches!((facts.plan, here.plan), (Some(there), Some(here)) if there != here);
    if facts.specification != here.specification || is_other_plan {
        let what = if is_other_plan { "plan" } else { "specification" };
        find(FindingKind::OtherSpecification, demand.required, format!("{place} is of another {what}: not compared"));
        return Agreement::OtherSpecification;
    }
    if facts.reduced {
        let message = format!("{place} left something out: it does not say that all of the task passed");
        find(FindingKind::Reduced, demand.required, message);
    }
    let before = findings.len();
    decisions(here, facts, findings);
    checks(here, facts, findings);
    if findings.len() == before { Agreement::Agrees } else { Agreement::Differs }
}

fn decisions(here: &RunFacts, there: &RunFacts, findings: &mut Vec<Finding>) {
    let (kind, blocking) = match (there.decision, here.decision) {
        (Decision::Pass, Decision::Fail | Decision::Blocked) => (FindingKind::PassedOnlyThere, true),
        (Decision::Fail | Decision::Blocked, Decision::Pass) => (FindingKind::PassedOnlyHere, false),
        _ => return,
    };
    let message = format!(
        "{} says {}, and this run of the same tree says {}",
        there.place,
        there.decision.as_str(),
        here.decision.as_str()
    );
    findings.push(Finding { kind, blocking, task: here.task.clone(), check: None, message });
}

/// Compares the checks that both sides name.
fn checks(here: &RunFacts, there: &RunFacts, findings: &mut Vec<Finding>) {
    let pairs = here.checks.iter().filter_map(|check| {
        let other = there.checks.iter().find(|other| other.action == check.action)?;
        Some((check, other, difference(check.standing, other.standing)?))
    });
    for (check, other, (kind, blocking)) in pairs.take(CHECKS_LISTED) {
        let message = format!("{} {} there, and {} here", named(check), told(other.standing), told(check.standing));
        let (task, action) = (here.task.clone(), Some(check.action.clone()));
        findings.push(Finding { kind, blocking, task, check: action, message });
    }
}

/// Returns the meaning of a check with different results. A check that never ran, on either side, was prevented
/// by another check, which is named.
fn difference(here: CheckStanding, there: CheckStanding) -> Option<(FindingKind, bool)> {
    use CheckStanding::{Blocking, NotBlocking, Passed, Skipped};
    match (there, here) {
        (Passed, Blocking) => Some((FindingKind::CheckPassedOnlyThere, true)),
        (Passed, NotBlocking) => Some((FindingKind::CheckPassedOnlyThere, false)),
        (Blocking | NotBlocking, Passed) => Some((FindingKind::CheckPassedOnlyHere, false)),
        (Passed, Passed) | (Skipped, _) | (_, Skipped) | (Blocking | NotBlocking, Blocking | NotBlocking) => None,
    }
}

fn named(check: &CheckFact) -> String {
    if check.name == check.action.as_str() || check.name.is_empty() {
        return check.action.to_string();
    }
    format!("{} {}", check.action, check.name)
}

fn told(standing: CheckStanding) -> &'static str {
    match standing {
        CheckStanding::Passed => "passed",
        CheckStanding::NotBlocking => "did not pass, without blocking,",
        CheckStanding::Blocking => "blocks",
        CheckStanding::Skipped => "never ran",
    }
}

#[cfg(test)]
mod tests {
    use referee_model::comparison::Provenance;
    use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
    use referee_model::time::Timestamp;

    use super::*;

    fn facts(decision: Decision, standings: &[CheckStanding]) -> RunFacts {
        let check = |(standing, number): (&CheckStanding, u32)| CheckFact {
            action: ActionId::parse(format!("STEP.{number}")).unwrap(),
            name: "unit".to_owned(),
            standing: *standing,
        };
        RunFacts {
            task: TaskId::parse("T001").unwrap(),
            execution: ExecutionId::parse("exec-1").unwrap(),
            decision,
            reduced: false,
            tree: Some(Digest::from_bytes([1; 32])),
            specification: Digest::from_bytes([2; 32]),
            plan: Some(Digest::from_bytes([3; 32])),
            checks: standings.iter().zip(1..).map(check).collect(),
            ended: Timestamp::from_millisecond(0),
            place: "evidence/T001".to_owned(),
        }
    }

    fn brought(facts: RunFacts) -> Brought {
        Brought::Run { facts, provenance: Provenance::SelfAsserted, reason: String::new() }
    }

    fn told_of(here: RunFacts, there: Brought, demand: Demand) -> String {
        let exit = if here.decision == Decision::Pass { Exit::Passed } else { Exit::Failed };
        let compared = compare(here.decision, exit, vec![(here, there)], demand);
        let findings: Vec<String> = compared
            .findings
            .iter()
            .map(|finding| format!("{:?}{}", finding.kind, if finding.blocking { "!" } else { "" }))
            .collect();
        format!("{:?} {:?} {:?} {}", compared.decision, compared.exit, compared.tasks[0].agreement, findings.join(" "))
            .trim_end()
            .to_owned()
    }

    #[test]
    fn the_run_here_decides_and_what_came_along_can_only_add_a_reason_against_it() {
        use CheckStanding::{Blocking, NotBlocking, Passed, Skipped};
        use Decision::{Fail, Pass};
        let none = Demand::default();
        let required = Demand { required: true, named: false };
        let named = Demand { required: false, named: true };
        let green = || facts(Pass, &[Passed]);
        let red = || facts(Fail, &[Blocking]);
        let stale = || RunFacts { tree: Some(Digest::from_bytes([9; 32])), ..green() };
        let unknown = || RunFacts { tree: None, ..green() };
        let other = || RunFacts { specification: Digest::from_bytes([9; 32]), ..green() };
        let other_plan = || RunFacts { plan: Some(Digest::from_bytes([9; 32])), ..green() };
        let without_plan = || RunFacts { plan: None, ..green() };
        let reduced = || RunFacts { reduced: true, ..green() };
        let junk = || Brought::Unverifiable { place: "x".to_owned(), reasons: vec!["junk".to_owned()] };
        let tampered = || Brought::Tampered { place: "x".to_owned(), reasons: vec!["changed".to_owned()] };
        for (here, there, demand, expected) in [
            (green(), brought(green()), required, "Pass Passed Agrees"),
            (red(), brought(red()), none, "Fail Failed Agrees"),
            (red(), brought(green()), none, "Fail Failed Differs PassedOnlyThere! CheckPassedOnlyThere!"),
            (green(), brought(red()), required, "Pass Passed Differs PassedOnlyHere CheckPassedOnlyHere"),
            (facts(Pass, &[NotBlocking]), brought(green()), none, "Pass Passed Differs CheckPassedOnlyThere"),
            (facts(Fail, &[Blocking, Skipped]), brought(facts(Fail, &[Blocking, Passed])), none, "Fail Failed Agrees"),
            (green(), brought(stale()), none, "Pass Passed OtherTree Stale"),
            (green(), brought(stale()), required, "Blocked Failed OtherTree Stale!"),
            (red(), brought(stale()), none, "Fail Failed OtherTree Stale"),
            (green(), brought(unknown()), none, "Pass Passed OtherTree Stale"),
            (unknown(), brought(unknown()), none, "Pass Passed OtherTree Stale"),
            (green(), brought(other()), none, "Pass Passed OtherSpecification OtherSpecification"),
            (green(), brought(other_plan()), required, "Blocked Failed OtherSpecification OtherSpecification!"),
            (green(), brought(without_plan()), required, "Pass Passed Agrees"),
            (green(), brought(reduced()), none, "Pass Passed Agrees Reduced"),
            (green(), brought(reduced()), required, "Blocked Failed Agrees Reduced!"),
            (green(), Brought::Nothing, none, "Pass Passed Missing Missing"),
            (green(), Brought::Nothing, required, "Blocked Failed Missing Missing!"),
            (green(), Brought::Nothing, named, "Blocked Failed Missing Missing!"),
            (green(), junk(), none, "Pass Passed Unverifiable Unverifiable"),
            (green(), junk(), named, "Blocked Failed Unverifiable Unverifiable!"),
            (green(), tampered(), none, "Fail Failed Tampered Tampered!"),
            (red(), tampered(), none, "Fail Failed Tampered Tampered!"),
        ] {
            assert_eq!(told_of(here, there, demand), expected);
        }
    }

    #[test]
    fn a_graver_exit_of_the_run_stays() {
        let tampered = Brought::Tampered { place: "x".to_owned(), reasons: Vec::new() };
        let here = facts(Decision::Blocked, &[]);
        let compared = compare(Decision::Blocked, Exit::Prerequisite, vec![(here, tampered)], Demand::default());
        assert_eq!((compared.decision, compared.exit), (Decision::Blocked, Exit::Prerequisite));
    }
}
