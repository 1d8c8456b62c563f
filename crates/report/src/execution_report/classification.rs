//! Outcome of one action, in the seed's words (seed 1, "Detailed Error Structures").

use referee_model::outcome::{Judgement, Outcome, PolicyApplied, Rule};
use referee_model::plan::service::PrerequisiteKind;
use referee_model::plan::{Action, Plan, Role, Work};
use referee_model::record::http::HttpEnding;
use referee_model::record::service::Readiness;
use referee_model::record::{Ending, Facts, InteractionEnding, Record};
use referee_model::report::Ran;
use referee_model::severity::Severity;
use serde::Serialize;

use referee_model::number::Count;

use super::baseline::StandingDocument;
use super::{error, specification, summary};

/// Outcome of an action, and the rule that decided it. Keys that do not apply to the outcome are left out; a
/// prerequisite failure also has the keys that apply to its cause.
#[document]
pub(super) struct Classification<'report> {
    /// Outcome of the action, the same as `status` of the action.
    category: Outcome,
    /// Outcome that underlies a prerequisite failure.
    cause: Option<Outcome>,
    /// Reason for the outcome, in one sentence.
    reason: &'report str,
    /// Identifier of the classification rule that decided.
    rule: &'static str,
    /// Role by which the command was judged.
    role: Option<Role>,
    /// Name of the tool that ran, where it is known.
    tool: Option<String>,
    /// True: the tool worked, whatever it found. Left out where it did not work or there is no tool.
    tool_succeeded: Option<bool>,
    /// True: the tool could not work. Left out for every other outcome.
    tool_failed: Option<bool>,
    /// Code of what kept the tool from working, the same as in `result.error`.
    error_type: Option<String>,
    /// Whether tests are known to have run, by their counts or by the runner's exit code.
    tests_ran: Option<bool>,
    /// Whether a success rests on the exit code alone.
    exit_code_only: Option<bool>,
    /// Whether the specification expects this failure.
    is_expected_failure: Option<bool>,
    /// Whether the failure is expected because the task is in its red phase.
    #[serde(rename = "isTDDRedPhase")]
    is_tdd_red_phase: Option<bool>,
    #[serde(flatten)]
    issues: Option<Findings>,
    /// Validation policy that was applied to the findings. Left out where none was applied.
    policy_applied: Option<&'report PolicyApplied>,
    /// How the action compares with the baseline, where the baseline excuses a part of the findings.
    baseline: Option<StandingDocument>,
    /// Ids of the waivers without which the action would block.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    waived_by: &'report [String],
    /// Timeout that was exceeded, in milliseconds.
    timeout_value: Option<Count>,
    /// Duration until the action was stopped, in milliseconds.
    actual_duration: Option<Count>,
    /// Kind of the failed prerequisite. Left out for every other outcome.
    prerequisite_type: Option<PrerequisiteType>,
    /// Whether the steps may run even so.
    can_continue: Option<bool>,
    /// Possible causes of the failure, for a person to check. Left out where none are known.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    possible_causes: &'report [String],
    /// What to do about a tool that did not work.
    recoverable_action: Option<String>,
    /// Problems of the specification.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    validation_errors: Vec<String>,
    /// Further remarks on the outcome.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'report [String],
}

/// Problems of the code, where a tool worked and found some.
#[document(open)]
struct Findings {
    /// Always true where present: the tool found problems.
    code_has_issues: bool,
    /// Kind of the findings, by the role of the command. Left out for other roles.
    issue_type: Option<IssueType>,
    /// Severity of the findings.
    severity: Severity,
    /// Whether a type checker or compiler reports errors; false for other tools. Left out where no command ran.
    blocks_compilation: Option<bool>,
    /// Name of the tool that found the issues. Left out where it is not known.
    validation_tool: Option<String>,
    /// Whether the tool can fix some of the findings.
    fixable: Option<bool>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum IssueType {
    TypeError,
    LintError,
    LintWarning,
    FormatError,
    CompileError,
}

/// Kinds of prerequisite: those of schema 2.0.0, and further ones for commands and requests.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum PrerequisiteType {
    DevServerRunning,
    DatabaseAvailable,
    ServiceHealthy,
    FileExists,
    CommandSucceeds,
    RequestSucceeds,
    InteractionSucceeds,
}

impl PrerequisiteType {
    fn of(kind: PrerequisiteKind) -> Self {
        match kind {
            PrerequisiteKind::DevServerRunning => Self::DevServerRunning,
            PrerequisiteKind::DatabaseAvailable => Self::DatabaseAvailable,
            PrerequisiteKind::ServiceHealthy => Self::ServiceHealthy,
            PrerequisiteKind::FileExists => Self::FileExists,
        }
    }
}

