//! All tasks of a specification: ruling 17.

use referee_model::report::SuiteTask;
use referee_model::verdict::{Decision, Exit};
use referee_syntax::count::count;

/// Judges a suite from its judged tasks: decision, exit code and reasons.
///
/// | tasks                    | decision | exit                              |
/// |--------------------------|----------|-----------------------------------|
/// | none                     | BLOCKED  | nothing ran                       |
/// | every one passed         | PASS     | passed                            |
/// | one failed               | FAIL     | the most severe of those not passed |
/// | one blocked, none failed | BLOCKED  | the most severe of those not passed |
pub fn suite(tasks: &[SuiteTask]) -> (Decision, Exit, Vec<String>) {
    if tasks.is_empty() {
        return (Decision::Blocked, Exit::NothingRan, vec!["no task ran".to_owned()]);
    }
    let others: Vec<&SuiteTask> = tasks.iter().filter(|task| !passed(task)).collect();
    let Some(exit) = others.iter().map(|task| exit(task)).min() else {
        return (Decision::Pass, Exit::Passed, vec![all_passed(tasks)]);
    };
    let failed = others.iter().any(|task| task.verdict.decision == Decision::Fail);
    let decision = if failed { Decision::Fail } else { Decision::Blocked };
    (decision, exit, others.into_iter().map(reason).collect())
}

/// Returns whether a task passed; one with contradictory decision and exit did not.
fn passed(task: &SuiteTask) -> bool {
    (task.verdict.decision, task.verdict.exit) == (Decision::Pass, Exit::Passed)
}

fn exit(task: &SuiteTask) -> Exit {
    if task.verdict.exit == Exit::Passed { Exit::Internal } else { task.verdict.exit }
}

fn all_passed(tasks: &[SuiteTask]) -> String {
    let all = format!("{} passed", count(tasks.len(), "task"));
    let all = match tasks.iter().filter(|task| task.verdict.baseline.is_some()).count() {
        0 => all,
        held => format!("{all}, {held} of them compared with a baseline"),
    };
    match tasks.iter().filter(|task| task.scope.reduced).count() {
        0 => all,
        reduced => format!("{all}, {reduced} of them in a reduced run"),
    }
}

fn reason(task: &SuiteTask) -> String {
    let verdict = &task.verdict;
    let (decision, because) = match (verdict.decision, verdict.reasons.as_slice()) {
        (Decision::Pass, _) => ("BLOCKED", "it is said to have passed and to have failed".to_owned()),
        (decision, []) => (decision.as_str(), "no reason is given".to_owned()),
        (decision, [only]) => (decision.as_str(), only.clone()),
        (decision, [first, rest @ ..]) => (decision.as_str(), format!("{first} (and {} more)", rest.len())),
    };
    format!("{} {}: {decision}: {because}", task.task, task.title)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use referee_model::id::{Digest, ExecutionId, TaskId};
    use referee_model::record::RunEnding;
    use referee_model::selection::Scope;

    use super::*;
    use crate::criteria::by_rules;
    use crate::fixture;

    fn task(number: u32, decision: Decision, exit: Exit) -> SuiteTask {
        let empty = by_rules(&fixture::plan(Vec::new()), &fixture::run(RunEnding::Finished), &[], &BTreeMap::new());
        SuiteTask {
            task: TaskId::parse(format!("T{number:03}")).unwrap(),
            title: "Quotes".to_owned(),
            execution: ExecutionId::parse("exec-1").unwrap(),
            verdict: referee_model::verdict::Verdict { decision, exit, ..empty },
            scope: Scope::default(),
            duration_ms: 5,
            directory: "T001".to_owned(),
            report_digest: Digest::from_bytes([1; 32]),
        }
    }

    #[test]
    fn a_suite_passes_where_every_task_does_and_exits_with_the_gravest() {
        let passed = || task(1, Decision::Pass, Exit::Passed);
        let failed = || task(2, Decision::Fail, Exit::Failed);
        let timeout = || task(2, Decision::Fail, Exit::Timeout);
        let blocked = || task(3, Decision::Blocked, Exit::Prerequisite);
        let nothing = || task(3, Decision::Blocked, Exit::NothingRan);
        let interrupted = || task(4, Decision::Blocked, Exit::Interrupted { signal: 2 });
        for (tasks, decision, exit) in [
            (vec![], Decision::Blocked, Exit::NothingRan),
            (vec![passed(), passed()], Decision::Pass, Exit::Passed),
            (vec![passed(), failed()], Decision::Fail, Exit::Failed),
            (vec![passed(), blocked()], Decision::Blocked, Exit::Prerequisite),
            (vec![failed(), blocked()], Decision::Fail, Exit::Prerequisite),
            (vec![failed(), nothing()], Decision::Fail, Exit::Failed),
            (vec![failed(), timeout()], Decision::Fail, Exit::Timeout),
            (vec![blocked(), interrupted()], Decision::Blocked, Exit::Interrupted { signal: 2 }),
            // A contradictory verdict is not a pass.
            (vec![passed(), task(2, Decision::Pass, Exit::Failed)], Decision::Blocked, Exit::Failed),
            (vec![passed(), task(2, Decision::Fail, Exit::Passed)], Decision::Fail, Exit::Internal),
        ] {
            let number = tasks.len();
            let (told, told_exit, reasons) = suite(&tasks);
            assert_eq!((told, told_exit), (decision, exit), "{number} tasks");
            assert!(!reasons.is_empty());
        }
    }

    #[test]
    fn a_suite_gives_a_reason_for_each_task_that_did_not_pass() {
        let mut reduced = task(1, Decision::Pass, Exit::Passed);
        reduced.scope.reduced = true;
        let passed = task(2, Decision::Pass, Exit::Passed);
        assert_eq!(suite(&[reduced.clone(), passed.clone()]).2, ["2 tasks passed, 1 of them in a reduced run"]);
        assert_eq!(suite(std::slice::from_ref(&passed)).2, ["1 task passed"]);
        let mut failed = task(3, Decision::Fail, Exit::Failed);
        failed.verdict.reasons = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let mut silent = task(4, Decision::Blocked, Exit::NothingRan);
        silent.verdict.reasons.clear();
        assert_eq!(
            suite(&[passed, failed, silent]).2,
            ["T003 Quotes: FAIL: a (and 2 more)", "T004 Quotes: BLOCKED: no reason is given"]
        );
    }
}
