use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::{Just, Strategy as Generator};
use proptest::{collection, option, prop_oneof, sample};
use referee_model::build_error::{BuildErrorType, ContextValue};
use referee_model::condition::{Condition, parse};
use referee_model::condition_inputs::StreamInputs;
use referee_model::id::{ActionId, TaskId};
use referee_model::plan::{Action, EvidenceKind, Expectation, FileContent, FileExpectation, Phase};
use referee_model::reading::Reading;
use referee_model::record::http::NoAnswerCause;
use referee_model::record::{FileState, Record, ServiceRecord, Stream};
use referee_model::report::ActionHistory;
use referee_model::selection::{LeftOut, Profile};
use referee_model::time::Timestamp;
use referee_model::verdict::{Actual, Truth};

use referee_model::record::{Ending, StartFailure};

use super::*;
use crate::fixture::{
    self, ended, exited, file, findings, found, judged, line, named_tests, nothing, plan, run, words,
};

mod build_errors;
mod conditions;
mod expected;
mod figures;
mod known_tests;
mod probe;
mod probe_audit;
mod properties;
mod scope;
mod seed;
mod verdicts;
mod weaker;

/// A plan with its judged actions, built step by step.
struct Task {
    plan: Plan,
    run: RunRecord,
    reports: Vec<ActionReport>,
    materials: BTreeMap<ActionId, ConditionInputs>,
}

impl Task {
    fn new() -> Self {
        Self { plan: plan(Vec::new()), run: run(RunEnding::Finished), reports: Vec::new(), materials: BTreeMap::new() }
    }

    fn ran(mut self, id: &str, text: &str, code: i32, reading: Reading) -> Self {
        let action = line(id, text);
        let record = exited(&action, code);
        self.plan.actions.push(action.clone());
        self.reports.push(judged(&self.plan, &action, record, reading));
        self
    }

    fn ended(mut self, id: &str, ending: Ending) -> Self {
        let action = line(id, "./work");
        let record = ended(&action, ending);
        self.plan.actions.push(action.clone());
        self.reports.push(judged(&self.plan, &action, record, nothing()));
        self
    }

    fn skipped(mut self, id: &str, reason: SkipReason) -> Self {
        let action = line(id, "npx jest");
        self.plan.actions.push(action.clone());
        self.reports.push(ActionReport { action, history: ActionHistory::Skipped(reason) });
        self
    }

    fn passed(self, id: &str) -> Self {
        self.ran(id, "npx jest", 0, fixture::tests("jest", 5, 0, 0))
    }

    fn failed(self, id: &str) -> Self {
        self.ran(id, "npx jest", 1, fixture::tests("jest", 3, 2, 0))
    }

    fn warned(self, id: &str) -> Self {
        self.ran(id, "npx eslint .", 0, findings("eslint", 0, 2, 0))
    }

    fn ending(mut self, ending: RunEnding) -> Self {
        self.run.ending = ending;
        self
    }

    fn needing(mut self, evidence: &[EvidenceKind]) -> Self {
        self.plan.completion.required_evidence = evidence.to_vec();
        self
    }

    fn with(mut self, action: Action, record: impl FnOnce(&Action) -> Record) -> Self {
        let record = record(&action);
        let report = judged(&self.plan, &action, record, nothing());
        self.plan.actions.push(action);
        self.reports.push(report);
        self
    }

    fn reduced(mut self, profile: Profile) -> Self {
        self.run.scope.profile = profile;
        self.run.scope.reduced = true;
        self
    }

    fn asking(mut self, success: &[&str], failure: &[&str]) -> Self {
        self.plan.criteria.success = success.iter().copied().map(condition).collect();
        self.plan.criteria.failure = failure.iter().copied().map(condition).collect();
        self
    }

    fn red(mut self) -> Self {
        self.plan.red_phase = true;
        self
    }

    fn problem(mut self, message: &str) -> Self {
        let problem = fixture::problem(self.plan.actions.first(), message);
        self.plan.problems.push(problem);
        self
    }

    fn verdict(&self) -> Verdict {
        verdict(&self.plan, &self.run, &self.reports, &self.materials, EvaluatorOutput::default())
    }
}

fn id(text: &str) -> ActionId {
    ActionId::parse(text).unwrap()
}

fn condition(text: &str) -> Condition {
    Condition { text: text.to_owned(), description: "asked".to_owned(), expression: parse(text).unwrap() }
}

fn left_out() -> SkipReason {
    SkipReason::LeftOut(LeftOut::Profile)
}

fn deadline() -> Ending {
    Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: false }
}

fn missing_tool() -> Ending {
    Ending::CouldNotStart { cause: StartFailure::NotFound, message: "not found".to_owned() }
}

/// Checks overall status, decision, exit and the agent's action of each task.
fn hold(rows: Vec<(Task, &str)>) {
    for (task, expected) in rows {
        let verdict = task.verdict();
        let told =
            format!("{:?} {:?} {:?} {:?}", verdict.overall, verdict.decision, verdict.exit, verdict.agent_action);
        assert_eq!(told, expected, "{:#?}", verdict.reasons);
        assert!(!verdict.reasons.is_empty());
        let whole = !task.run.scope.reduced;
        assert_eq!(verdict.next == Next::Done, verdict.decision == Decision::Pass && whole);
        assert_eq!(verdict.build_error.is_none(), verdict.decision == Decision::Pass);
    }
}
