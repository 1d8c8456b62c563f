//! The highest number of tests that each check ran since its baseline was made: the lock or the trusted commit,
//! or, if there is neither, in any run.
//!
//! Each run carries the highest known numbers on to the next, so the last sealed run has them, and pruning a run
//! loses nothing. The same numbers are kept in the state directory, in case the evidence was removed, and a lock
//! records how many tests ran when it was written.
//!
//! | the last sealed run of the task                        | number of tests of a check                          |
//! |--------------------------------------------------------|-----------------------------------------------------|
//! | was made against the same lock or commit               | its own or the one it carried, whichever is higher  |
//! | was made against another one                           | the same, of the last run made against the same one |
//! | is gone, does not match its seal, or is not the latest | the highest of all runs in the history, with a note |
//!
//! So a run with fewer tests never becomes the new measure, however many of them there are.

use std::collections::BTreeMap;
use std::path::Path;

use referee_judge::role;
use referee_ledger::catalogue::{Entry, Spot};
use referee_ledger::evidence::Evidence;
use referee_ledger::{LedgerError, State, Store, test_counts};
use referee_model::evidence_name;
use referee_model::id::{ActionId, Digest};
use referee_model::plan::guard::Answer;
use referee_model::plan::{Action, Plan, Role, Work};
use referee_model::report::Report;
use referee_model::run_context::RunContext;
use referee_model::run_context::protection::TrustedBaseline;
use serde_json::Value;

use crate::protection::Baseline;
use crate::protection::choice::TestCounts;
use crate::{earlier, known_tests};

/// Maximum number of runs of the history that are read.
const RUNS: usize = 64;

/// Note for a last run that is gone or does not match its seal.
const NOT_KNOWN: &str = "the last sealed run is gone, or does not match its seal: the best run is looked for in the history \
                         alone, and whether fewer tests run than in one that is gone is not known";

/// The baseline of the work, as far as it concerns the number of tests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measure<'a> {
    /// The lock or commit. `None`: nothing is protected.
    pub(crate) baseline: Option<&'a TrustedBaseline>,
    /// Number of tests that each check ran when the lock was written, by name of the check. `None`: the lock has
    /// no numbers.
    pub(crate) locked: Option<&'a BTreeMap<String, u64>>,
}

/// Known numbers of tests of earlier runs.
#[derive(Debug, Default)]
pub(crate) struct EarlierTests {
    /// Number of tests of each check of the plan, if known.
    pub(crate) counts: BTreeMap<ActionId, u64>,
    /// Why some numbers may be missing. `None`: all are known.
    pub(crate) note: Option<String>,
}

impl EarlierTests {
    /// Raises the numbers to at least those of `counts`, by name of the check. A name that several checks share
    /// is skipped.
    fn raise(&mut self, plan: &Plan, tests: &[&Action], counts: &BTreeMap<String, u64>) {
        for action in tests.iter().filter(|action| is_only(plan, &action.name)) {
            if let Some(count) = counts.get(&action.name) {
                let best = self.counts.entry(action.id.clone()).or_default();
                *best = (*best).max(*count);
            }
        }
    }

    /// Adds the numbers to the run context, where the judge reads them.
    pub(crate) fn stored(self, run_context: &mut RunContext, notices: &mut Vec<String>) {
        run_context.earlier_tests = self.counts;
        notices.extend(self.note);
    }
}

/// Collects the numbers of a task's sealed runs that were made against the same baseline. `plan` is the plan as
/// stored. Only the three documents that are read are checked against the seal; `evidence verify` checks the
/// whole directory.
pub(crate) fn find(store: &Store, plan: &Plan, measure: Measure<'_>, state: Option<&State>) -> EarlierTests {
    let tests: Vec<&Action> = plan.actions.iter().filter(|action| runs_tests(action)).collect();
    if plan.guard.suppressions == Answer::Ignore || tests.is_empty() {
        return EarlierTests::default();
    }
    let mut earlier = of_evidence(store, plan, &tests, measure.baseline, state);
    match kept(state, plan, measure.baseline) {
        Ok(Some(record)) => {
            // The state directory has the numbers that the evidence lacks.
            earlier.note = None;
            earlier.raise(plan, &tests, &record.counts);
        }
        Ok(None) => {}
        Err(error) => earlier.note = Some(format!("cannot read earlier numbers of tests: {error}")),
    }
    if let Some(locked) = measure.locked {
        earlier.raise(plan, &tests, locked);
    }
    earlier
}

