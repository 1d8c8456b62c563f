//! The specification of a run, and the result of the run in numbers.

use std::collections::BTreeMap;

use referee_model::id::{Digest, TaskId};
use referee_model::outcome::{AgentAction, Outcome};
use referee_model::plan::{Form, Phase, Plan};
use referee_model::reading::{TestCounts, TestResults};
use referee_model::report::{ActionReport, Ran, Report};
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Next, OverallStatus};

use referee_model::exit_code;
use referee_model::number::{Count, Percent};

use super::scope::Scope;
use super::specification::{self, ProblemDocument};

/// Version of the full form of specifications, as written there.
const SCHEMA_VERSION: &str = "2.0.0";

/// The specification of the run, and the plan made from it.
#[document(nulls)]
pub(super) struct TestSpecification {
    /// Path of the specification file, relative to the workspace where it lies inside it.
    file: String,
    /// Form in which the specification is written.
    form: Form,
    /// Version of the specification's schema. Null: the short form has none of its own.
    schema_version: Option<&'static str>,
    /// Id of the task that the specification describes.
    task_id: TaskId,
    /// Title of the task in the specification.
    task_title: String,
    /// Id of the sprint. Null: the specification names none.
    sprint_id: Option<String>,
    /// Rationale of the policies. Null: the specification gives none.
    validation_policy_rationale: Option<String>,
    /// Whether the task's tests are expected to fail.
    red_phase: bool,
    /// Problems that keep the task from running.
    problems: Vec<ProblemDocument>,
    /// SHA-256 of the file's bytes.
    specification_digest: Digest,
    /// Digest of the plan's canonical document.
    plan_digest: Digest,
}

/// Result of the run in numbers and words.
#[document(nulls)]
pub(super) struct Summary {
    /// Overall status of the run.
    overall_status: OverallStatus,
    /// Decision on the run, the only value that decides whether the work may be called done.
    decision: Decision,
    /// Reasons for the decision, most severe first.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    reasons: Vec<String>,
    /// Who acts next.
    next: Next,
    /// Action that the agent is asked to take next for the task as a whole.
    agent_action: AgentAction,
    /// Exit code that Referee ends with for this run; 0 for a pass.
    exit_code: u8,
    /// Part of the task that the run set out to do.
    scope: Scope,
    /// When the run began, in UTC.
    start_time: Timestamp,
    /// When the run was over, in UTC.
    end_time: Timestamp,
    /// Milliseconds from `startTime` to `endTime`.
    total_duration: Count,
    /// Number of actions by phase, and how many of them ran.
    action_counts: ActionCounts,
    /// Number of executed actions by outcome; all seven outcomes are listed.
    action_results: BTreeMap<Outcome, Count>,
    /// Tests of the run. Null: no test step has a known number of tests.
    test_results: Option<TestSummary>,
}

/// Number of actions: `total = executed + skipped = prerequisites + steps + cleanup`.
#[document]
struct ActionCounts {
    /// Number of all actions in the plan.
    total: Count,
    /// Number of actions that ran and have an outcome.
    executed: Count,
    /// Number of actions without an outcome: those that `skippedActions` lists.
    skipped: Count,
    /// Number of prerequisites in the plan.
    prerequisites: Count,
    /// Number of steps in the plan.
    steps: Count,
    /// Number of cleanup actions in the plan.
    cleanup: Count,
}

/// Tests of all steps whose runner prints a summary.
#[document(nulls)]
struct TestSummary {
    /// Number of tests that passed, also where the pass was not expected.
    passed: Count,
    /// Number of tests that failed, errors included.
    failed: Count,
    /// Number of tests that were skipped, pending, to do, ignored or expected to fail.
    skipped: Count,
    /// Number of all tests of these steps.
    total: Count,
    /// Passed tests in percent of those that ran. Null: none ran.
    pass_rate: Option<Percent>,
}

impl TestSpecification {
    pub(super) fn new(plan: &Plan, plan_digest: Digest) -> Self {
        Self {
            file: plan.specification.file.clone(),
            form: plan.specification.form,
            schema_version: match plan.specification.form {
                Form::Short => None,
                Form::Full => Some(SCHEMA_VERSION),
            },
            task_id: plan.task.clone(),
            task_title: plan.title.clone(),
            sprint_id: plan.sprint.clone(),
            validation_policy_rationale: plan.policies.rationale.clone(),
            red_phase: plan.red_phase,
            problems: specification::problems(plan),
            specification_digest: plan.specification.digest,
            plan_digest,
        }
    }
}

impl Summary {
    pub(super) fn new(report: &Report) -> Self {
        let verdict = &report.verdict;
        Self {
            overall_status: verdict.overall,
            decision: verdict.decision,
            reasons: verdict.reasons.clone(),
            next: verdict.next,
            agent_action: verdict.agent_action,
            exit_code: exit_code::of(verdict.exit),
            scope: Scope::new(report),
            start_time: report.run.started,
            end_time: report.run.ended,
            total_duration: report.run.ended.milliseconds_since(report.run.started).into(),
            action_counts: ActionCounts::new(&report.actions),
            action_results: Outcome::ALL.into_iter().map(|outcome| (outcome, count(report, outcome))).collect(),
            test_results: TestSummary::new(report),
        }
    }
}

fn count(report: &Report, outcome: Outcome) -> Count {
    Count::of(
        report.actions.iter().filter_map(ActionReport::ran).filter(|ran| ran.judgement.outcome == outcome).count(),
    )
}

impl ActionCounts {
    fn new(actions: &[ActionReport]) -> Self {
        let executed = actions.iter().filter(|report| report.ran().is_some()).count();
        let of = |phase| Count::of(actions.iter().filter(|report| report.action.phase == phase).count());
        Self {
            total: Count::of(actions.len()),
            executed: Count::of(executed),
            skipped: Count::of(actions.len() - executed),
            prerequisites: of(Phase::Prerequisite),
            steps: of(Phase::Step),
            cleanup: of(Phase::Cleanup),
        }
    }
}

impl TestSummary {
    fn new(report: &Report) -> Option<Self> {
        let steps = report.actions.iter().filter(|report| report.action.phase == Phase::Step);
        let counts = steps.filter_map(ActionReport::ran).filter_map(counted_tests).map(|tests| tests.counts).reduce(
            |sum, counts| TestCounts {
                passed: sum.passed.saturating_add(counts.passed),
                failed: sum.failed.saturating_add(counts.failed),
                skipped: sum.skipped.saturating_add(counts.skipped),
                total: sum.total.saturating_add(counts.total),
            },
        )?;
        Some(Self {
            passed: counts.passed.into(),
            failed: counts.failed.into(),
            skipped: counts.skipped.into(),
            total: counts.total.into(),
            pass_rate: Percent::of(counts.passed, counts.passed.saturating_add(counts.failed)),
        })
    }
}

/// Returns the tests of an action whose number is known, as the judgement states (ruling 9).
pub(super) fn counted_tests(ran: &Ran) -> Option<&TestResults> {
    ran.judgement.counted_tests.and(ran.reading.tests.as_ref())
}

/// Whether every prerequisite ran and was met.
pub(super) fn all_met(report: &Report) -> bool {
    let mut prerequisites = report.actions.iter().filter(|report| report.action.phase == Phase::Prerequisite);
    prerequisites.all(|report| report.ran().is_some_and(|ran| ran.judgement.outcome == Outcome::Success))
}
