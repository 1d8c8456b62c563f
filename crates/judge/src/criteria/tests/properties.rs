//! Properties of all tasks.

use super::*;

/// History of one action of an arbitrary task.
#[derive(Debug, Clone)]
enum Fate {
    Ran(&'static str, i32, Box<Reading>),
    Ended(Ending),
    Skipped(SkipReason),
    Unreported,
}

fn any_fate() -> impl Generator<Value = Fate> {
    let reading = prop_oneof![
        Just(nothing()),
        (0_u64..3, 0_u64..3).prop_map(|(passed, failed)| fixture::tests("jest", passed, failed, 0)),
        (0_u64..2, 0_u64..2, 0_u64..2)
            .prop_map(|(errors, warnings, infos)| findings("eslint", errors, warnings, infos)),
    ];
    let text = sample::select(vec!["npx jest", "npx eslint .", "npx tsc", "npx prettier -c .", "./x", "npm test"]);
    let code = prop_oneof![4 => Just(0), 1 => Just(1), 1 => Just(127)];
    let skip = sample::select(vec![
        SkipReason::DeadlinePassed,
        SkipReason::Interrupted,
        SkipReason::EngineFailed,
        SkipReason::NeedNotMet(id("STEP.1")),
        SkipReason::PrerequisiteFailed(id("PREREQ.1")),
        SkipReason::Superseded(id("STEP.1")),
        SkipReason::LeftOut(LeftOut::Profile),
        SkipReason::SpecificationError,
        SkipReason::DependencyNotPassed(TaskId::parse("T002").unwrap()),
    ]);
    prop_oneof![
        12 => (text, code, reading).prop_map(|(text, code, reading)| Fate::Ran(text, code, Box::new(reading))),
        1 => sample::select(vec![deadline(), missing_tool(), Ending::Signaled { signal: 9 }]).prop_map(Fate::Ended),
        1 => skip.prop_map(Fate::Skipped),
        1 => Just(Fate::Unreported),
    ]
}

fn any_condition() -> impl Generator<Value = &'static str> {
    sample::select(vec![
        "true",
        "false",
        "STEP.1.exitCode === 0",
        "STEP.2.success",
        "PREREQ.1.failed",
        "CLEANUP.1.skipped",
        "STEP.9.success",
        "eslint.errorCount === 0",
        "STEP.1.stdout.includes('x')",
    ])
}

fn any_task() -> impl Generator<Value = Task> {
    let fates = || collection::vec(any_fate(), 0..3);
    let ending = prop_oneof![
        8 => Just(RunEnding::Finished),
        1 => Just(RunEnding::Interrupted { signal: 2 }),
        1 => Just(RunEnding::Failed { message: "disk full".to_owned() }),
    ];
    let least = option::of(prop_oneof![0.0..=100.0, Just(f64::NAN)]);
    let asked = (collection::vec(any_condition(), 0..2), collection::vec(any_condition(), 0..2), any::<bool>());
    (fates(), fates(), fates(), ending, least, asked, any::<bool>()).prop_map(|parts| {
        let (prerequisites, steps, cleanup, ending, least, (success, failure, red), reduced) = parts;
        let mut task = Task::new().ending(ending);
        task.plan.criteria.success = success.into_iter().map(condition).collect();
        task.plan.criteria.failure = failure.into_iter().map(condition).collect();
        task.plan.red_phase = red && reduced;
        task.run.scope.reduced = reduced;
        for (phase, fates) in [("PREREQ", prerequisites), ("STEP", steps), ("CLEANUP", cleanup)] {
            for (at, fate) in fates.into_iter().enumerate() {
                task = with(task, &format!("{phase}.{}", at + 1), fate);
            }
        }
        task.plan.completion.all_steps_must_pass = least.is_none();
        task.plan.completion.minimum_pass_rate = least.unwrap_or(100.0);
        task
    })
}