/// Returns the highest number of tests that each check ran since a lock was written, by task and name of the check.
///
/// # Errors
/// Fails if the numbers in the state directory cannot be read.
pub fn since_lock(plans: &[Plan], baseline: &Baseline, state: Option<&State>) -> Result<TestCounts, LedgerError> {
    let mut counts = baseline.lock.test_counts.clone();
    for plan in plans {
        let Some(record) = kept(state, plan, Some(&baseline.trusted))? else { continue };
        let known = counts.entry(plan.task.clone()).or_default();
        for (check, count) in record.counts {
            let best = known.entry(check).or_default();
            *best = count.max(*best);
        }
    }
    Ok(counts)
}

/// Stores the numbers of tests of a sealed run in the state directory, out of reach of the workspace. Returns
/// why it failed.
pub(crate) fn keep(
    state: Option<&State>,
    plan: &Plan,
    baseline: Option<&TrustedBaseline>,
    report: &Report,
) -> Option<String> {
    let state = state?;
    let own = known_tests::counts(report);
    let known = &report.run.run_context.earlier_tests;
    if own.is_empty() && known.is_empty() {
        return None;
    }
    // An unreadable record is replaced; that it was unreadable has been reported.
    let kept = test_counts::read(state, &plan.evidence_root, &plan.task).ok().flatten();
    let fresh = || test_counts::TestCounts::new(plan.task.clone(), test_counts::since(baseline));
    let mut record = kept.clone().filter(|record| is_about(record, baseline)).unwrap_or_else(fresh);
    for (id, count) in known {
        if let Some(action) = report.plan.action(id) {
            record.add(&action.name, *count);
        }
    }
    for (name, count) in own {
        record.add(&name, count);
    }
    if kept.as_ref() == Some(&record) {
        return None;
    }
    let kept = test_counts::keep(state, &plan.evidence_root, &record);
    kept.err().map(|error| format!("the number of tests was not kept for later runs: {error}"))
}

/// Returns the numbers of a task in the state directory, if they are of the same baseline.
fn kept(
    state: Option<&State>,
    plan: &Plan,
    baseline: Option<&TrustedBaseline>,
) -> Result<Option<test_counts::TestCounts>, LedgerError> {
    let Some(state) = state else { return Ok(None) };
    let record = test_counts::read(state, &plan.evidence_root, &plan.task)?;
    Ok(record.filter(|record| is_about(record, baseline)))
}

/// Returns whether a record is of this baseline. If nothing is protected now, every record is.
fn is_about(record: &test_counts::TestCounts, baseline: Option<&TrustedBaseline>) -> bool {
    baseline.is_none() || record.since == test_counts::since(baseline)
}

fn of_evidence(
    store: &Store,
    plan: &Plan,
    tests: &[&Action],
    baseline: Option<&TrustedBaseline>,
    state: Option<&State>,
) -> EarlierTests {
    let best = |runs: &[Earlier]| {
        let mut counts: BTreeMap<ActionId, u64> = BTreeMap::new();
        for (id, count) in runs.iter().flat_map(|run| run.counts_of(plan, tests)) {
            let best = counts.entry(id).or_default();
            *best = count.max(*best);
        }
        counts
    };
    let latest = store.sealed(&plan.task).filter(|directory| is_latest(directory, plan, state));
    match latest.as_deref().and_then(Earlier::open) {
        Some(latest) if latest.is_against(baseline) => EarlierTests { counts: best(&[latest]), note: None },
        Some(_) => {
            // The last run that was made against the same baseline carries the numbers of those before it.
            let chain = store.chain(&plan.task).unwrap_or_default();
            let mut runs = chain.iter().rev().skip(1).take(RUNS).filter_map(|run| Earlier::open(&run.directory));
            let last = runs.find(|run| run.is_against(baseline));
            EarlierTests { counts: best(last.as_slice()), note: None }
        }
        None => {
            let runs: Vec<Earlier> = history(store, plan).filter(|run| run.is_against(baseline)).take(RUNS).collect();
            let is_known =
                store.catalogue(&plan.task).is_ok_and(|entries| entries.iter().all(|entry| !was_sealed(entry)));
            let note = (!is_known).then(|| NOT_KNOWN.to_owned());
            EarlierTests { counts: best(&runs), note }
        }
    }
}

/// Returns whether the run in the task's place is the latest one, as far as the state outside the workspace knows.
fn is_latest(directory: &Path, plan: &Plan, state: Option<&State>) -> bool {
    Store::survey(directory, &plan.task, state)
        .is_ok_and(|survey| survey.is_none_or(|survey| earlier::is_latest(&survey)))
}

/// Returns the runs of the history whose documents match their seals.
fn history<'run>(store: &'run Store, plan: &'run Plan) -> impl Iterator<Item = Earlier> + 'run {
    let entries = store.catalogue(&plan.task).unwrap_or_default().into_iter();
    let history = entries.filter(|entry| entry.spot == Spot::History).filter_map(|entry| entry.execution);
    history.filter_map(|run| Earlier::read(&store.open_run(&plan.task, Some(&run)).ok()??.evidence))
}

