use proptest::prelude::{Just, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::*;

#[test]
fn bg_01_larger_tasks_may_spend_more_and_strict_the_most() {
    for profile in Profile::ALL {
        let budgets = TaskSize::ALL.map(|size| run_budget(profile, size));
        assert!(budgets.windows(2).all(|pair| pair[0].commands < pair[1].commands));
        assert!(budgets.windows(2).all(|pair| pair[0].test_runs < pair[1].test_runs));
        for size in TaskSize::ALL {
            assert!(run_budget(profile, size).commands <= run_budget(Profile::Strict, size).commands);
        }
    }
    let smoke = command_policy(Profile::Smoke);
    assert_eq!((smoke.max_commands, smoke.max_test_runs), (3, 1));
    assert!(!smoke.allow_app_run && !smoke.allow_package_installs);
}

#[test]
fn a_test_run_is_a_command_too() {
    let budget = RunBudget { commands: 3, test_runs: 2, web_requests: 1 };
    let left = spend(budget, [Spending::TestRun, Spending::Command, Spending::WebRequest]);
    assert_eq!(left, Ok(RunBudget { commands: 1, test_runs: 1, web_requests: 0 }));
    assert_eq!(spend(budget, []), Ok(budget));
}

#[test]
fn vf_13_an_exhausted_budget_is_blocked_under_every_profile_and_names_what_is_used_up() {
    for profile in Profile::ALL {
        for size in TaskSize::ALL {
            let budget = run_budget(profile, size);
            for (spending, part, limit) in [
                (Spending::Command, BudgetPart::Commands, budget.commands),
                (Spending::TestRun, BudgetPart::TestRuns, budget.test_runs),
                (Spending::WebRequest, BudgetPart::WebRequests, budget.web_requests),
            ] {
                let times = usize::try_from(limit).unwrap();
                assert!(spend(budget, vec![spending; times]).is_ok());
                let exhausted = spend(budget, vec![spending; times + 1]).unwrap_err();
                assert_eq!(exhausted, Exhausted { part, limit });
                assert_eq!(exhausted.decision(), Decision::Blocked);
                assert!(exhausted.reason().contains(&format!("{limit} {}", part.as_str())), "{}", exhausted.reason());
            }
        }
    }
}

#[test]
fn a_test_run_without_a_command_left_is_exhausted_too() {
    let budget = RunBudget { commands: 1, test_runs: 5, web_requests: 0 };
    let exhausted = spend(budget, [Spending::Command, Spending::TestRun]).unwrap_err();
    assert_eq!(exhausted.part, BudgetPart::Commands);
}

proptest! {
    #[test]
    fn what_is_left_and_what_was_spent_are_the_whole(
        spent in proptest::collection::vec(
            prop_oneof![Just(Spending::Command), Just(Spending::TestRun), Just(Spending::WebRequest)], 0..80,
        ),
    ) {
        let budget = run_budget(Profile::Strict, TaskSize::Normal);
        let commands = spent.iter().filter(|kind| **kind != Spending::WebRequest).count();
        let commands = u32::try_from(commands).unwrap();
        match spend(budget, spent.clone()) {
            Ok(left) => prop_assert_eq!(left.commands + commands, budget.commands),
            Err(exhausted) => prop_assert!(exhausted.decision() == Decision::Blocked),
        }
    }
}
