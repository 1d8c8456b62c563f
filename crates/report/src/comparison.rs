//! A CI run and the attested run that it was compared with, for people and for GitHub.

use std::fmt::Write as _;

use referee_model::comparison::{Agreement, Brought, Comparison, Provenance, TaskComparison};
use referee_model::gate::GateAnswer;
use referee_model::limit;

use crate::{gate, untrusted};

pub mod comparison_document;
pub mod github;

/// Maximum number of findings that are written one by one; the rest is counted.
const FINDINGS_TOLD: usize = 30;

/// Writes both for people: the result of the run, and how the attested run of each task compares with it.
pub fn text(comparison: &Comparison, answer: &GateAnswer) -> String {
    let mut text = gate::text(answer, limit::GATE_ANSWER_CHARACTERS);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    for task in &comparison.tasks {
        let _ = writeln!(text, "attestation of {}: {}", task.here.task, of_task(task));
    }
    for finding in comparison.findings.iter().take(FINDINGS_TOLD) {
        let lead = if finding.blocking { "blocks" } else { "finding" };
        let _ = writeln!(text, "{lead}: {}: {}", finding.task, untrusted::line(&finding.message));
    }
    if let Some(more @ 1..) = comparison.findings.len().checked_sub(FINDINGS_TOLD) {
        let _ = writeln!(text, "and {more} more findings (--format json lists all)");
    }
    let _ = writeln!(text, "in CI: {}", comparison.decision.as_str());
    text
}

/// Returns one line on how the attested run of a task compares with the CI run.
fn of_task(task: &TaskComparison) -> String {
    let how = match task.agreement {
        Agreement::Agrees => "agrees with this run",
        Agreement::Differs => "does not agree with this run",
        Agreement::OtherTree => "is of another tree, and was not compared",
        Agreement::OtherSpecification => "is of another specification, and was not compared",
        Agreement::Unverifiable => "cannot be verified",
        Agreement::Tampered => "is not what was sealed, or not signed as is asked for",
        Agreement::Missing => return "none came along".to_owned(),
    };
    let Brought::Run { facts, provenance, reason } = &task.there else { return how.to_owned() };
    let whose = match provenance {
        Provenance::Trusted => "signed",
        Provenance::UnknownKey => "signed by an unknown key",
        Provenance::SelfAsserted => "self-asserted",
    };
    let (said, reason) = (facts.decision.as_str(), untrusted::line(reason));
    format!("{}, which says {said}, {how} ({whose}: {reason})", facts.execution)
}

#[cfg(test)]
mod tests {
    use referee_model::comparison::{Finding, FindingKind, RunFacts};
    use referee_model::gate::{Basis, Cause, GateTask};
    use referee_model::id::{Digest, ExecutionId, TaskId};
    use referee_model::progress::Snapshot;
    use referee_model::reading::Level;
    use referee_model::time::Timestamp;
    use referee_model::verdict::{Decision, Exit};

    use super::*;

    fn task() -> TaskId {
        TaskId::parse("T001").unwrap()
    }

    fn facts(decision: Decision, execution: &str) -> RunFacts {
        RunFacts {
            task: task(),
            execution: ExecutionId::parse(execution).unwrap(),
            decision,
            reduced: false,
            tree: Some(Digest::from_bytes([1; 32])),
            specification: Digest::from_bytes([2; 32]),
            plan: None,
            checks: Vec::new(),
            ended: Timestamp::from_millisecond(0),
            place: "/work/evidence/T001".to_owned(),
        }
    }

    pub(super) fn comparison() -> Comparison {
        let finding = |kind, blocking, message: &str| Finding {
            kind,
            blocking,
            task: task(),
            check: None,
            message: message.to_owned(),
        };
        Comparison {
            decision: Decision::Fail,
            exit: Exit::Failed,
            tasks: vec![TaskComparison {
                here: facts(Decision::Fail, "exec-ci"),
                there: Brought::Run {
                    facts: facts(Decision::Pass, "exec-local"),
                    provenance: Provenance::SelfAsserted,
                    reason: "unsigned: anyone who can write the directory could have made it".to_owned(),
                },
                agreement: Agreement::Differs,
            }],
            findings: vec![
                finding(FindingKind::PassedOnlyThere, true, "it says PASS, and this run of the same tree says FAIL"),
                finding(FindingKind::CheckPassedOnlyThere, false, "STEP.3 lint passed there, and did not pass here"),
            ],
        }
    }

    pub(super) fn answer(causes: u32) -> GateAnswer {
        let cause = |line| Cause {
            task: Some(task()),
            check: Some("types".to_owned()),
            tool: Some("tsc".to_owned()),
            severity: Level::Error,
            file: Some("src/a_b.ts".to_owned()),
            line: Some(line),
            column: Some(7),
            code: Some("TS2322".to_owned()),
            message: "Type 'string' is not assignable\nto type `number`, 100% sure.".to_owned(),
            output: Vec::new(),
        };
        let task = GateTask {
            task: task(),
            title: "a task".to_owned(),
            execution: ExecutionId::parse("exec-ci").unwrap(),
            basis: Basis::Ran,
            decision: Decision::Fail,
            exit: Exit::Failed,
            reduced: false,
            reasons: Vec::new(),
            edited: Vec::new(),
            weaker: Vec::new(),
            report: "/work/evidence/T001/execution-report.json".to_owned(),
            ended: Timestamp::from_millisecond(0),
            tests: None,
            checks: Vec::new(),
            snapshot: Snapshot { passed: false, first_failure: None, failures: [].into(), reached: 0 },
        };
        GateAnswer {
            causes: (1..=causes).map(cause).collect(),
            causes_in_all: u64::from(causes),
            next: "fix what blocks, then ask again".to_owned(),
            ..GateAnswer::of(Decision::Fail, Exit::Failed, vec![task])
        }
    }

    #[test]
    fn people_read_what_ran_what_came_along_and_where_they_differ() {
        // The CI run is described as the gate describes it, which other tests cover.
        let answer = answer(1);
        let all = text(&comparison(), &answer);
        let gate = gate::text(&answer, limit::GATE_ANSWER_CHARACTERS);
        insta::assert_snapshot!(all.strip_prefix(&gate).unwrap());
    }
}