fn was_sealed(entry: &Entry) -> bool {
    matches!(entry.spot, Spot::Latest | Spot::History)
}

fn runs_tests(action: &Action) -> bool {
    matches!(&action.work, Work::Command(command) if role::tell(command).role == Role::Test)
}

/// Returns whether exactly one action of the plan has this name.
fn is_only(plan: &Plan, name: &str) -> bool {
    plan.actions.iter().filter(|action| action.name == name).count() == 1
}

struct Earlier {
    plan: Plan,
    /// The baseline that the run was made against. `None`: nothing was protected.
    baseline: Option<TrustedBaseline>,
    own: BTreeMap<ActionId, u64>,
    /// Numbers that the run carried over from earlier runs.
    known: BTreeMap<ActionId, u64>,
}

impl Earlier {
    /// Opens a sealed run. `None`: it does not match its seal, or is no run.
    fn open(directory: &Path) -> Option<Self> {
        Self::read(&Evidence::open(directory).ok()?)
    }

    /// Reads the three documents that are needed, each checked against the seal. `None`: one does not match or
    /// cannot be read.
    fn read(evidence: &Evidence) -> Option<Self> {
        let seal = referee_model::seal::read(&evidence.read(evidence_name::SEAL).ok()?).ok()?;
        let sealed = |name: &str| -> Option<Vec<u8>> {
            let bytes = evidence.read(name).ok()?;
            let digest = Digest::of(&bytes);
            seal.files.iter().any(|file| file.path == name && file.sha256 == digest).then_some(bytes)
        };
        let plan = referee_model::plan::plan_document::read(&sealed(evidence_name::PLAN)?).ok()?;
        let run = referee_model::record::header::read(&sealed(evidence_name::RUN)?).ok()?;
        let report: Value = serde_json::from_slice(&sealed(evidence_name::EXECUTION_REPORT)?).ok()?;
        let run_context = run.run_context;
        Some(Self {
            plan,
            baseline: run_context.protection.map(|protection| protection.baseline),
            own: counts(&report),
            known: run_context.earlier_tests,
        })
    }

    /// Returns whether the run was made against the same baseline. If nothing is protected now, every run counts.
    fn is_against(&self, baseline: Option<&TrustedBaseline>) -> bool {
        baseline.is_none() || test_counts::since(baseline) == test_counts::since(self.baseline.as_ref())
    }

    /// Returns the highest known number of tests of each check of a plan. Checks are matched by name.
    fn counts_of(&self, plan: &Plan, tests: &[&Action]) -> Vec<(ActionId, u64)> {
        let count = |action: &&Action| {
            let then =
                self.plan.actions.iter().find(|then| then.name == action.name && is_only(&self.plan, &then.name))?;
            let best = self.own.get(&then.id).copied().max(self.known.get(&then.id).copied())?;
            Some((action.id.clone(), best))
        };
        tests.iter().filter(|action| is_only(plan, &action.name)).filter_map(count).collect()
    }
}

/// Returns the number of tests that ran in each step, where the runner's summary or report has one.
fn counts(report: &Value) -> BTreeMap<ActionId, u64> {
    let results = report.pointer("/stepExecution/results").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let count = |result: &Value| {
        let tests = result.pointer("/result/testResults")?;
        if !matches!(tests.get("authority")?.as_str()?, "summary" | "machine-report") {
            return None;
        }
        let number = |key| tests.get(key).and_then(Value::as_u64);
        let ran = number("passed")?.saturating_add(number("failed")?);
        Some((ActionId::parse(result.get("actionId")?.as_str()?).ok()?, ran))
    };
    results.iter().filter_map(count).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn id(text: &str) -> ActionId {
        ActionId::parse(text).unwrap()
    }

    #[test]
    fn only_what_a_runner_sums_up_is_counted_and_junk_is_not() {
        let result = |id: &str, authority: &str, passed: u64| json!({ "actionId": id, "result": { "testResults": { "passed": passed, "failed": 1, "authority": authority } } });
        let report = json!({ "stepExecution": { "results": [
            result("STEP.1", "summary", 4),
            result("STEP.2", "machine-report", 2),
            result("STEP.3", "lines", 9),
            result("STEP.4", "unnumbered", 9),
            result("not an id", "summary", 9),
            result("STEP.6", "summary", u64::MAX),
            { "actionId": "STEP.7" },
            null,
        ] } });
        let expected = [(id("STEP.1"), 5), (id("STEP.2"), 3), (id("STEP.6"), u64::MAX)];
        assert_eq!(counts(&report), expected.into());
        for junk in [json!(null), json!({ "stepExecution": 3 }), json!([1])] {
            assert_eq!(counts(&junk), BTreeMap::new());
        }
    }
}
