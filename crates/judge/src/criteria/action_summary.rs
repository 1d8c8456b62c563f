//! Summary of the actions of a task: blocking, skipped and inconsistent ones.

use std::collections::BTreeMap;

use referee_model::baseline::{BaselineStanding, Tally};
use referee_model::id::ActionId;
use referee_model::outcome::{Judgement, Outcome, Rule};
use referee_model::plan::{Action, Command, Invocation, Phase, Plan, Role, SpecificationProblem, Work};
use referee_model::record::{Ending, RunEnding, RunRecord, ServiceRecord, SkipReason};
use referee_model::report::{ActionHistory, ActionReport, Ran};

use super::{contradiction, inputs};
use crate::waiver;

/// Summary of the actions of a task.
#[derive(Debug)]
pub(super) struct ActionSummary<'a> {
    /// Blocking prerequisites and steps, in plan order.
    pub(super) blocking: Vec<Blocker<'a>>,
    /// Prerequisites and steps that were wrongly skipped, in plan order.
    pub(super) skipped: Vec<(&'a Action, &'a SkipReason)>,
    /// Prerequisites and steps that a reduced run left out, in plan order: they do not count (ruling 17).
    pub(super) left_out: Vec<&'a Action>,
    pub(super) steps_executed: u64,
    /// Number of steps that ran and succeeded.
    pub(super) steps_succeeded: u64,
    /// Whether every action that ran succeeded, including cleanup.
    pub(super) all_succeeded: bool,
    /// Whether actions ran and all of them have a specification error.
    pub(super) only_specification_errors: bool,
    /// Problems that prevent the task from running: those of the plan, without those of actions that were left out.
    pub(super) problems: Vec<&'a SpecificationProblem>,
    /// Services that ended while checks still ran, one sentence each; such a prerequisite is no longer met.
    pub(super) lost_services: Vec<String>,
    /// Checks that are void because inputs changed, one sentence each.
    pub(super) voided: Vec<String>,
    /// Inconsistencies, one sentence each; a correct engine causes none.
    pub(super) faults: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Blocker<'a> {
    pub(super) action: &'a Action,
    pub(super) ran: &'a Ran,
}

impl Blocker<'_> {
    /// Returns the outcome for the task: a blocking prerequisite is a prerequisite failure (ruling 8), unless
    /// it is a specification error.
    pub(super) fn outcome(&self) -> Outcome {
        match (self.action.phase, self.ran.judgement.outcome) {
            (_, Outcome::SpecificationError) => Outcome::SpecificationError,
            (Phase::Prerequisite, _) => Outcome::PrerequisiteFailure,
            (_, outcome) => outcome,
        }
    }

    /// Returns the rank of the outcome; the most severe has the lowest. Outcomes that prevent others from being
    /// judged come first.
    pub(super) fn rank(&self) -> u8 {
        match (self.outcome(), self.ran.judgement.role) {
            (Outcome::SpecificationError, _) => 0,
            (Outcome::PrerequisiteFailure, _) => 1,
            (Outcome::ExecutionError, _) => 2,
            (Outcome::Timeout, _) => 3,
            (Outcome::TestFailure, _) => 4,
            (Outcome::ValidationFailure, Some(Role::Typecheck | Role::Compile)) => 5,
            (Outcome::ValidationFailure, None | Some(Role::Test | Role::Other)) => 6,
            (Outcome::ValidationFailure, Some(Role::Lint)) => 7,
            (Outcome::ValidationFailure, Some(Role::Format)) | (Outcome::Success, _) => 8,
        }
    }
}

