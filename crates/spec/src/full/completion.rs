//! When a task counts as complete, the conditions over its actions, and what becomes of its debt.

use referee_model::condition::Condition;
use referee_model::plan::{
    Action, ActionType, Completion, Criteria, DebtPolicy, DebtRouting, EvidenceKind, ExpectedOutput, Phase, Work,
};
use referee_model::severity::Severity;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Node};

use super::{Reader, settings};
use crate::collectable::{could_give, gives, uncollectable};
use crate::complaint::{Code, Finding};
use crate::conditions::{self, Named, Written};
use crate::http::vacuous;
use crate::task::Check;
use crate::variables::Variables;
use crate::word;

impl Reader<'_> {
    /// Reads the conditions of a task.
    pub(super) fn criteria(&mut self, task: &Node, checks: &[Check], variables: &Variables<'_>) -> Criteria {
        let Some(entry) = task.entry("validationCriteria") else { return Criteria::default() };
        let node = &entry.value;
        let named = Named::of(checks);
        self.weigh_absence(entry);
        let mut read = |key: &str| {
            let list = node.get(key).map(Node::elements).unwrap_or_default();
            list.iter().filter_map(|node| self.condition(node, &named, variables)).collect::<Vec<_>>()
        };
        let (success, failure) = (read("successConditions"), read("failureConditions"));
        let expected_output = node.get("expectedOutput").and_then(|node| self.expected_output(node, checks, variables));
        Criteria { success, failure, expected_output }
    }

    /// Complains where nothing says when a task has passed. The prototype took that for granted.
    fn weigh_absence(&mut self, criteria: &Entry) {
        if self.is_short() {
            return;
        }
        let conditions = criteria.value.entry("successConditions");
        if conditions.is_some_and(|entry| !entry.value.elements().is_empty()) {
            return;
        }
        let place = conditions.map_or(criteria.key_span, |entry| entry.key_span);
        let message = "no `successConditions` say when this task has passed";
        let help = "add at least one, such as `STEP.1.exitCode === 0`";
        let finding = if self.root.entry("executionEngine").is_some() { Finding::error } else { Finding::warning };
        self.findings.push(finding(Code::NoCondition, place, message.to_owned()).help(help));
    }

    /// Reads a condition. In the short form nothing is filled in.
    fn condition(&mut self, node: &Node, checks: &Named<'_>, variables: &Variables<'_>) -> Option<Condition> {
        let (span, text) = node.get("condition").and_then(|node| Some((node.span, node.text()?)))?;
        let text = if self.is_short() {
            text.to_owned()
        } else {
            self.filler.fill(text, span, variables, self.findings).filter(|filled| filled.complete)?.text
        };
        let description = node.get("description").and_then(Node::text).unwrap_or_default();
        conditions::read(&Written { text: &text, span, description }, checks, self.findings)
    }

    fn expected_output(&mut self, node: &Node, checks: &[Check], variables: &Variables<'_>) -> Option<ExpectedOutput> {
        let filled = self.filler.node(node, variables, self.findings)?;
        let texts = filled.get("stdoutContains").map(Node::elements).unwrap_or_default();
        for text in texts.iter().filter(|text| text.text() == Some("")) {
            vacuous(text.span, "every output contains the empty text", self.findings);
        }
        let expected = ExpectedOutput {
            stdout_contains: filled.get("stdoutContains").map(settings::texts).unwrap_or_default(),
            // What is not asked to be empty may be either.
            stderr_empty: filled.get("stderrEmpty").and_then(Node::boolean).filter(|empty| *empty),
            exit_code: filled.get("exitCode").and_then(Node::integer).and_then(|code| i32::try_from(code).ok()),
        };
        if expected == ExpectedOutput::default() {
            return None;
        }
        let prints = |check: &Check| check.action.as_ref().is_none_or(|action| is_command(&action.work));
        if !checks.iter().any(|check| check.phase == Phase::Step && prints(check)) {
            let message = "no step runs a command, so there is no output that could be expected";
            self.findings.push(Finding::error(Code::Vacuous, node.span, message));
        }
        self.weigh_kept(node, &expected, checks);
        Some(expected)
    }

    /// Complains about output that is expected of the last step that runs a command, and that it does not keep.
    fn weigh_kept(&mut self, node: &Node, expected: &ExpectedOutput, checks: &[Check]) {
        let steps = checks.iter().rev().filter(|check| check.phase == Phase::Step);
        let mut commands = steps.filter_map(|check| check.action.as_ref().filter(|action| is_command(&action.work)));
        let Some(last) = commands.next() else { return };
        let asked = [
            ("stdoutContains", !expected.stdout_contains.is_empty() && !last.evidence.stdout, "standard output"),
            ("stderrEmpty", expected.stderr_empty.is_some() && !last.evidence.stderr, "standard error"),
        ];
        for (key, is_missed, what) in asked {
            if let Some(entry) = node.entry(key).filter(|_| is_missed) {
                let message = format!("{} does not keep its {what}, so that `{key}` can never be told", last.id);
                let help = "let its `evidenceCapture` keep it";
                self.findings.push(Finding::error(Code::NotKept, entry.key_span, message).help(help));
            }
        }
    }

    /// Reads when a task counts as complete.
    pub(super) fn completion(&mut self, node: Option<&Node>, checks: &[Check]) -> Completion {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let mut required = Vec::new();
        let prints = |action: &Action| gives(action, EvidenceKind::TerminalOutput);
        if self.is_short()
            && get("requiredEvidence").is_none()
            && checks.iter().filter_map(|check| check.action.as_ref()).any(prints)
        {
            required.push(EvidenceKind::TerminalOutput);
        }
        for element in get("requiredEvidence").map(Node::elements).unwrap_or_default() {
            let Some(kind) = element.text().and_then(word::evidence_kind) else { continue };
            self.weigh_collectable(kind, element, checks);
            required.push(kind);
        }
        required.sort_unstable();
        required.dedup();
        Completion {
            all_steps_must_pass: get("allStepsMustPass").and_then(Node::boolean).unwrap_or(true),
            minimum_pass_rate: get("minimumPassRate").and_then(Node::number).unwrap_or(100.0),
            required_evidence: required,
            task_status_lock: get("taskStatusLock").and_then(Node::boolean).unwrap_or(true),
        }
    }

    /// Complains about a kind of evidence that no action can ever give (ruling 18).
    fn weigh_collectable(&mut self, kind: EvidenceKind, node: &Node, checks: &[Check]) {
        if kind == EvidenceKind::Screenshots && !self.is_short() {
            let drives = |check: &Check| check.action.as_ref().is_none_or(|action| drives_browser(&action.work));
            return self.no_screenshots(node.span, checks.iter().any(drives));
        }
        let word = node.text().unwrap_or_default();
        // What `evidenceCapture` turns off is found missing by the run, as the full form has it.
        let can_give = if self.is_short() { gives } else { could_give };
        self.findings.extend(uncollectable(kind, word, node.span, checks, can_give));
    }

    fn no_screenshots(&mut self, span: Span, by_an_action: bool) {
        let message = "`screenshots` can never be collected: this version does not run actions in a browser";
        let finding = Finding::warning(Code::UncollectableEvidence, span, message);
        let finding = if by_an_action { finding } else { finding.help("leave it out") };
        self.filler.problem("unsupported", finding, self.findings);
    }
}

