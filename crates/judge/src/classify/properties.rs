use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::{Just, Strategy as Generator};
use proptest::{option, prop_oneof, sample};
use referee_model::plan::{Category, Strategy, ToolPolicy};
use referee_model::reading::{CountAuthority, Counts, TestCounts};
use referee_model::record::{Ending, StartFailure};

use super::*;
use crate::fixture::{by_content, counts_only, ended, exited, line, nothing, plan, tests};

fn any_reading() -> impl Generator<Value = Reading> {
    let number = || prop_oneof![Just(0_u64), 1_u64..5, Just(u64::MAX)];
    let counts = (number(), number(), number()).prop_map(|(errors, warnings, infos)| Counts {
        errors,
        warnings,
        infos,
        ..Counts::default()
    });
    let results = option::of((number(), number(), number(), 0_u8..3, option::of(number())));
    (counts, results, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(counts, results, known, content, note)| {
            let mut reading = counts_only("eslint", counts);
            reading.tests = results.map(|(passed, failed, skipped, authority, suites)| {
                let mut results = tests("jest", 0, 0, 0).tests.unwrap();
                results.counts = TestCounts { passed, failed, skipped, total: 0 };
                results.suites = suites.map(|failed| TestCounts { failed, ..TestCounts::default() });
                results.authority = [CountAuthority::Summary, CountAuthority::MachineReport, CountAuthority::Lines]
                    [usize::from(authority)];
                results
            });
            if note {
                reading.notes.push("cut".to_owned());
            }
            if !known {
                reading.reader = None;
            }
            if content { by_content(reading) } else { reading }
        },
    )
}

fn any_ending() -> impl Generator<Value = Ending> {
    prop_oneof![
        5 => prop_oneof![Just(0), Just(1), Just(2), Just(127), Just(137), any::<i32>()].prop_map(|code| Ending::Exited { code }),
        1 => any::<i32>().prop_map(|signal| Ending::Signaled { signal }),
        1 => (any::<u64>(), any::<bool>()).prop_map(|(limit_ms, of_task)| Ending::DeadlineExceeded { limit_ms, of_task, killed: of_task }),
        1 => any::<bool>().prop_map(|killed| Ending::Interrupted { killed }),
        1 => any::<u64>().prop_map(|limit_bytes| Ending::OutputLimitExceeded { limit_bytes }),
        1 => Just(Ending::CouldNotStart { cause: StartFailure::System, message: String::new() }),
    ]
}

fn any_line() -> impl Generator<Value = &'static str> {
    sample::select(vec![
        "npx jest",
        "npm test",
        "pytest",
        "npx eslint .",
        "npx eslint . --max-warnings 0",
        "npx tsc",
        "npx prettier -c .",
        "gcc a.c",
        "./deploy",
        "npm run lint",
    ])
}

fn any_block_on() -> impl Generator<Value = Option<Strategy>> {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    option::of(sample::select(vec![ErrorsAlways, ErrorsOnly, ErrorsAndWarnings, WarnOnly, Never]))
}

proptest! {
    #[test]
    fn whatever_happened_is_judged_without_panic_and_in_agreement_with_itself(
        text in any_line(),
        id in sample::select(vec!["PREREQ.1", "STEP.1", "CLEANUP.1"]),
        ending in any_ending(),
        reading in any_reading(),
        block_on in any_block_on(),
    ) {
        let action = line(id, text);
        let mut plan = plan(vec![action.clone()]);
        plan.policies.tools.insert("eslint".to_owned(), ToolPolicy { block_on, ..ToolPolicy::default() });
        let judgement = judge(&plan, &action, &ended(&action, ending.clone()), &reading);
        let success = judgement.outcome == Outcome::Success;
        prop_assert!(!judgement.reason.is_empty());
        prop_assert_eq!(success, judgement.severity == Severity::None);
        prop_assert!(!(success && judgement.blocking));
        prop_assert_eq!(success, judgement.advice.is_empty() && !matches!(judgement.rule, Rule::TestsFailedExpected));
        let leaves_none = matches!(judgement.debt, DebtGeneration::None { .. });
        prop_assert!(!success || leaves_none);
        if action.phase == Phase::Cleanup {
            prop_assert!(!judgement.blocking);
        }
        // Only a command that exited by itself can succeed.
        let exited = matches!(ending, Ending::Exited { .. });
        prop_assert!(!success || exited);
    }

    #[test]
    fn a_tool_that_did_not_work_blocks_under_every_policy(
        block_on in any_block_on(),
        category in any_block_on(),
        code in prop_oneof![1_i32..=255, Just(-1)],
        enabled in any::<bool>(),
        ignored in any::<bool>(),
    ) {
        let action = line("STEP.1", "npx eslint .");
        let mut plan = plan(vec![action.clone()]);
        let ignored_rules = if ignored { vec!["rule".to_owned()] } else { Vec::new() };
        plan.policies.tools.insert("eslint".to_owned(), ToolPolicy { enabled, block_on, ignored_rules, ..ToolPolicy::default() });
        plan.policies.categories.extend(category.map(|strategy| (Category::Linting, strategy)));
        let judgement = judge(&plan, &action, &exited(&action, code), &nothing());
        prop_assert_eq!((judgement.outcome, judgement.blocking), (Outcome::ExecutionError, true));
    }
}