impl<'report> Classification<'report> {
    pub(super) fn new(plan: &Plan, action: &Action, ran: &'report Ran) -> Self {
        let judgement = &ran.judgement;
        let underneath = judgement.cause.unwrap_or(judgement.outcome);
        let is_test = judgement.role == Some(Role::Test);
        let prerequisite = judgement.outcome == Outcome::PrerequisiteFailure;
        let timeout = if underneath == Outcome::Timeout { limit(&ran.record) } else { None };
        let worked = match underneath {
            Outcome::Success | Outcome::TestFailure | Outcome::ValidationFailure => is_tool(action).then_some(true),
            _ => None,
        };
        let may_be_expected = underneath == Outcome::TestFailure || judgement.expected;
        let tool_failed = underneath == Outcome::ExecutionError;
        Self {
            category: judgement.outcome,
            cause: judgement.cause,
            reason: &judgement.reason,
            rule: judgement.rule.as_str(),
            role: judgement.role,
            tool: judgement.tool.clone(),
            tool_succeeded: worked,
            tool_failed: tool_failed.then_some(true),
            error_type: if tool_failed { error::of(&ran.record.facts).map(|error| error.code) } else { None },
            tests_ran: worked.and_then(|_| tests_ran(action, ran)),
            exit_code_only: (is_test && underneath == Outcome::Success).then_some(judgement.exit_code_only),
            is_expected_failure: may_be_expected.then_some(judgement.expected),
            is_tdd_red_phase: may_be_expected.then_some(judgement.expected && plan.red_phase),
            issues: (underneath == Outcome::ValidationFailure).then(|| Findings::new(ran)),
            policy_applied: judgement.policy.as_ref(),
            baseline: judgement.baseline.as_ref().map(|standing| StandingDocument::new(standing, &ran.reading)),
            waived_by: &judgement.waived,
            timeout_value: timeout.map(Count::from),
            actual_duration: timeout.map(|_| ran.record.span.duration_ms.into()),
            prerequisite_type: prerequisite.then(|| prerequisite_type(action)),
            can_continue: prerequisite.then_some(!judgement.blocking),
            possible_causes: &judgement.possible_causes,
            recoverable_action: recoverable_action(judgement, underneath),
            validation_errors: if underneath == Outcome::SpecificationError {
                specification::messages(plan, action, ran)
            } else {
                Vec::new()
            },
            notes: &judgement.notes,
        }
    }
}

/// Whether an action uses a tool that can fail to work: a program that is run, the HTTP client, or what asks a
/// database or drives a browser.
fn is_tool(action: &Action) -> bool {
    match &action.work {
        Work::Command(_) | Work::Http(_) | Work::Interaction(_) => true,
        Work::Service(service) => service.command.is_some(),
        Work::File(_) => false,
    }
}

/// Returns the timeout that was exceeded, in milliseconds.
fn limit(record: &Record) -> Option<u64> {
    match &record.facts {
        Facts::Command(facts) => match facts.ending {
            Ending::DeadlineExceeded { timeout_ms, .. } => Some(timeout_ms),
            _ => None,
        },
        Facts::Http(facts) => match facts.ending {
            HttpEnding::DeadlineExceeded { timeout_ms, .. } => Some(timeout_ms),
            _ => None,
        },
        Facts::Service(facts) => match facts.readiness {
            Readiness::DeadlineExceeded { timeout_ms, .. } => Some(timeout_ms),
            _ => None,
        },
        Facts::Interaction(facts) => match facts.ending {
            InteractionEnding::DeadlineExceeded { timeout_ms, .. } => Some(timeout_ms),
            _ => None,
        },
        Facts::File(_) | Facts::Glob(_) | Facts::NotExecuted => None,
    }
}

/// Returns the kind of prerequisite that an action is: as the workflow says, else told from its work.
fn prerequisite_type(action: &Action) -> PrerequisiteType {
    if let Some(kind) = action.prerequisite {
        return PrerequisiteType::of(kind);
    }
    match &action.work {
        Work::Service(service) => PrerequisiteType::of(service.kind),
        Work::File(_) => PrerequisiteType::FileExists,
        Work::Command(_) => PrerequisiteType::CommandSucceeds,
        Work::Http(_) => PrerequisiteType::RequestSucceeds,
        Work::Interaction(_) => PrerequisiteType::InteractionSucceeds,
    }
}

/// Whether tests ran, as far as the runner counts them or its exit code for failed tests shows. An assertion on an
/// HTTP answer and an interaction count as a test.
fn tests_ran(action: &Action, ran: &Ran) -> Option<bool> {
    if matches!(action.work, Work::Http(_) | Work::Interaction(_)) {
        return Some(true);
    }
    if ran.judgement.role != Some(Role::Test) {
        return None;
    }
    match summary::counted_tests(ran) {
        Some(tests) => Some(tests.counts.passed > 0 || tests.counts.failed > 0),
        None => (ran.judgement.rule == Rule::TestsFailedByExitCode).then_some(true),
    }
}

fn recoverable_action(judgement: &Judgement, underneath: Outcome) -> Option<String> {
    let about_a_tool = underneath == Outcome::ExecutionError && !judgement.advice.is_empty();
    about_a_tool.then(|| judgement.advice.clone())
}

impl Findings {
    fn new(ran: &Ran) -> Self {
        let judgement = &ran.judgement;
        // Findings of the baseline are excused by policy, but they are still errors.
        let policy = judgement.policy.as_ref().filter(|_| judgement.rule != Rule::FindingsKnown);
        let errors = policy.map_or(ran.reading.counts.errors, |policy| policy.effective_errors);
        Self {
            code_has_issues: true,
            issue_type: match judgement.role {
                Some(Role::Typecheck) => Some(IssueType::TypeError),
                Some(Role::Lint) if errors > 0 => Some(IssueType::LintError),
                Some(Role::Lint) => Some(IssueType::LintWarning),
                Some(Role::Format) => Some(IssueType::FormatError),
                Some(Role::Compile) => Some(IssueType::CompileError),
                Some(Role::Test | Role::Other) | None => None,
            },
            severity: judgement.severity,
            blocks_compilation: judgement
                .role
                .map(|role| matches!(role, Role::Typecheck | Role::Compile) && errors > 0),
            validation_tool: judgement.tool.clone(),
            fixable: judgement.role.map(|_| ran.reading.counts.fixable > 0),
        }
    }
}
