//! What a document in the short form means (ruling 2). What is not well-shaped is passed over: it has its complaint.

mod file;
mod policy;

use std::collections::BTreeMap;
use std::path::Path;

use referee_model::id::{ActionId, TaskId, WorkspacePath};
use referee_model::limit;
use referee_model::plan::{Action, Command, Completion, EvidenceKind, Invocation, Phase, Policies, Role, Work};

use crate::complaint::{Code, Finding, Findings};
use crate::source::{Span, quote};
use crate::tree::{Entry, Kind, Node};
use crate::variables::{Budget, Variables};

/// A document, understood.
pub(crate) struct Document {
    pub(crate) task: TaskId,
    pub(crate) title: String,
    pub(crate) evidence: WorkspacePath,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) deadline_ms: Option<u64>,
    pub(crate) checks: Vec<Check>,
    pub(crate) policies: Policies,
    pub(crate) completion: Completion,
}

/// A check, understood as far as it goes.
pub(crate) struct Check {
    pub(crate) id: ActionId,
    pub(crate) name: String,
    pub(crate) phase: Phase,
    /// Where its name stands.
    pub(crate) place: Span,
    /// Where its command stands.
    pub(crate) work_place: Span,
    pub(crate) needs: Vec<Need>,
    /// The deadline that it asks for, in milliseconds.
    pub(crate) deadline_ms: Option<u64>,
    /// The action, without its needs. None: it has errors.
    pub(crate) action: Option<Action>,
}

/// A check that must have passed before.
pub(crate) struct Need {
    pub(crate) name: String,
    pub(crate) place: Span,
}

/// Recognises a specification in a form that cannot be read, which is then complained about as a whole.
pub(crate) fn other_form(root: &Node) -> Option<Finding> {
    let found = [
        (["schemaVersion", "schemaVersion"], "a specification of the form 2.0.0 (`schemaVersion`)"),
        (
            ["task_id", "workspace_root"],
            "a specification of the YAML authoring form 1.0.0 (`task_id`, `workspace_root`)",
        ),
        (["testPlanVersion", "testPlanVersion"], "a test plan of the form before 2.0.0 (`testPlanVersion`)"),
    ];
    let (keys, form) = found.into_iter().find(|(keys, _)| keys.iter().all(|key| root.entry(key).is_some()))?;
    let span = root.entry(keys[0])?.key_span;
    let message = format!("this is {form}, which this version cannot run");
    let help = "the form that can be run is the short one, such as `checks: { unit: npm test }` in `referee.yaml`";
    Some(Finding::error(Code::OtherForm, span, message).help(help))
}

/// Reads a document's meaning. Without errors among the findings, every check has its action.
pub(crate) fn read(root: &Node, workspace: &Path, findings: &mut Findings) -> Document {
    let built_in = Variables::built_in(&workspace.to_string_lossy());
    let mut reader = Reader { workspace, budget: Budget::default(), findings };
    let text = |key: &str| root.get(key).and_then(Node::text);
    let task =
        TaskId::parse(text("task").unwrap_or("T001")).or_else(|_| TaskId::parse("T001")).expect("T001 is a task id");
    let title = text("title").map_or_else(|| task.to_string(), str::to_owned);
    let (environment, variables) = reader.environment(root, &built_in);
    let evidence = root.get("evidence").and_then(|node| reader.path(node, &variables));
    let evidence = evidence.or_else(|| WorkspacePath::parse("evidence").ok()).unwrap_or_else(WorkspacePath::root);
    let deadline_ms = root.get("timeout").and_then(|node| reader.milliseconds(node, 1, limit::TASK_DEADLINE_MS_MAX));
    let continue_on_failure = root.get("continueOnFailure").and_then(Node::boolean).unwrap_or(true);
    let mut checks = Vec::new();
    for (key, phase) in [("prerequisites", Phase::Prerequisite), ("checks", Phase::Step), ("cleanup", Phase::Cleanup)] {
        let entries = root.get(key).map(Node::entries).unwrap_or_default();
        for (index, entry) in entries.iter().enumerate() {
            checks.push(reader.check(entry, phase, index + 1, continue_on_failure, &variables));
        }
    }
    if checks.len() > limit::ACTIONS {
        let message = format!("{} actions are more than a task may have ({})", checks.len(), limit::ACTIONS);
        reader.findings.push(Finding::error(Code::TooManyActions, Span::BEGINNING, message));
    }
    let completion = completion(root.get("completion"), &checks, reader.findings);
    let policies = root.get("policy").map(|node| policy::policies(node, reader.findings)).unwrap_or_default();
    Document { task, title, evidence, environment, deadline_ms, checks, policies, completion }
}

