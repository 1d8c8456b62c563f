//! How many tests each check ran in the best run since what the work is checked against was made: the lock, or the trusted
//! commit; where there is neither, of all runs.
//!
//! Each run carries the best that is known on to the next one, so that the last sealed run tells it, and a run that is
//! pruned takes nothing away. The same is kept in the state directory, so that it is known where the evidence was
//! removed, and a lock tells how many ran when it was taken.
//!
//! | the last sealed run of the task                      | a check counts as                                    |
//! |------------------------------------------------------|------------------------------------------------------|
//! | was made against the same lock or commit              | it did in it, or as it was known to, whichever is more |
//! | was made against another one                          | the same of the last run before it that was not       |
//! | is gone, is not as it was sealed, or is not the latest | the most of the runs of the history, and that is noted |
//!
//! So neither a run with fewer tests, nor one more of them, makes them the new measure.

use std::collections::BTreeMap;
use std::path::Path;

use referee_judge::role;
use referee_ledger::catalogue::{Entry, Spot};
use referee_ledger::evidence::Evidence;
use referee_ledger::test_counts;
use referee_ledger::{LedgerError, State, Store};
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

/// Most runs of the history that are looked into.
const RUNS: usize = 64;

/// What is said where the last run tells nothing.
const NOT_KNOWN: &str = "the last sealed run is gone, or does not match its seal: the best run is looked for in the history \
                         alone, and whether fewer tests run than in one that is gone is not known";

/// What the work is checked against, as far as it bears on numbers of tests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measure<'a> {
    /// What it is. None: nothing is protected.
    pub(crate) baseline: Option<&'a TrustedBaseline>,
    /// How many tests each check ran when it was made, by name.
    pub(crate) locked: Option<&'a BTreeMap<String, u64>>,
}

/// What is known of earlier tests.
#[derive(Debug, Default)]
pub(crate) struct EarlierTests {
    /// The number of each check of the plan, where one is known.
    pub(crate) counts: BTreeMap<ActionId, u64>,
    /// Why it is not all that there was.
    pub(crate) note: Option<String>,
}

impl EarlierTests {
    /// Raises the numbers of checks to these, by name; a name that several checks have tells nothing.
    fn raise(&mut self, plan: &Plan, tests: &[&Action], counts: &BTreeMap<String, u64>) {
        for action in tests.iter().filter(|action| is_only(plan, &action.name)) {
            if let Some(count) = counts.get(&action.name) {
                let best = self.counts.entry(action.id.clone()).or_default();
                *best = (*best).max(*count);
            }
        }
    }

    /// Puts it where the judge finds it.
    pub(crate) fn stored(self, run_context: &mut RunContext, notices: &mut Vec<String>) {
        run_context.earlier_tests = self.counts;
        notices.extend(self.note);
    }
}

/// Looks at the sealed runs of a task that were made against the same baseline. The plan is the one that is stored. Only the
/// three documents that are asked are held against their seal: the whole directory is looked at by who verifies it.
pub(crate) fn find(store: &Store, plan: &Plan, measure: Measure<'_>, state: Option<&State>) -> EarlierTests {
    let tests: Vec<&Action> = plan.actions.iter().filter(|action| runs_tests(action)).collect();
    if plan.guard.suppressions == Answer::Ignore || tests.is_empty() {
        return EarlierTests::default();
    }
    let mut earlier = of_evidence(store, plan, &tests, measure.baseline, state);
    match kept(state, plan, measure.baseline) {
        Ok(Some(record)) => {
            // What the evidence no longer tells is known.
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

/// The most tests that each check is known to have run since a lock was made, by task and name.
///
/// # Errors
/// Fails where the state directory keeps numbers that cannot be read.
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

/// Keeps how many tests a sealed run ran, out of the workspace's reach. Returns why not.
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
    // A record that cannot be read is written anew: that it could not be was told.
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

/// What the state directory keeps of a task, where it is about the same baseline.
fn kept(
    state: Option<&State>,
    plan: &Plan,
    baseline: Option<&TrustedBaseline>,
) -> Result<Option<test_counts::TestCounts>, LedgerError> {
    let Some(state) = state else { return Ok(None) };
    let record = test_counts::read(state, &plan.evidence_root, &plan.task)?;
    Ok(record.filter(|record| is_about(record, baseline)))
}

/// Whether a record is about a baseline. Where nothing is protected now, any is.
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
            // The last one that was made against the same knows of those before it.
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

/// Whether a directory in the task's place is its latest run, as far as that is known outside the workspace.
fn is_latest(directory: &Path, plan: &Plan, state: Option<&State>) -> bool {
    Store::survey(directory, &plan.task, state)
        .is_ok_and(|survey| survey.is_none_or(|survey| earlier::is_latest(&survey)))
}

/// The runs of the history, as far as they are as they were sealed.
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

/// Whether one action of a plan alone has a name.
fn is_only(plan: &Plan, name: &str) -> bool {
    plan.actions.iter().filter(|action| action.name == name).count() == 1
}

struct Earlier {
    plan: Plan,
    /// What the work was checked against.
    baseline: Option<TrustedBaseline>,
    own: BTreeMap<ActionId, u64>,
    /// What it knew of runs before it.
    known: BTreeMap<ActionId, u64>,
}

impl Earlier {
    /// Opens a sealed run. None: it is not as it was sealed, or no run.
    fn open(directory: &Path) -> Option<Self> {
        Self::read(&Evidence::open(directory).ok()?)
    }

    /// Reads what is asked of it.
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

    /// Whether the work was checked against the same as now. Where nothing is protected now, any run is a measure.
    fn is_against(&self, baseline: Option<&TrustedBaseline>) -> bool {
        baseline.is_none() || test_counts::since(baseline) == test_counts::since(self.baseline.as_ref())
    }

    /// The most tests that each check is known to have run, by the checks of a plan: they are the same by name.
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

/// Tests that ran in each step, where a summary or a report of the runner says so.
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