fn drives_browser(work: &Work) -> bool {
    matches!(work, Work::Unsupported(ActionType::McpBrowserCommand))
}

fn is_command(work: &Work) -> bool {
    matches!(work, Work::Command(_))
}

/// Reads how debt is kept and routed (ruling 20).
pub(super) fn debt(node: &Node) -> DebtPolicy {
    let default = DebtPolicy::default();
    let thresholds = node.get("capacityThresholds");
    let threshold = |key: &str| u32::try_from(thresholds?.get(key)?.integer()?).ok();
    let mut severities: Vec<Severity> = match node.get("severityLevels") {
        Some(list) => list.elements().iter().filter_map(Node::text).filter_map(word::severity).collect(),
        None => default.severities.clone(),
    };
    severities.sort_unstable_by(|one, other| other.cmp(one));
    severities.dedup();
    let items = threshold("sprintTasksMaxItems").unwrap_or(default.sprint_items_max);
    DebtPolicy {
        enabled: node.get("enabled").and_then(Node::boolean).unwrap_or(default.enabled),
        routing: match node.get("routingStrategy").and_then(Node::text) {
            Some("SEVERITY_BASED") => DebtRouting::SeverityBased,
            Some("MANUAL") => DebtRouting::Manual,
            _ => DebtRouting::CapacityBased,
        },
        sprint_items_max: items,
        sprint_critical_max: threshold("sprintTasksMaxCritical").unwrap_or(default.sprint_critical_max.min(items)),
        severities,
    }
}