/// What is needed to understand the parts of a document.
struct Reader<'a> {
    workspace: &'a Path,
    budget: Budget,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    fn check(
        &mut self,
        entry: &Entry,
        phase: Phase,
        number: usize,
        continue_on_failure: bool,
        variables: &Variables<'_>,
    ) -> Check {
        let prefix = match phase {
            Phase::Prerequisite => "PREREQ",
            Phase::Step => "STEP",
            Phase::Cleanup => "CLEANUP",
        };
        let id = ActionId::parse(format!("{prefix}.{number}")).expect("capital letters, a dot and a number are an id");
        let node = &entry.value;
        let needs = node.get("needs").map(Node::one_or_more).unwrap_or_default().iter();
        let needs = needs.filter_map(|need| Some(Need { name: need.text()?.to_owned(), place: need.span }));
        let deadline_ms =
            node.get("timeout").and_then(|node| self.milliseconds(node, 1, limit::ACTION_DEADLINE_MS_MAX));
        let grace_ms = node.get("grace").and_then(|node| self.milliseconds(node, 0, limit::GRACE_MS_MAX));
        let work_place = ["run", "argv", "file"].into_iter().find_map(|tag| node.get(tag)).unwrap_or(node).span;
        let action = self.work(node, variables).map(|work| Action {
            id: id.clone(),
            phase,
            name: entry.key.clone(),
            work,
            needs: Vec::new(),
            deadline_ms: deadline_ms.unwrap_or(limit::ACTION_DEADLINE_MS),
            grace_ms: grace_ms.unwrap_or(limit::GRACE_MS),
            continue_on_failure: node.get("continueOnFailure").and_then(Node::boolean).unwrap_or(continue_on_failure),
        });
        Check {
            id,
            name: entry.key.clone(),
            phase,
            place: entry.key_span,
            work_place,
            needs: needs.collect(),
            deadline_ms,
            action,
        }
    }

    fn work(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Work> {
        if let Some(file) = node.get("file") {
            return self.file(node, file, variables).map(Work::File);
        }
        let (environment, variables) = self.environment(node, variables);
        let directory = match node.get("cwd") {
            Some(cwd) => self.path(cwd, &variables)?,
            None => WorkspacePath::root(),
        };
        let codes = node.get("expectedExitCodes").map(Node::elements).unwrap_or_default().iter();
        let codes: Vec<i32> = codes.filter_map(|code| i32::try_from(code.integer()?).ok()).collect();
        Some(Work::Command(Command {
            invocation: self.invocation(node, &variables)?,
            directory,
            environment,
            expected_exit_codes: if codes.is_empty() { vec![0] } else { codes },
            role: node.get("role").and_then(Node::text).and_then(role),
            seen_through: Vec::new(),
            allow_no_tests: node.get("allowNoTests").and_then(Node::boolean).unwrap_or(false),
        }))
    }

    fn invocation(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Invocation> {
        if let Some(argv) = node.get("argv") {
            let mut filled = Vec::with_capacity(argv.elements().len());
            for element in argv.elements() {
                filled.push(self.fill(element.text()?, element.span, variables));
            }
            let argv_filled: Vec<String> = filled.into_iter().collect::<Option<_>>()?;
            if argv_filled.first()?.trim().is_empty() {
                let message = "the first element names the program, and it is empty";
                self.findings.push(Finding::error(Code::Vacuous, argv.span, message));
                return None;
            }
            return Some(Invocation::Argv(argv_filled));
        }
        let line = node.get("run").unwrap_or(node);
        let text = line.text()?;
        let idle = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        if !text.trim().is_empty() && text.lines().all(idle) {
            let message = "this command line holds nothing but comments, and would always succeed";
            self.findings.push(Finding::error(Code::Vacuous, line.span, message));
            return None;
        }
        let pipefail = node.get("pipefail").and_then(Node::boolean).unwrap_or(true);
        Some(Invocation::Shell { line: text.to_owned(), pipefail })
    }

    /// Reads the variables declared in a mapping. Each may use those declared before it and those outside.
    fn environment<'a>(
        &mut self,
        node: &Node,
        outside: &'a Variables<'a>,
    ) -> (BTreeMap<String, String>, Variables<'a>) {
        let mut variables = outside.inside();
        let mut declared = BTreeMap::new();
        for entry in node.get("env").map(Node::entries).unwrap_or_default() {
            let written = match &entry.value.kind {
                Kind::Text(text) => text,
                Kind::Integer { literal, .. } | Kind::Float { literal, .. } => literal,
                Kind::Bool(true) => "true",
                Kind::Bool(false) => "false",
                Kind::Null | Kind::List(_) | Kind::Map(_) => continue,
            };
            let value = self.fill(written, entry.value.span, &variables);
            // A value with a complaint still counts as declared, so that its users are not complained about too.
            let value = value.unwrap_or_default();
            variables.declare(&entry.key, &value);
            declared.insert(entry.key.clone(), value);
        }
        (declared, variables)
    }

    fn fill(&mut self, text: &str, span: Span, variables: &Variables<'_>) -> Option<String> {
        variables.fill(text, span, &mut self.budget, self.findings)
    }

    /// Reads a path that must stay in the workspace. An absolute one that lies in it becomes relative.
    fn path(&mut self, node: &Node, variables: &Variables<'_>) -> Option<WorkspacePath> {
        let filled = self.fill(node.text()?, node.span, variables)?;
        let relative = Path::new(&filled).strip_prefix(self.workspace).ok().and_then(Path::to_str).unwrap_or(&filled);
        let path = WorkspacePath::parse(relative);
        if path.is_err() {
            let message = format!("the path {} leaves the workspace: a path below it is needed", quote(&filled));
            self.findings.push(Finding::error(Code::LeavesWorkspace, node.span, message));
        }
        path.ok()
    }

    /// Reads a duration: whole milliseconds, or a number with its unit.
    fn milliseconds(&mut self, node: &Node, min: u64, max: u64) -> Option<u64> {
        let Some(text) = node.text() else {
            // A number out of range is a complaint about the shape.
            return u64::try_from(node.integer()?).ok().filter(|value| (min..=max).contains(value));
        };
        let value = duration(text)?;
        if !(min..=max).contains(&value) {
            let message = format!("expected {min} to {max} milliseconds, found {} ({value} milliseconds)", quote(text));
            self.findings.push(Finding::error(Code::DurationOutOfRange, node.span, message));
            return None;
        }
        Some(value)
    }
}

