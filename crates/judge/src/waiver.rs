//! Waivers: signed approvals of a person that one named thing does not block for a limited time (design, "Lock").
//!
//! Waivers are applied last: an outcome is judged by its rules, weighed by policy, compared with the baseline,
//! and only what blocks then can be waived. The outcome stays the same, and the report says who waived it, why,
//! and until when: the decision is never that of the project alone.
//!
//! | a waiver of                    | excuses                                                                          |
//! |--------------------------------|----------------------------------------------------------------------------------|
//! | a step, by id or name          | its TEST_FAILURE, VALIDATION_FAILURE, EXECUTION_ERROR or TIMEOUT                 |
//! | a rule of a tool               | a VALIDATION_FAILURE of a step of that tool which would not block without the findings of that rule, by exact counts |
//! | a file                         | the drift of it, and the suppressions in it                                      |
//! | a weakening of a specification | that weakening                                                                   |
//!
//! | never excused                                               | because                                              |
//! |-------------------------------------------------------------|------------------------------------------------------|
//! | a specification error, an interrupted action, unusable facts | nothing was judged                                   |
//! | a prerequisite                                              | checks after it mean nothing without it              |
//! | a condition that is not met, a step that never ran          | it is not an outcome of an action                    |
//!
//! A waiver applies if the key that signed it is trusted to approve, and the run began at or after it was given
//! and before it ends. A waived step that did not do its work counts as one that never ran: a run of nothing
//! else is not a pass.

use referee_model::baseline::ActionBaseline;
use referee_model::outcome::{Judgement, Outcome, Rule};
use referee_model::plan::{Action, Phase, Plan, Role, ToolPolicy, Work};
use referee_model::record::RunRecord;
use referee_model::report::{ActionReport, Ran};
use referee_model::run_context::waiver::{Waiver, WaiverScope, WaiverStanding, WaiverState, WaiverTerms, WaiverUse};
use referee_model::time::Timestamp;
use referee_model::verdict::Verdict;

use crate::{classify, role};

/// Waivers of a run, checked at the time when it began.
#[derive(Debug, Clone, Copy)]
pub struct Waivers<'a> {
    found: &'a [Waiver],
    started: Timestamp,
}

impl<'a> Waivers<'a> {
    /// Creates the set from waivers and the start of the run.
    pub fn new(found: &'a [Waiver], started: Timestamp) -> Self {
        Self { found, started }
    }

    /// Returns the waivers of a run.
    pub fn of(run: &'a RunRecord) -> Self {
        Self::new(&run.run_context.waivers, run.started)
    }

    /// Returns the waivers that apply, with their terms.
    fn in_force(self) -> impl Iterator<Item = (&'a Waiver, &'a WaiverTerms)> {
        let with_terms = self.found.iter().filter_map(|waiver| Some((waiver, waiver.terms()?)));
        with_terms.filter(move |(_, terms)| terms.given <= self.started && self.started < terms.until)
    }

