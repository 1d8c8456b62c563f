//! Checks that the agent never sees: which information may be disclosed, and their effect on an answer.
//!
//! | visible checks pass  | held-out checks       | decision | exit code        |
//! |----------------------|-----------------------|----------|------------------|
//! | no                   | are not run           | stays    | stays            |
//! | yes                  | pass                  | PASS     | 0                |
//! | yes                  | fail                  | FAIL     | theirs           |
//! | yes                  | could not be judged   | BLOCKED  | theirs           |

use std::collections::BTreeMap;

use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{CheckStanding, GateAnswer};
use referee_model::held_out::HeldOut;
use referee_model::verdict::{Decision, Exit};

/// Next step if held-out checks fail. It does not reveal what they check.
const NEXT_FAILED: &str = "the checks that can be seen pass, and held-out ones fail: see that what was asked for is \
     done as a whole, then ask again";

/// Next step if held-out checks could not be judged. An agent cannot fix that.
const NEXT_UNJUDGED: &str = "the held-out checks could not be judged: whoever keeps them must see to it";

/// Returns the information that may be disclosed of held-out checks: how many there are, and how many of them
/// block, by category. Names, messages, locations, times and reasons are omitted.
pub fn told(answer: &GateAnswer) -> HeldOut {
    let checks = || answer.tasks.iter().flat_map(|task| &task.checks);
    let mut failed: BTreeMap<DiagnosticSource, u64> = BTreeMap::new();
    for check in checks().filter(|check| check.standing == CheckStanding::Blocking) {
        *failed.entry(check.source).or_default() += 1;
    }
    HeldOut { decision: answer.decision, exit: answer.exit, checks: checks().count() as u64, failed }
}

/// Returns held-out checks without a verdict, which is never a pass.
pub fn unjudged(exit: Exit) -> HeldOut {
    // An exit code for a pass does not explain the missing verdict.
    let exit = if exit == Exit::Passed { Exit::Internal } else { exit };
    HeldOut { decision: Decision::Blocked, exit, checks: 0, failed: BTreeMap::new() }
}

/// Adds the result of held-out checks. They can make an answer worse, never better.
pub fn add(mut answer: GateAnswer, held_out: HeldOut) -> GateAnswer {
    if answer.decision == Decision::Pass && held_out.decision != Decision::Pass {
        answer.decision = held_out.decision;
        answer.exit = if held_out.exit == Exit::Passed { Exit::NothingRan } else { held_out.exit };
        let next = if held_out.decision == Decision::Fail { NEXT_FAILED } else { NEXT_UNJUDGED };
        next.clone_into(&mut answer.next);
    }
    answer.held_out = Some(held_out);
    answer
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use referee_model::gate::{Basis, GateCheck, GateTask};
    use referee_model::id::{ActionId, ExecutionId, TaskId};
    use referee_model::progress::Snapshot;
    use referee_model::time::Timestamp;

    use super::*;
    use crate::gate::{self, Judged};

    /// Returns an answer for one task with these checks, by category.
    fn answer(decision: Decision, exit: Exit, checks: &[(DiagnosticSource, CheckStanding)]) -> GateAnswer {
        let check = |(place, (source, standing)): (usize, &(DiagnosticSource, CheckStanding))| GateCheck {
            action: ActionId::parse(format!("STEP.{}", place + 1)).unwrap(),
            name: "needle".to_owned(),
            source: *source,
            standing: *standing,
            role: None,
            outcome: None,
            tests: None,
            duration_ms: None,
        };
        let task = GateTask {
            task: TaskId::parse("T001").unwrap(),
            title: "needle".to_owned(),
            execution: ExecutionId::parse("exec-1").unwrap(),
            basis: Basis::Ran,
            decision,
            exit,
            reduced: false,
            reasons: vec!["needle".to_owned()],
            edited: Vec::new(),
            weaker: Vec::new(),
            report: "/needle".to_owned(),
            ended: Timestamp::from_millisecond(0),
            tests: None,
            checks: checks.iter().enumerate().map(check).collect(),
            snapshot: Snapshot { passed: false, first_failure: None, failures: BTreeSet::new(), reached: 0 },
        };
        gate::answer(vec![Judged { task, causes: Vec::new(), causes_in_all: 0, undoing: Vec::new() }], None)
    }

    fn visible() -> GateAnswer {
        answer(Decision::Pass, Exit::Passed, &[(DiagnosticSource::Test, CheckStanding::Passed)])
    }

    #[test]
    fn only_counts_by_category_are_told() {
        use CheckStanding::{Blocking, NotBlocking, Passed, Skipped};
        use DiagnosticSource::{Lint, Runtime, Test};
        let checks = [
            (Test, Blocking),
            (Test, Blocking),
            (Test, Passed),
            (Lint, NotBlocking),
            (Runtime, Blocking),
            (Runtime, Skipped),
        ];
        let held_out = told(&answer(Decision::Fail, Exit::Failed, &checks));
        let failed = BTreeMap::from([(Test, 2), (Runtime, 1)]);
        assert_eq!(held_out, HeldOut { decision: Decision::Fail, exit: Exit::Failed, checks: 6, failed });
        let whole = add(visible(), held_out);
        assert!(!format!("{:?}", whole.held_out).contains("needle"));
        assert_eq!(whole.tasks, visible().tasks);
        assert_eq!((whole.causes.len(), whole.causes_in_all, whole.notes.len()), (0, 0, 0));
    }

    #[test]
    fn held_out_checks_make_an_answer_worse_and_never_better() {
        let of = |decision, exit| HeldOut { decision, exit, checks: 1, failed: BTreeMap::new() };
        let rows = [
            (of(Decision::Pass, Exit::Passed), Decision::Pass, Exit::Passed),
            (of(Decision::Fail, Exit::Failed), Decision::Fail, Exit::Failed),
            (of(Decision::Fail, Exit::Execution), Decision::Fail, Exit::Execution),
            (of(Decision::Blocked, Exit::NothingRan), Decision::Blocked, Exit::NothingRan),
            (of(Decision::Blocked, Exit::Passed), Decision::Blocked, Exit::NothingRan),
            (unjudged(Exit::Specification), Decision::Blocked, Exit::Specification),
            (unjudged(Exit::Passed), Decision::Blocked, Exit::Internal),
        ];
        for (held_out, decision, exit) in rows {
            let whole = add(visible(), held_out.clone());
            assert_eq!((whole.decision, whole.exit), (decision, exit), "{held_out:?}");
            assert_eq!(whole.next == visible().next, decision == Decision::Pass, "{held_out:?}");
            let failing = answer(Decision::Fail, Exit::Failed, &[]);
            let whole = add(failing.clone(), held_out);
            assert_eq!((whole.decision, whole.exit, whole.next), (failing.decision, failing.exit, failing.next));
        }
    }
}