/// Reads a number with its unit, rounded to whole milliseconds. None: it is no such text.
fn duration(text: &str) -> Option<u64> {
    let digits = text.find(|character: char| !character.is_ascii_digit() && character != '.')?;
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "ms" => 1.0,
        "s" => 1_000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    };
    let milliseconds = number.parse::<f64>().ok()? * factor;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it has no sign, and a cast saturates")]
    Some(milliseconds.round() as u64)
}

fn role(word: &str) -> Option<Role> {
    Some(match word {
        "test" => Role::Test,
        "typecheck" => Role::Typecheck,
        "lint" => Role::Lint,
        "format" => Role::Format,
        "compile" => Role::Compile,
        "other" => Role::Other,
        _ => return None,
    })
}

fn completion(node: Option<&Node>, checks: &[Check], findings: &mut Findings) -> Completion {
    let get = |key: &str| node.and_then(|node| node.get(key));
    let runs_command =
        |check: &Check| check.action.as_ref().is_some_and(|action| matches!(action.work, Work::Command(_)));
    let required = match get("requiredEvidence") {
        Some(list) => {
            for (node, collector) in list.elements().iter().filter_map(|node| Some((node, missing_collector(node)?))) {
                let kind = quote(node.text().unwrap_or_default());
                let message = format!("{kind} can never be collected: {collector} are not supported by this version");
                findings.push(Finding::error(Code::UncollectableEvidence, node.span, message));
            }
            let mut kinds: Vec<EvidenceKind> = list.elements().iter().filter_map(evidence_kind).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds
        }
        None if checks.iter().any(runs_command) => vec![EvidenceKind::TerminalOutput],
        None => Vec::new(),
    };
    Completion {
        all_steps_must_pass: get("allStepsMustPass").and_then(Node::boolean).unwrap_or(true),
        minimum_pass_rate: get("minimumPassRate").and_then(Node::number).unwrap_or(100.0),
        required_evidence: required,
        task_status_lock: true,
    }
}

/// Returns the checks that a kind of evidence would come from, where this version has none of them.
fn missing_collector(node: &Node) -> Option<&'static str> {
    match evidence_kind(node)? {
        EvidenceKind::ApiResponses => Some("HTTP checks"),
        EvidenceKind::Screenshots => Some("checks in a browser"),
        EvidenceKind::TerminalOutput
        | EvidenceKind::TestExecutionLog
        | EvidenceKind::ErrorLogs
        | EvidenceKind::PerformanceMetrics => None,
    }
}

fn evidence_kind(node: &Node) -> Option<EvidenceKind> {
    Some(match node.text()? {
        "terminal-output" => EvidenceKind::TerminalOutput,
        "test-execution-log" => EvidenceKind::TestExecutionLog,
        "api-responses" => EvidenceKind::ApiResponses,
        "error-logs" => EvidenceKind::ErrorLogs,
        "performance-metrics" => EvidenceKind::PerformanceMetrics,
        "screenshots" => EvidenceKind::Screenshots,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_and_may_have_a_fraction() {
        for (text, milliseconds) in [
            ("500ms", Some(500)),
            ("60s", Some(60_000)),
            ("1.5m", Some(90_000)),
            ("1h", Some(3_600_000)),
            ("0.4ms", Some(0)),
            ("60", None),
            ("1d", None),
            ("1.2.3s", None),
            ("", None),
        ] {
            assert_eq!(duration(text), milliseconds, "{text}");
        }
    }
}