    /// Returns the waiver that excuses the drift of a protected file, by its path relative to the workspace.
    pub fn of_file(self, path: &str) -> Option<&'a Waiver> {
        self.naming(|scope| matches!(scope, WaiverScope::File { path: named } if named == path))
    }

    /// Returns the waiver that excuses a weakening, by its subject.
    pub fn of_weakening(self, subject: &str) -> Option<&'a Waiver> {
        self.naming(|scope| matches!(scope, WaiverScope::Weakening { subject: named } if named == subject))
    }

    fn naming(self, names: impl Fn(&WaiverScope) -> bool) -> Option<&'a Waiver> {
        self.in_force().find(|(_, terms)| names(&terms.scope)).map(|(waiver, _)| waiver)
    }

    /// Returns the state of each waiver before anything is judged: `Unused` is one that applies.
    pub fn standings(self) -> Vec<WaiverUse> {
        let standing = |waiver: &Waiver| WaiverUse {
            state: self.state(waiver, false),
            waiver: waiver.clone(),
            applied_to: Vec::new(),
        };
        self.found.iter().map(standing).collect()
    }

    /// Returns notices about waivers before anything is judged: those that do not apply, one sentence each.
    pub fn notices(self) -> Vec<String> {
        let standings = self.standings().into_iter();
        standings.filter(|used| used.state != WaiverState::Unused).map(|used| used.sentence()).collect()
    }

    fn state(self, waiver: &Waiver, is_applied: bool) -> WaiverState {
        match &waiver.standing {
            WaiverStanding::Refused { .. } => WaiverState::Refused,
            WaiverStanding::Signed { terms, .. } if self.started < terms.given => WaiverState::NotYet,
            WaiverStanding::Signed { terms, .. } if terms.until <= self.started => WaiverState::Expired,
            WaiverStanding::Signed { .. } if is_applied => WaiverState::Applied,
            WaiverStanding::Signed { .. } => WaiverState::Unused,
        }
    }

    /// Excuses the block of a judged action, if waivers cover all of it.
    pub fn lift(self, plan: &Plan, action: &Action, mut ran: Ran, known: Option<&ActionBaseline>) -> Ran {
        if !ran.judgement.blocking || !can_be_lifted(action, &ran.judgement) {
            return ran;
        }
        let by_step = self.in_force().find(|(_, terms)| names_action(&terms.scope, plan, action));
        let lifting = match by_step {
            Some((waiver, _)) => vec![waiver.id.clone()],
            None => self.of_rules(plan, action, &ran, known),
        };
        if !lifting.is_empty() {
            ran.judgement.blocking = false;
            ran.judgement.notes.push(format!("it does not block because of {}", lifting.join(", ")));
            ran.judgement.waived = lifting;
        }
        ran
    }

    /// Returns the waivers of rules without whose findings an action would not block; none if it would block
    /// all the same. The action is judged again as if policy ignored those rules, so exact counts, the exit
    /// code and the baseline are considered as in any judgement.
    fn of_rules(self, plan: &Plan, action: &Action, ran: &Ran, known: Option<&ActionBaseline>) -> Vec<String> {
        let judgement = &ran.judgement;
        let Some(tool) = judgement.tool.as_deref().filter(|_| is_weighed(judgement)) else { return Vec::new() };
        let of_tool: Vec<(&Waiver, &str)> = self
            .in_force()
            .filter_map(|(waiver, terms)| match &terms.scope {
                WaiverScope::Rule { tool: named, rule } if is_tool(named, tool) => Some((waiver, rule.as_str())),
                _ => None,
            })
            .filter(|(_, rule)| ran.reading.counts.by_rule.keys().any(|found| found.eq_ignore_ascii_case(rule)))
            .collect();
        if of_tool.is_empty() {
            return Vec::new();
        }
        let lenient = ignoring(plan, tool, of_tool.iter().map(|(_, rule)| (*rule).to_owned()));
        let again = classify::judge_against(&lenient, action, &ran.record, &ran.reading, known);
        let worked = matches!(again.outcome, Outcome::Success | Outcome::ValidationFailure);
        if again.blocking || !worked {
            return Vec::new();
        }
        of_tool.into_iter().map(|(waiver, _)| waiver.id.clone()).collect()
    }
}

/// Returns whether waivers of the run may have excused the block of an action: a judgement that merely claims
/// it does not count.
pub(crate) fn is_lifted(plan: &Plan, run: &RunRecord, action: &Action, judgement: &Judgement) -> bool {
    if judgement.waived.is_empty() || judgement.blocking || !can_be_lifted(action, judgement) {
        return false;
    }
    let names = |terms: &WaiverTerms| match &terms.scope {
        WaiverScope::Rule { tool, .. } => {
            is_weighed(judgement) && judgement.tool.as_deref().is_some_and(|ran| is_tool(tool, ran))
        }
        scope => names_action(scope, plan, action),
    };
    let holds = |id: &String| Waivers::of(run).in_force().any(|(waiver, terms)| waiver.id == *id && names(terms));
    judgement.waived.iter().all(holds)
}

/// Returns whether a step whose block was excused did not do its work: it counts as one that never ran.
pub(crate) fn is_undone(judgement: &Judgement) -> bool {
    // In a line, the commands after the tool that failed never ran.
    let is_undone = matches!(judgement.outcome, Outcome::ExecutionError | Outcome::Timeout)
        || judgement.rule == Rule::ToolOfLineFailed;
    !judgement.waived.is_empty() && is_undone
}

/// States in a verdict the effect of each waiver, so that a decision that depends on one says so.
pub fn apply(verdict: &mut Verdict, run: &RunRecord, actions: &[ActionReport]) {
    let waivers = Waivers::of(run);
    verdict.waivers = waivers
        .found
        .iter()
        .map(|waiver| {
            let is_in_force = waivers.state(waiver, true) == WaiverState::Applied;
            let applied_to = if is_in_force { applied_to(waiver, run, actions) } else { Vec::new() };
            WaiverUse { state: waivers.state(waiver, !applied_to.is_empty()), waiver: waiver.clone(), applied_to }
        })
        .collect();
    let applied = verdict.waivers.iter().filter(|used| used.state == WaiverState::Applied);
    verdict.reasons.extend(applied.map(WaiverUse::sentence));
}