fn with(task: Task, id: &str, fate: Fate) -> Task {
    match fate {
        Fate::Ran(text, code, reading) => task.ran(id, text, code, *reading),
        Fate::Ended(ending) => task.ended(id, ending),
        Fate::Skipped(reason) => task.skipped(id, reason),
        Fate::Unreported => {
            let mut task = task;
            task.plan.actions.push(line(id, "npx jest"));
            task
        }
    }
}

impl std::fmt::Debug for Task {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:#?}", self.verdict())
    }
}

fn step_of(report: &ActionReport) -> bool {
    report.action.phase == Phase::Step
}

proptest! {
    #[test]
    fn a_pass_is_whole(task in any_task()) {
        let verdict = task.verdict();
        prop_assert!(!verdict.reasons.is_empty());
        prop_assert_eq!(verdict.decision == Decision::Pass, verdict.exit == Exit::Passed);
        prop_assert_eq!(verdict.decision == Decision::Pass, verdict.build_error.is_none());
        if verdict.decision == Decision::Pass {
            prop_assert!(verdict.completion.complete);
            prop_assert!(verdict.blocking.is_empty());
            prop_assert_eq!(&task.run.ending, &RunEnding::Finished);
            prop_assert_eq!(task.reports.len(), task.plan.actions.len());
            prop_assert!(task.reports.iter().any(|report| step_of(report) && report.ran().is_some()));
            for report in task.reports.iter().filter(|report| report.action.phase != Phase::Cleanup) {
                match &report.history {
                    ActionHistory::Ran(ran) => prop_assert!(!ran.judgement.blocking),
                    ActionHistory::Skipped(reason) => {
                        prop_assert!(task.run.scope.reduced && matches!(reason, SkipReason::LeftOut(_)));
                    }
                }
            }
            // Unknown values never pass.
            let criteria = &verdict.criteria;
            prop_assert!(criteria.success.iter().all(|result| result.truth == Truth::True));
            prop_assert!(criteria.failure.iter().all(|result| result.truth == Truth::False));
            prop_assert!(matches!(verdict.overall, OverallStatus::Success | OverallStatus::PartialSuccess));
        }
        if verdict.overall == OverallStatus::Success {
            prop_assert_eq!(verdict.decision, Decision::Pass);
        }
        let is_done = verdict.decision == Decision::Pass && !task.run.scope.reduced;
        prop_assert_eq!(verdict.next, if is_done { Next::Done } else { Next::Planner });
        prop_assert_eq!(verdict.agent_action == AgentAction::RequestStatusUpdate, is_done);
    }

    #[test]
    fn a_reduced_run_is_never_done(task in any_task(), profile in sample::select(Profile::ALL.to_vec())) {
        let verdict = task.reduced(profile).verdict();
        prop_assert_eq!(verdict.next, Next::Planner);
        prop_assert!(verdict.agent_action != AgentAction::RequestStatusUpdate);
    }

    #[test]
    fn a_failure_more_never_makes_it_a_pass(task in any_task(), at_prerequisites in any::<bool>()) {
        let mut task = task;
        // In a red phase a failed test is required.
        task.plan.red_phase = false;
        let before = task.verdict();
        let id = if at_prerequisites { "PREREQ.9" } else { "STEP.9" };
        let worse = task.failed(id).verdict();
        prop_assert!(worse.decision != Decision::Pass);
        prop_assert!(worse.exit <= before.exit, "{:?} after {:?}", worse.exit, before.exit);
        prop_assert!(!at_prerequisites || worse.decision == Decision::Blocked || before.decision == Decision::Fail
            || worse.exit == Exit::Internal);
    }

    #[test]
    fn the_same_evidence_gives_the_same_verdict(task in any_task()) {
        let (first, second) = (task.verdict(), task.verdict());
        // Compared as text, so that a NaN rate equals itself.
        prop_assert_eq!(format!("{first:?}"), format!("{second:?}"));
    }
}
