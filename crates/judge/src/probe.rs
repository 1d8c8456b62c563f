//! Result of one run of a probe: the tests of a change, run with the rest of the change reverted.
//! [`crate::criteria::probe`] combines the results of all its runs.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::outcome::Outcome;
use referee_model::plan::{Phase, Role};
use referee_model::reading::{CountAuthority, TestResults, TestStatus};
use referee_model::record::{RunEnding, SkipReason};
use referee_model::report::{ActionHistory, ActionReport, Ran, Report};
use referee_model::run_context::probe::ProbeResult;
use referee_syntax::cut::first_line;

use crate::criteria::{is_whole, tests_run};

/// Maximum length of a quoted reason, in characters.
const REASON_CHARACTERS: usize = 300;

/// Tests that a change adds or edits.
#[derive(Debug, Clone, Copy)]
pub struct ChangedTests<'a> {
    pub files: &'a [String],
    /// Names of tests that these files declare.
    pub names: &'a BTreeSet<String>,
}

/// Returns the checks that a probe runs, with the number of tests that each ran: test checks that passed at the
/// first attempt, if a summary has that number, or reports passed tests without a number (then 0).
pub fn checks(actions: &[ActionReport]) -> BTreeMap<ActionId, u64> {
    let is_asked = |ran: &&Ran| {
        let judgement = &ran.judgement;
        let passed = judgement.outcome == Outcome::Success && !judgement.expected && !judgement.flaky;
        passed && judgement.role == Some(Role::Test) && ran.earlier.is_empty()
    };
    let number = |ran: &Ran| {
        let is_unnumbered = ran.reading.tests.as_ref().is_some_and(|it| it.authority == CountAuthority::Unnumbered);
        tests_run(ran).filter(|tests| *tests > 0).or_else(|| is_unnumbered.then_some(0))
    };
    let steps = actions.iter().filter(|report| report.action.phase == Phase::Step);
    steps.filter_map(|report| Some((report.action.id.clone(), number(report.ran().filter(is_asked)?)?))).collect()
}

/// Returns whether one of these checks may have run a test of the change: its runner names the file, or not
/// every file.
pub fn is_run(actions: &[ActionReport], checks: &BTreeMap<ActionId, u64>, tests: ChangedTests<'_>) -> bool {
    let asked = actions.iter().filter(|report| checks.contains_key(&report.action.id));
    let results = asked.filter_map(|report| report.ran()?.reading.tests.as_ref());
    let may_run = |file: &Option<String>| file.as_ref().is_none_or(|file| tests.files.contains(file));
    let names_no_test = |results: &TestResults| results.cases.is_empty() || !is_whole(results);
    let is_any = |results: &TestResults| results.cases.iter().any(|case| may_run(&case.file));
    results.into_iter().any(|results| names_no_test(results) || is_any(results))
}

/// Returns the result of a probe's run. `expected` is the number of tests of each check over the candidate.
pub fn result(report: &Report, expected: &BTreeMap<ActionId, u64>, tests: ChangedTests<'_>) -> ProbeResult {
    let mut found = FailedTests::default();
    if report.run.ending != RunEnding::Finished {
        found.block("it was interrupted, or could not be ended".to_owned());
    }
    for action in report.actions.iter().filter(|report| report.action.phase != Phase::Cleanup) {
        match &action.history {
            ActionHistory::Ran(ran) if action.action.phase == Phase::Prerequisite => found.prerequisite(action, ran),
            ActionHistory::Ran(ran) => found.step(action, ran, expected.get(&action.action.id).copied(), tests),
            ActionHistory::Skipped(reason) if expected.contains_key(&action.action.id) => found.skip(action, reason),
            ActionHistory::Skipped(_) => {}
        }
    }
    found.result()
}

/// Returns the result of a check over a planted defect. `expected` is the number of tests it ran without the
/// defect; `reporters` are the tests that reported the defect before, the only ones whose names are given (all
/// names if it is empty).
///
/// | the check of tests                                     | the defect   |
/// |--------------------------------------------------------|--------------|
/// | names a failed test                                    | is reported  |
/// | fails, and its runner names no test                    | is reported  |
/// | ran fewer tests than without the defect                | is reported  |
/// | fails with a finding of a compiler, or names no test   | says nothing |
///
/// Any other check reports the defect by failing.
pub fn planted_result(
    report: &Report,
    action: &ActionId,
    expected: Option<u64>,
    reporters: Option<&BTreeSet<String>>,
) -> ProbeResult {
    let unusable = |reason: String| ProbeResult::Unusable { reason };
    if report.run.ending != RunEnding::Finished {
        return unusable("it was interrupted, or could not be ended".to_owned());
    }
    let nobody = ChangedTests { files: &[], names: &BTreeSet::new() };
    let mut found = FailedTests::default();
    for report in report.actions.iter().filter(|report| report.action.phase == Phase::Prerequisite) {
        if let ActionHistory::Ran(ran) = &report.history {
            found.prerequisite(report, ran);
        }
    }
    if let Some(reason) = found.block_reason {
        return unusable(reason);
    }
    let Some(report) = report.actions.iter().find(|report| report.action.id == *action) else {
        return unusable("it is not in the plan".to_owned());
    };
    let Some(ran) = report.ran() else {
        return unusable(format!("{} did not run in a clean room", report.action.name));
    };
    if ran.judgement.role != Some(Role::Test) {
        return match ran.judgement.outcome {
            Outcome::ValidationFailure | Outcome::TestFailure | Outcome::ExecutionError => {
                ProbeResult::Failed { tests: Vec::new(), others: true }
            }
            _ => {
                found.step(report, ran, None, nobody);
                found.result()
            }
        };
    }
    found.step(report, ran, expected, nobody);
    let names_tests = ran.reading.tests.as_ref().is_some_and(|tests| !tests.cases.is_empty());
    let failed: BTreeSet<String> = ran.reading.tests.iter().flat_map(failed_tests).map(|(name, ..)| name).collect();
    let (failed, others): (BTreeSet<String>, BTreeSet<String>) =
        failed.into_iter().partition(|name| reporters.is_none_or(|reporters| reporters.contains(name)));
    let failed: Vec<String> = failed.into_iter().take(limit::PROBE_TESTS_LISTED).collect();
    match found.result() {
        ProbeResult::Failed { .. } if ran.judgement.outcome == Outcome::Success => {
            ProbeResult::Failed { tests: Vec::new(), others: true }
        }
        ProbeResult::Failed { .. } if !failed.is_empty() || !others.is_empty() => {
            ProbeResult::Failed { tests: failed, others: !others.is_empty() }
        }
        ProbeResult::Failed { .. } if names_tests || !ran.reading.diagnostics.is_empty() => {
            unusable(format!("{} fails with it, and names no test that does", report.action.name))
        }
        other => other,
    }
}