/// Returns what does not block because of an applicable waiver.
fn applied_to(waiver: &Waiver, run: &RunRecord, actions: &[ActionReport]) -> Vec<String> {
    let lifted = actions.iter().filter_map(|report| Some((&report.action, report.ran()?)));
    let lifted = lifted.filter(|(_, ran)| ran.judgement.waived.contains(&waiver.id));
    let mut applied: Vec<String> = lifted.map(|(action, _)| format!("{} {}", action.id, action.name)).collect();
    let (Some(terms), Some(protection)) = (waiver.terms(), &run.run_context.protection) else { return applied };
    match &terms.scope {
        WaiverScope::File { path } => {
            let drift = protection.drift.iter().filter(|drift| drift.blocks && drift.path == *path);
            applied.extend(drift.map(|drift| match &drift.pointer {
                Some(pointer) => format!("drift of {path}#{pointer}"),
                None => format!("drift of {path}"),
            }));
            let added = protection.suppressions.iter().filter(|added| added.blocks && added.path == *path);
            applied.extend(added.map(|added| format!("{} in {path}:{}", added.kind.as_str(), added.line)));
        }
        WaiverScope::Weakening { subject } => {
            let weaker = protection.weakenings.iter().filter(|weaker| weaker.blocks && weaker.subject == *subject);
            applied.extend(weaker.map(|weaker| format!("{} of {subject}", weaker.kind.as_str())));
        }
        WaiverScope::Action { .. } | WaiverScope::Rule { .. } => {}
    }
    applied
}

/// Returns whether an outcome is one that a person may excuse.
fn can_be_lifted(action: &Action, judgement: &Judgement) -> bool {
    let is_judged = match judgement.outcome {
        Outcome::TestFailure | Outcome::ValidationFailure | Outcome::ExecutionError | Outcome::Timeout => true,
        Outcome::Success | Outcome::PrerequisiteFailure | Outcome::SpecificationError => false,
    };
    action.phase == Phase::Step && is_judged && !matches!(judgement.rule, Rule::Interrupted | Rule::FactsUnusable)
}

/// Returns whether an action blocks only because of findings that policy weighed.
fn is_weighed(judgement: &Judgement) -> bool {
    judgement.outcome == Outcome::ValidationFailure
        && matches!(judgement.rule, Rule::Findings | Rule::FindingsExitZero | Rule::FindingsNotForgiven)
}

fn names_action(scope: &WaiverScope, plan: &Plan, action: &Action) -> bool {
    match scope {
        WaiverScope::Action { task, action: named } => {
            task.as_deref().is_none_or(|task| task == plan.task.as_str())
                && (action.id.as_str() == named || action.name == *named)
        }
        WaiverScope::Rule { .. } | WaiverScope::File { .. } | WaiverScope::Weakening { .. } => false,
    }
}

/// Returns whether a waiver refers to the tool that ran, by its own name or by that of a program that is this tool.
fn is_tool(named: &str, tool: &str) -> bool {
    named == tool || role::canonical(named) == Some(tool)
}

/// Returns the plan with a policy that also ignores these rules of a tool.
fn ignoring(plan: &Plan, tool: &str, rules: impl Iterator<Item = String>) -> Plan {
    let tools = &plan.policies.tools;
    let of_alias = || tools.iter().find(|(name, _)| role::canonical(name) == Some(tool)).map(|(_, policy)| policy);
    let own: Option<&ToolPolicy> = tools.get(tool).or_else(of_alias);
    let mut policy = own.cloned().unwrap_or_default();
    policy.ignored_rules.extend(rules);
    let mut lenient = plan.clone();
    lenient.policies.tools.insert(tool.to_owned(), policy);
    lenient
}

/// Returns the tools of a plan whose findings are weighed, in plan order, each once: those whose rules can be waived.
pub fn tools(plan: &Plan) -> Vec<String> {
    let mut tools = Vec::new();
    for action in &plan.actions {
        let Work::Command(command) = &action.work else { continue };
        let told = role::tell(command);
        if matches!(told.role, Role::Typecheck | Role::Lint | Role::Format | Role::Compile)
            && let Some(tool) = told.tool
            && !tools.contains(&tool)
        {
            tools.push(tool);
        }
    }
    tools
}

/// Returns whether a plan runs a tool, by its own name or by that of a program that is this tool.
pub fn runs(plan: &Plan, named: &str) -> bool {
    tools(plan).iter().any(|tool| is_tool(named, tool))
}

#[cfg(test)]
mod tests;
