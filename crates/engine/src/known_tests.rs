//! The tests that passed in the last sealed runs, by name: what a lock holds later runs to.

use std::collections::{BTreeMap, BTreeSet};

use referee_ledger::State;
use referee_model::plan::Plan;
use referee_model::reading::{TestCase, TestStatus};
use referee_model::report::ActionReport;

use crate::recorded;

/// The names of tests that passed in the last sealed runs, by file. A run that cannot be relied on, or that was a reduced
/// one, gives none; neither does a runner that does not name all of its tests: one that is absent later would prove nothing.
pub fn passed(plans: &[Plan], state: Option<&State>, notes: &mut Vec<String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut passed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for plan in plans {
        let folder = plan.evidence_root.join(plan.task.as_str());
        let Ok(recorded) = recorded::open(&folder, state) else {
            notes.push(format!("{}: no sealed run that can be relied on, so no tests are known by name", plan.task));
            continue;
        };
        let report = recorded.report;
        if report.run.scope.reduced {
            notes.push(format!("{}: the last run was a reduced one, so no tests are known by name", plan.task));
            continue;
        }
        for results in report.actions.iter().filter_map(ActionReport::ran).filter_map(|ran| ran.reading.tests.as_ref())
        {
            if (results.cases.len() as u64) < results.counts.total {
                continue;
            }
            for case in results.cases.iter().filter(|case| case.status == TestStatus::Passed) {
                if let Some(file) = &case.file {
                    passed.entry(file.clone()).or_default().insert(full_name(case));
                }
            }
        }
    }
    passed
}

fn full_name(case: &TestCase) -> String {
    let parts: Vec<&str> = case.ancestors.iter().chain([&case.title]).map(String::as_str).collect();
    parts.join(" > ")
}