/// Returns a sentence if a service ended by itself before a step began, which then ran without it. A background
/// command without readiness check, or one that only starts another process, is finished when it ends
/// successfully; and a step may end a service that no later step needs.
fn lost(plan: &Plan, service: &ServiceRecord, actions: &[ActionReport]) -> Option<String> {
    let action = plan.action(&service.action)?;
    let is_awaited = match &action.work {
        Work::Service(planned) => !planned.external && (!planned.ready.is_empty() || planned.port.is_some()),
        // A container that is left running has no sign of readiness.
        Work::Command(Command { invocation: Invocation::Container(container), .. }) => !container.detached,
        _ => true,
    };
    if !service.ended_early() {
        return None;
    }
    let steps = actions.iter().filter(|report| report.action.phase == Phase::Step).filter_map(ActionReport::ran);
    if !steps.into_iter().any(|ran| ran.record.span.started > service.span.ended) {
        return None;
    }
    let how = match &service.ending {
        Ending::Interrupted { .. } => return None,
        Ending::Exited { code: 0 } if !is_awaited => return None,
        Ending::Exited { code } => format!("with exit code {code}"),
        Ending::Signaled { signal } => format!("by {}", referee_model::signal::shown(*signal)),
        Ending::OutputLimitExceeded { limit_bytes } => format!("because it printed more than {limit_bytes} bytes"),
        Ending::ProcessLimitExceeded { limit } => format!("because it ran more than {limit} processes at once"),
        Ending::MemoryLimitExceeded { limit_bytes } => {
            format!("because it took more than {limit_bytes} bytes of memory")
        }
        Ending::DeadlineExceeded { .. } => "at its deadline".to_owned(),
        Ending::CouldNotStart { message, .. } => format!("before it began: {message}"),
    };
    let (id, name) = (&action.id, &action.name);
    Some(format!("the service {id} {name} ended {how} while checks still ran: what ran afterwards may not have met it"))
}

/// Returns whether a problem prevents the run; one of an action that is left out does not.
fn stands(problem: &SpecificationProblem, run: &RunRecord) -> bool {
    let skipped = problem.action.as_ref().and_then(|action| run.skipped.get(action));
    !matches!(skipped, Some(SkipReason::LeftOut(_)))
}

impl<'a> ActionSummary<'a> {
    /// Checks the reports of the actions against the plan. An action without a report, or with more than one,
    /// is a fault.
    pub(super) fn of(plan: &'a Plan, run: &RunRecord, actions: &'a [ActionReport]) -> Self {
        let mut standing = Self {
            blocking: Vec::new(),
            skipped: Vec::new(),
            left_out: Vec::new(),
            steps_executed: 0,
            steps_succeeded: 0,
            all_succeeded: true,
            only_specification_errors: false,
            lost_services: run.services.iter().filter_map(|service| lost(plan, service, actions)).collect(),
            problems: plan.problems.iter().filter(|problem| stands(problem, run)).collect(),
            voided: inputs::voided(run, actions),
            faults: inputs::faults(run),
        };
        let mut reports: BTreeMap<&ActionId, &ActionReport> = BTreeMap::new();
        for report in actions {
            let id = &report.action.id;
            if reports.insert(id, report).is_some() {
                standing.faults.push(format!("{id} is reported twice"));
            }
            if plan.action(id).is_none() {
                standing.faults.push(format!("{id} is reported, and is not an action of the plan"));
            }
        }
        for action in &plan.actions {
            match reports.get(&action.id) {
                Some(report) => standing.add(plan, action, report, run),
                None => standing.faults.push(format!("{} was neither run nor skipped", action.id)),
            }
        }
        let mut outcomes = actions.iter().filter_map(ActionReport::ran).map(|ran| ran.judgement.outcome).peekable();
        standing.only_specification_errors =
            outcomes.peek().is_some() && outcomes.all(|outcome| outcome == Outcome::SpecificationError);
        standing
    }

    fn add(&mut self, plan: &Plan, action: &'a Action, report: &'a ActionReport, run: &RunRecord) {
        match &report.history {
            ActionHistory::Ran(ran) => self.add_ran(plan, action, ran, run),
            ActionHistory::Skipped(SkipReason::LeftOut(_)) if !run.scope.reduced => {
                self.faults.push(format!("{} was left out of a run that is said to be whole", action.id));
            }
            ActionHistory::Skipped(_) if action.phase == Phase::Cleanup => {}
            ActionHistory::Skipped(SkipReason::LeftOut(_)) => self.left_out.push(action),
            ActionHistory::Skipped(reason) => {
                if run.ending == RunEnding::Finished
                    && matches!(reason, SkipReason::Interrupted | SkipReason::EngineFailed)
                {
                    self.faults
                        .push(format!("{} was skipped by the end of a run that is said to have finished", action.id));
                }
                self.skipped.push((action, reason));
            }
        }
    }