/// Returns full name, title and file of each failed test.
fn failed_tests(results: &TestResults) -> impl Iterator<Item = (String, &str, Option<&str>)> {
    let cases = results.cases.iter().filter(|case| case.status == TestStatus::Failed);
    let cases = cases.map(|case| (case.full_name(), case.title.as_str(), case.file.as_deref()));
    let failures = results.failures.iter();
    cases.chain(failures.map(|failure| (failure.name.clone(), failure.name.as_str(), failure.file.as_deref())))
}

#[derive(Default)]
struct FailedTests {
    tests: BTreeSet<String>,
    others: bool,
    block_reason: Option<String>,
}

impl FailedTests {
    fn block(&mut self, reason: String) {
        self.block_reason.get_or_insert(reason);
    }

    fn prerequisite(&mut self, report: &ActionReport, ran: &Ran) {
        if ran.judgement.blocking {
            let reason = first_line(&ran.judgement.reason, REASON_CHARACTERS);
            self.block(format!("{} did not work in a clean room: {reason}", report.action.name));
        }
    }

    fn step(&mut self, report: &ActionReport, ran: &Ran, expected: Option<u64>, tests: ChangedTests<'_>) {
        let name = &report.action.name;
        match ran.judgement.outcome {
            Outcome::Success if ran.judgement.flaky => {
                self.block(format!("{name} passed only when it was tried again"));
            }
            Outcome::Success => {
                let expected = expected.filter(|tests| *tests > 0);
                self.others |= expected.is_some_and(|tests| tests_run(ran).is_none_or(|now| now < tests));
            }
            Outcome::Timeout => self.block(format!("{name} was stopped by its limit of time")),
            Outcome::PrerequisiteFailure | Outcome::SpecificationError => {
                let reason = first_line(&ran.judgement.reason, REASON_CHARACTERS);
                self.block(format!("{name} could not run in a clean room: {reason}"));
            }
            Outcome::TestFailure | Outcome::ExecutionError | Outcome::ValidationFailure => self.failed(ran, tests),
        }
    }

    fn failed(&mut self, ran: &Ran, tests: ChangedTests<'_>) {
        let Some(results) = &ran.reading.tests else {
            self.others = true;
            return;
        };
        let mut is_named = false;
        for (name, title, file) in failed_tests(results) {
            is_named = true;
            if tests.have(title, file) {
                self.tests.insert(name);
            } else {
                self.others = true;
            }
        }
        self.others |= !is_named;
    }

    fn skip(&mut self, report: &ActionReport, reason: &SkipReason) {
        match reason {
            // A check that it needs, or one before it, did not pass.
            SkipReason::NeedNotMet(_) | SkipReason::EarlierFailure(_) => self.others = true,
            _ => self.block(format!("{} did not run in a clean room", report.action.name)),
        }
    }

    fn result(self) -> ProbeResult {
        let Self { tests, others, block_reason } = self;
        match block_reason {
            Some(reason) if tests.is_empty() => ProbeResult::Unusable { reason },
            None if tests.is_empty() && !others => ProbeResult::Passed,
            block_reason => {
                let tests = tests.into_iter().take(limit::PROBE_TESTS_LISTED).collect();
                ProbeResult::Failed { tests, others: others || block_reason.is_some() }
            }
        }
    }
}

impl ChangedTests<'_> {
    /// Returns whether a test belongs to the change: by its file, or by its name if the runner names no file.
    fn have(self, title: &str, file: Option<&str>) -> bool {
        let is_file = |name: &str| self.files.iter().any(|path| name == path || name.ends_with(&format!("/{path}")));
        match file {
            Some(file) => is_file(file),
            None => is_file(title) || self.names.contains(title) || self.names.contains(last_name(title)),
        }
    }
}

/// Returns the last of the names that runners join: `tests::adds`, `tests.test_a.Case.test_adds`, `a > adds`.
fn last_name(title: &str) -> &str {
    title.rsplit(['>', ':', '.', ' ']).find(|part| !part.is_empty()).unwrap_or(title)
}

#[cfg(test)]
mod tests;
