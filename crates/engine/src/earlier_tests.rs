//! How many tests each check ran when it last passed whole, as far as the last sealed run tells.
//!
//! | the last sealed run of the task        | a check counts as it did                                |
//! |----------------------------------------|---------------------------------------------------------|
//! | passed, and was a whole one            | in it; else as that run knew it from before             |
//! | did not pass, or was a reduced one     | in it, or as that run knew it, whichever is more        |
//! | is not as it was sealed                | nothing is known, and that is noted                     |
//!
//! So a run that was blocked because tests are gone does not make them the new measure, nor does a reduced one.

use std::collections::BTreeMap;

use referee_judge::role;
use referee_ledger::Store;
use referee_ledger::evidence::Evidence;
use referee_model::circumstances::Circumstances;
use referee_model::id::{ActionId, Digest};
use referee_model::plan::guard::Answer;
use referee_model::plan::{Action, Plan, Role, Work};
use referee_wire::evidence_name;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// What is known of earlier tests.
#[derive(Debug, Default)]
pub(crate) struct EarlierTests {
    /// The number of each check of the plan, where one is known.
    pub(crate) counts: BTreeMap<ActionId, u64>,
    /// Why nothing is known although there is an earlier run.
    pub(crate) note: Option<String>,
}

impl EarlierTests {
    /// Puts it where the judge finds it.
    pub(crate) fn stored(self, circumstances: &mut Circumstances, notices: &mut Vec<String>) {
        circumstances.earlier_tests = self.counts;
        notices.extend(self.note);
    }
}

/// Looks at the last sealed run of a task. The plan is the one that is stored. Only the three documents that are asked are
/// held against their seal: the whole folder is looked at by who verifies it.
pub(crate) fn find(store: &Store, plan: &Plan) -> EarlierTests {
    let tests: Vec<&Action> = plan.actions.iter().filter(|action| runs_tests(action)).collect();
    if plan.guard.suppressions == Answer::Ignore || tests.is_empty() {
        return EarlierTests::default();
    }
    let Some(folder) = store.sealed(&plan.task) else { return EarlierTests::default() };
    let Some(earlier) = Evidence::open(&folder).ok().and_then(|evidence| Earlier::read(&evidence)) else {
        let note =
            "the last sealed run is not as it was sealed, or cannot be read: whether fewer tests run than then is not \
                    known"
                .to_owned();
        return EarlierTests { counts: BTreeMap::new(), note: Some(note) };
    };
    let only = |plan: &Plan, name: &str| plan.actions.iter().filter(|action| action.name == name).count() == 1;
    let counts = tests.into_iter().filter(|action| only(plan, &action.name)).filter_map(|action| {
        let then =
            earlier.plan.actions.iter().find(|then| then.name == action.name && only(&earlier.plan, &then.name))?;
        Some((action.id.clone(), earlier.count(&then.id)?))
    });
    EarlierTests { counts: counts.collect(), note: None }
}

fn runs_tests(action: &Action) -> bool {
    matches!(&action.work, Work::Command(command) if role::tell(command).role == Role::Test)
}

/// An earlier run.
struct Earlier {
    plan: Plan,
    /// Whether it was a whole one, and passed.
    passed_whole: bool,
    /// Tests that ran in it.
    own: BTreeMap<ActionId, u64>,
    /// What it knew of runs before it.
    known: BTreeMap<ActionId, u64>,
}

impl Earlier {
    /// Reads what is asked of a sealed run. None: it is not as it was sealed, or no run.
    fn read(evidence: &Evidence) -> Option<Self> {
        let seal = referee_wire::seal::read(&evidence.read(evidence_name::SEAL).ok()?).ok()?;
        let sealed = |name: &str| -> Option<Vec<u8>> {
            let bytes = evidence.read(name).ok()?;
            let digest = Digest::from_bytes(Sha256::digest(&bytes).into());
            seal.files.iter().any(|file| file.path == name && file.sha256 == digest).then_some(bytes)
        };
        let plan = referee_wire::plan::read(&sealed(evidence_name::PLAN)?).ok()?;
        let run = referee_wire::run::read(&sealed(evidence_name::RUN)?).ok()?;
        let report: Value = serde_json::from_slice(&sealed(evidence_name::EXECUTION_REPORT)?).ok()?;
        let passed = report.pointer("/executionSummary/decision")?.as_str()? == "PASS";
        Some(Self {
            plan,
            passed_whole: passed && !run.scope.reduced,
            own: counts(&report),
            known: run.circumstances.earlier_tests,
        })
    }

    fn count(&self, id: &ActionId) -> Option<u64> {
        let (own, known) = (self.own.get(id).copied(), self.known.get(id).copied());
        if self.passed_whole { own.or(known) } else { own.max(known) }
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