    fn add_ran(&mut self, plan: &Plan, action: &'a Action, ran: &'a Ran, run: &RunRecord) {
        let judgement = &ran.judgement;
        if judgement.action != action.id || ran.record.action != action.id {
            self.faults.push(format!("{} has the judgement or the record of another action", action.id));
        }
        self.faults.extend(contradiction::of(action, ran, run));
        let succeeded = judgement.outcome == Outcome::Success;
        self.all_succeeded &= succeeded;
        let is_lifted = waiver::is_lifted(plan, run, action, judgement);
        // A step that did not do its work does not count as one that ran, even if a waiver excuses it.
        if action.phase == Phase::Step && !(is_lifted && waiver::is_undone(judgement)) {
            self.steps_executed += 1;
            self.steps_succeeded += u64::from(succeeded);
        }
        if action.phase != Phase::Cleanup && !is_lifted && stands_against_a_pass(ran) {
            self.blocking.push(Blocker { action, ran });
        }
    }

    /// Returns whether the specification is free of errors, and nothing that the gate depends on drifted.
    pub(super) fn is_well_specified(&self) -> bool {
        let is_wrong = |(_, reason): &(&Action, &SkipReason)| {
            matches!(reason, SkipReason::SpecificationError | SkipReason::ProtectedFilesDrifted)
        };
        self.problems.is_empty()
            && !self.skipped.iter().any(is_wrong)
            && !self.blocking.iter().any(|blocker| blocker.outcome() == Outcome::SpecificationError)
    }

    pub(super) fn prerequisites_blocking(&self) -> u64 {
        self.blocking.iter().filter(|blocker| blocker.action.phase == Phase::Prerequisite).count() as u64
    }

    pub(super) fn steps_blocking(&self) -> u64 {
        self.blocking.iter().filter(|blocker| blocker.action.phase == Phase::Step).count() as u64
    }

    /// Returns whether a reduced run left an action out.
    pub(super) fn is_left_out(&self, id: &ActionId) -> bool {
        self.left_out.iter().any(|action| &action.id == id)
    }

    /// Returns whether another task must pass before this one can be judged.
    pub(super) fn awaits_another_task(&self) -> bool {
        self.skipped.iter().any(|(_, reason)| matches!(reason, SkipReason::DependencyNotPassed(_)))
    }

    /// Returns whether changed inputs are the only reason against a pass.
    pub(super) fn is_only_voided(&self) -> bool {
        !self.voided.is_empty()
            && self.problems.is_empty()
            && self.faults.is_empty()
            && self.blocking.is_empty()
            && self.skipped.is_empty()
    }

    /// Returns the blocking actions, most severe first, in plan order among equals.
    pub(super) fn most_severe_first(&self) -> Vec<Blocker<'a>> {
        let mut blockers = self.blocking.clone();
        blockers.sort_by_key(Blocker::rank);
        blockers
    }
}

/// Returns whether an outcome blocks: by its judgement, and always if the work was not done at all, since no
/// policy may let that pass. An explicitly expected outcome does not block (ruling 12); a specification error
/// is never expected. Any other failure blocks unless a policy allows it, or all of it is in the baseline.
fn stands_against_a_pass(ran: &Ran) -> bool {
    let judgement = &ran.judgement;
    let not_done = match judgement.outcome {
        Outcome::SpecificationError => true,
        Outcome::ExecutionError | Outcome::Timeout | Outcome::PrerequisiteFailure => !judgement.expected,
        Outcome::TestFailure | Outcome::ValidationFailure => {
            let by_policy = judgement.policy.as_ref().is_some_and(|policy| !policy.blocking);
            !judgement.expected && !by_policy && !stood_before(judgement)
        }
        Outcome::Success => false,
    };
    judgement.blocking || not_done
}

/// Returns whether all failures are in the baseline.
fn stood_before(judgement: &Judgement) -> bool {
    let nothing_new = |standing: &BaselineStanding| standing.new == Tally::default();
    matches!(judgement.rule, Rule::FindingsKnown | Rule::TestsFailedKnown)
        && judgement.baseline.as_ref().is_some_and(nothing_new)
}
