//! Reads conditions for a complete task, conditions over its actions, and the debt policy.

use crate::form::full as keys;
use referee_model::condition::Condition;
use referee_model::plan::{
    Action, Completion, Criteria, DebtPolicy, DebtRouting, EvidenceKind, ExpectedOutput, Phase, Work,
};
use referee_model::severity::Severity;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Member, Node};

use super::Reader;
use crate::collectable::{could_give, gives, uncollectable};
use crate::complaint::{Code, Finding};
use crate::conditions::{self, Named, Written};
use crate::http::vacuous;
use crate::task::Check;
use crate::variables::Variables;
use crate::word;

impl Reader<'_> {
    /// Reads the conditions of a task.
    pub(super) fn criteria(&mut self, written: Member<'_>, checks: &[Check], variables: &Variables<'_>) -> Criteria {
        let Some(entry) = written.entry() else { return Criteria::default() };
        let written = keys::ValidationCriteria::of(&entry.value);
        let named = Named::of(checks);
        self.weigh_absence(entry, written.success_conditions);
        let mut read = |list: Member<'_>| {
            let conditions = list.elements().iter().filter_map(|node| self.condition(node, &named, variables));
            conditions.collect::<Vec<_>>()
        };
        let (success, failure) = (read(written.success_conditions), read(written.failure_conditions));
        let expected_output = written.expected_output.node();
        let expected_output = expected_output.and_then(|node| self.expected_output(node, checks, variables));
        Criteria { success, failure, expected_output }
    }

    /// Complains if a task has no condition for passing. The prototype did not require one.
    fn weigh_absence(&mut self, criteria: &Entry, conditions: Member<'_>) {
        if self.is_short() || !conditions.elements().is_empty() {
            return;
        }
        let place = conditions.entry().unwrap_or(criteria).key_span;
        let message = "no `successConditions` say when this task has passed";
        let help = "add at least one, such as `STEP.1.exitCode === 0`";
        let finding = if self.root.execution_engine.is_given() { Finding::error } else { Finding::warning };
        self.findings.push(finding(Code::NoCondition, place, message.to_owned()).help(help));
    }

    /// Reads a condition. In the short form no variables are filled in.
    fn condition(&mut self, node: &Node, checks: &Named<'_>, variables: &Variables<'_>) -> Option<Condition> {
        let written = keys::Condition::of(node);
        let (node, text) = written.condition.text_node()?;
        let text = if self.is_short() {
            text.to_owned()
        } else {
            self.filler.fill(text, node.span, variables, self.findings).filter(|filled| filled.complete)?.text
        };
        let description = written.description.text().unwrap_or_default();
        conditions::read(&Written { text: &text, span: node.span, description }, checks, self.findings)
    }

    fn expected_output(&mut self, node: &Node, checks: &[Check], variables: &Variables<'_>) -> Option<ExpectedOutput> {
        let filled = self.filler.node(node, variables, self.findings)?;
        let filled = keys::ExpectedOutput::of(&filled);
        for text in filled.stdout_contains.elements().iter().filter(|text| text.text() == Some("")) {
            vacuous(text.span, "every output contains the empty text", self.findings);
        }
        let expected = ExpectedOutput {
            stdout_contains: filled.stdout_contains.texts().collect(),
            // Without an explicit requirement, standard error may be empty or not.
            stderr_empty: filled.stderr_empty.boolean().filter(|empty| *empty),
            exit_code: filled.exit_code.integer().and_then(|code| i32::try_from(code).ok()),
        };
        if expected == ExpectedOutput::default() {
            return None;
        }
        let prints = |check: &Check| check.action.as_ref().is_none_or(|action| is_command(&action.work));
        if !checks.iter().any(|check| check.phase == Phase::Step && prints(check)) {
            let message = "no step runs a command, so there is no output that could be expected";
            self.findings.push(Finding::error(Code::Vacuous, node.span, message));
        }
        self.weigh_kept(filled, &expected, checks);
        Some(expected)
    }

    /// Complains about output that is expected of the last step that runs a command, but that it does not keep.
    fn weigh_kept(&mut self, written: keys::ExpectedOutput<'_>, expected: &ExpectedOutput, checks: &[Check]) {
        let steps = checks.iter().rev().filter(|check| check.phase == Phase::Step);
        let mut commands = steps.filter_map(|check| check.action.as_ref().filter(|action| is_command(&action.work)));
        let Some(last) = commands.next() else { return };
        let output = !expected.stdout_contains.is_empty() && !last.evidence.stdout;
        let errors = expected.stderr_empty.is_some() && !last.evidence.stderr;
        let asked =
            [(written.stdout_contains, output, "standard output"), (written.stderr_empty, errors, "standard error")];
        for (member, is_missed, what) in asked {
            if let Some(entry) = member.entry().filter(|_| is_missed) {
                let message =
                    format!("{} does not keep its {what}, so that `{}` can never be determined", last.id, entry.key);
                let help = "let its `evidenceCapture` keep it";
                self.findings.push(Finding::error(Code::NotKept, entry.key_span, message).help(help));
            }
        }
    }

    /// Reads the conditions for a complete task.
    pub(super) fn completion(&mut self, node: Option<&Node>, checks: &[Check]) -> Completion {
        let written = keys::Completion::of(node);
        let mut required = Vec::new();
        let prints = |action: &Action| gives(action, EvidenceKind::TerminalOutput);
        if self.is_short()
            && !written.required_evidence.is_given()
            && checks.iter().filter_map(|check| check.action.as_ref()).any(prints)
        {
            required.push(EvidenceKind::TerminalOutput);
        }
        for element in written.required_evidence.elements() {
            let Some(kind) = element.text().and_then(EvidenceKind::parse) else { continue };
            self.weigh_collectable(kind, element, checks);
            required.push(kind);
        }
        required.sort_unstable();
        required.dedup();
        Completion {
            all_steps_must_pass: written.all_steps_must_pass.boolean().unwrap_or(true),
            minimum_pass_rate: written.minimum_pass_rate.node().and_then(Node::number).unwrap_or(100.0),
            required_evidence: required,
            task_status_lock: written.task_status_lock.boolean().unwrap_or(true),
        }
    }

    /// Complains about a kind of evidence that no action can produce (ruling 18).
    fn weigh_collectable(&mut self, kind: EvidenceKind, node: &Node, checks: &[Check]) {
        if kind == EvidenceKind::Screenshots && !self.is_short() {
            let takes = |check: &Check| check.action.as_ref().is_none_or(|action| could_give(action, kind));
            if !checks.iter().any(takes) {
                self.no_screenshots(node.span);
            }
            return;
        }
        let word = node.text().unwrap_or_default();
        // In the full form, evidence that `evidenceCapture` turns off is only reported as missing by the run.
        let can_give = if self.is_short() { gives } else { could_give };
        self.findings.extend(uncollectable(kind, word, node.span, checks, can_give));
    }

    fn no_screenshots(&mut self, span: Span) {
        let message = "`screenshots` can never be collected: no browser action takes a screenshot";
        let finding = Finding::warning(Code::UncollectableEvidence, span, message);
        self.filler.problem("uncollectable", finding.help(NO_SCREENSHOT), self.findings);
    }
}

