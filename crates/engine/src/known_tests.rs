//! The tests of the last sealed runs, by name and number, which a lock requires of later runs.

use std::collections::BTreeMap;

use referee_judge::criteria;
use referee_ledger::State;
use referee_model::plan::{Plan, Role};
use referee_model::reading::TestStatus;
use referee_model::report::{ActionReport, Report};

use crate::protection::lock_snapshot::LastTests;
use crate::{inputs, recorded};

/// Reads the tests of the last sealed runs. A run that cannot be relied on, or a reduced run, contributes none.
/// A runner that does not name all of its tests contributes no names: the absence of one would prove nothing.
pub fn of_last_runs(plans: &[Plan], state: Option<&State>, notes: &mut Vec<String>) -> LastTests {
    let mut tests = LastTests::default();
    for plan in plans {
        let directory = plan.evidence_root.join(plan.task.as_str());
        let Ok(recorded) = recorded::open(&directory, state) else {
            notes.push(format!("{}: no sealed run that can be relied on, so no tests are known by name", plan.task));
            continue;
        };
        let report = recorded.report;
        if report.run.scope.reduced {
            notes.push(format!("{}: the last run was a reduced one, so no tests are known by name", plan.task));
            continue;
        }
        add_names(&report, &mut tests);
        if is_of_this_tree(&report, plan, state) {
            tests.counts.insert(plan.task.clone(), counts(&report));
        }
    }
    tests
}

fn add_names(report: &Report, tests: &mut LastTests) {
    let mut of_checks: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for action in &report.actions {
        let Some(results) = action.ran().and_then(|ran| ran.reading.tests.as_ref()).filter(|it| criteria::is_whole(it))
        else {
            continue;
        };
        for case in results.cases.iter().filter(|case| case.status == TestStatus::Passed) {
            match &case.file {
                Some(file) => {
                    tests.passed.entry(file.clone()).or_default().insert(case.full_name());
                }
                None => of_checks.entry(action.action.name.clone()).or_default().push(case.full_name()),
            }
        }
    }
    for names in of_checks.values_mut() {
        names.sort();
    }
    if !of_checks.is_empty() {
        tests.named.insert(report.plan.task.clone(), of_checks);
    }
}

/// Returns whether a run ended with the inputs as they are now.
fn is_of_this_tree(report: &Report, plan: &Plan, state: Option<&State>) -> bool {
    let then = report.run.run_context.tree.as_ref().map(|tree| tree.after.digest);
    then.is_some() && inputs::now(plan, state).is_ok_and(|now| now == then)
}

/// Returns the number of tests that each check ran, by name of the check, where its runner's summary or report has one.
pub(crate) fn counts(report: &Report) -> BTreeMap<String, u64> {
    let ran = |action: &ActionReport| {
        let ran = action.ran().filter(|ran| ran.judgement.role == Some(Role::Test))?;
        Some((action.action.name.clone(), criteria::tests_run(ran)?))
    };
    report.actions.iter().filter_map(ran).collect()
}