const NO_SCREENSHOT: &str = "add an action with `browser_screenshot`, or leave it out";

fn is_command(work: &Work) -> bool {
    matches!(work, Work::Command(_))
}

/// Reads how debt is recorded and routed (ruling 20).
pub(super) fn debt(node: &Node) -> DebtPolicy {
    let default = DebtPolicy::default();
    let written = keys::DebtConfiguration::of(node);
    let capacity = keys::Capacity::of(written.capacity_thresholds.node());
    let threshold = |member: Member<'_>| u32::try_from(member.integer()?).ok();
    let mut severities: Vec<Severity> = match written.severity_levels.node() {
        Some(list) => list.elements().iter().filter_map(Node::text).filter_map(word::severity).collect(),
        None => default.severities.clone(),
    };
    severities.sort_unstable_by(|one, other| other.cmp(one));
    severities.dedup();
    let items = threshold(capacity.sprint_tasks_max_items).unwrap_or(default.sprint_items_max);
    DebtPolicy {
        enabled: written.enabled.boolean().unwrap_or(default.enabled),
        routing: match written.routing_strategy.text() {
            Some("SEVERITY_BASED") => DebtRouting::SeverityBased,
            Some("MANUAL") => DebtRouting::Manual,
            _ => DebtRouting::CapacityBased,
        },
        sprint_items_max: items,
        sprint_critical_max: threshold(capacity.sprint_tasks_max_critical)
            .unwrap_or(default.sprint_critical_max.min(items)),
        severities,
    }
}
