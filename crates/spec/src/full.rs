//! Reads the meaning of a document in the full form, `schemaVersion` 2.0.0 and the dialect of its prototype
//! (ruling 2). A document in the short form has been converted to the full form before, with a few internal
//! keys that no document has. Values with the wrong shape are skipped: they have their complaint.

mod action;
mod browser;
mod command;
mod completion;
mod container;
mod dependencies;
mod draft;
mod evaluator;
mod file;
mod filler;
mod http;
mod origin;
mod policy;
mod query;
mod report;
mod service;
mod settings;
mod task;
mod workflow;
mod workspace_root;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::form::{full as keys, short};
use referee_model::id::{TaskId, WorkspacePath};
use referee_model::limit;
use referee_model::plan::{Completion, DebtPolicy, Form, Guard, Policies, SpecificationProblem, Template};
use referee_model::suite::RequestedReport;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Member, Node};

use self::command::Environment;
use self::filler::Filler;
pub(crate) use self::policy::CATEGORIES;
use self::settings::Settings;
use self::workspace_root::WorkspaceRoot;
use crate::complaint::{Code, Finding, Findings};
use crate::guard::guard;
use crate::quantity;
use crate::source::{Source, quote};
use crate::task::{Check, Extras};

/// Maximum total size of the configuration of all tasks, in bytes, because each task has its own copy.
const CONFIGURATION_BYTES: usize = 64 * 1024 * 1024;

pub(crate) struct Document {
    pub(crate) title: String,
    pub(crate) sprint: Option<String>,
    pub(crate) workspace: PathBuf,
    pub(crate) evidence: WorkspacePath,
    /// Span of the evidence directory.
    pub(crate) evidence_place: Span,
    /// Directory to which the evidence directory is relative: the workspace, if it is on this machine.
    pub(crate) evidence_base: PathBuf,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) policies: Policies,
    pub(crate) timeout_ms: Option<u64>,
    /// Span of the overall deadline.
    pub(crate) deadline_place: Span,
    /// Whether failed runs become incidents automatically.
    pub(crate) captures_incidents: bool,
    /// Reports that a run writes for other programs.
    pub(crate) reports: Vec<RequestedReport>,
    /// Tasks, in the order in which they run.
    pub(crate) tasks: Vec<Task>,
}

/// A task, as far as it could be read.
pub(crate) struct Task {
    pub(crate) id: TaskId,
    pub(crate) title: String,
    pub(crate) checks: Vec<Check>,
    pub(crate) completion: Completion,
    pub(crate) extras: Extras,
    pub(crate) depends_on: Vec<TaskId>,
    pub(crate) problems: Vec<SpecificationProblem>,
}

#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Form in which the document is written.
    pub(crate) form: Form,
    /// The document as it is written.
    pub(crate) written: &'a Node,
    /// The document in the full form.
    pub(crate) root: &'a Node,
    pub(crate) source: &'a Source,
    /// Directory of its file.
    pub(crate) directory: &'a Path,
    /// Workspace given by the caller.
    pub(crate) given: Option<&'a Path>,
}

/// Context for reading the parts of a document.
struct Reader<'a> {
    root: keys::Specification<'a>,
    global: keys::GlobalConfiguration<'a>,
    place: WorkspaceRoot,
    settings: Settings,
    filler: Filler<'a>,
    /// Origin of the dev server's URLs. None: it is unknown.
    origin: Option<Template>,
    findings: &'a mut Findings,
}

/// Returns whether a document is written in this form.
pub(crate) fn is_meant(root: &Node) -> bool {
    let written = keys::Specification::of(root);
    written.schema_version.or(written.global_configuration).or(written.execution_engine).is_given()
}

/// Reads the meaning of a document. Without errors among the findings, every check has its action.
pub(crate) fn read(context: Context<'_>, findings: &mut Findings) -> Document {
    let mut filler = Filler::new(context.form, context.written, context.source);
    let root = keys::Specification::of(context.root);
    let global = keys::GlobalConfiguration::of(root.global_configuration.node());
    let (place, base) = workspace_root::find(context, global.workspace_root, &mut filler, findings);
    let origin = origin::of(global, &base);
    let mut variables = origin::built_in(&base, origin.as_ref());
    let mut reader = Reader { root, global, place, settings: Settings::default(), filler, origin, findings };
    // The single task of the short form has its captures read before other parts that use them, such as the
    // evaluator.
    if context.form == Form::Short {
        for task in root.tasks.entries() {
            reader.note_captures(keys::Task::of(&task.value));
        }
    }
    let mut environment = Environment::default();
    reader.environment(global.environment.node(), &mut environment, &mut variables);
    let environment = environment.known;
    reader.settings = reader.settings(&variables);
    // An empty string is a complaint about the shape.
    let named = global.evidence_directory.node().filter(|node| node.text() != Some(""));
    let evidence = named.and_then(|node| reader.workspace_path(node, &variables));
    let evidence = evidence.or_else(|| WorkspacePath::parse("evidence").ok()).unwrap_or_else(WorkspacePath::root);
    let metadata = keys::Metadata::of(root.metadata.node());
    let policy = keys::ValidationPolicy::of(global.validation_policy.node());
    let mut policies = policy::policies(policy, reader.findings);
    policies.rationale = policy::rationale(metadata.validation_policy_rationale);
    let flaky_fails = policy.flaky.text() == Some("FAIL");
    let debt = root.technical_debt_configuration.node().map(completion::debt).unwrap_or_default();
    let evaluator = global.evaluator.node().and_then(|node| reader.evaluator(node, &variables));
    let reports = report::read(global.report, &evidence, reader.findings);
    let guard = report::as_outputs(&reports, reader.guard(&context));
    let common = reader.filler.take_problems();
    let entries = reader.entries(&environment);
    let mut tasks = Vec::with_capacity(entries.len());
    for (id, entry) in &entries {
        let mut task = reader.task(id, entry, &variables);
        task.extras.flaky_fails = flaky_fails;
        task.extras.debt = DebtPolicy::clone(&debt);
        task.extras.evaluator.clone_from(&evaluator);
        task.extras.guard.clone_from(&guard);
        task.problems.splice(0..0, common.iter().cloned());
        tasks.push(task);
    }
    let tasks = dependencies::arrange(tasks, &entries, reader.findings);
    let incidents = keys::Incidents::of(global.incidents.node());
    let timeout = global.timeout.node();
    let timeout_ms =
        timeout.and_then(|node| quantity::milliseconds(node, 1..=limit::TASK_DEADLINE_MS_MAX, reader.findings));
    Document {
        title: title(metadata.project_name, &context, &tasks),
        sprint: line(metadata.sprint_id),
        evidence_base: if reader.place.is_here { reader.place.workspace.clone() } else { context.directory.to_owned() },
        workspace: reader.place.workspace,
        evidence,
        evidence_place: named.map_or(Span::BEGINNING, |node| node.span),
        environment,
        policies,
        timeout_ms,
        captures_incidents: incidents.capture.is_true(),
        reports,
        deadline_place: global.timeout.entry().map_or(Span::BEGINNING, |entry| entry.key_span),
        tasks,
    }
}

fn line(written: Member<'_>) -> Option<String> {
    written.text().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// Returns a title for people: the project's name, or the title of the only task.
fn title(project: Member<'_>, context: &Context<'_>, tasks: &[Task]) -> String {
    line(project).unwrap_or_else(|| match tasks {
        [task] => task.title.clone(),
        _ => context.source.file().to_owned(),
    })
}

impl Reader<'_> {
    /// Returns whether the document is written in the short form.
    fn is_short(&self) -> bool {
        self.filler.is_short()
    }

    /// Reads the time limit of one action.
    fn timeout(&mut self, written: Member<'_>) -> Option<u64> {
        quantity::milliseconds(written.node()?, 1..=limit::ACTION_DEADLINE_MS_MAX, self.findings)
    }

    /// Reads the time between the polite signal and the final one, which only the short form has.
    fn grace(&mut self, written: Member<'_>) -> u64 {
        let asked =
            written.node().and_then(|node| quantity::milliseconds(node, 0..=limit::GRACE_MS_MAX, self.findings));
        asked.unwrap_or(limit::GRACE_MS)
    }

    /// Reads the settings of the gate itself, which only the short form has.
    fn guard(&mut self, context: &Context<'_>) -> Guard {
        if !self.is_short() {
            return Guard::default();
        }
        let setup = short::Specification::of(context.written).setup.node();
        let setup = setup.map(|node| short::Setup::of(node).run.node().unwrap_or(node));
        if let Some((node, line)) = setup.and_then(|node| Some((node, node.text()?))) {
            self.filler.placeholder(line, node.span, self.findings);
        }
        guard(context.written, self.findings)
    }

    /// Assigns every task its id: its key, or a derived id if the key is not valid (the prototype's dialect).
    fn entries(&mut self, environment: &BTreeMap<String, String>) -> Vec<(TaskId, Entry)> {
        let entries = self.root.tasks.entries();
        if !self.bounded(entries, environment) {
            return Vec::new();
        }
        let used: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
        let mut free = (900..).map(|number| format!("T{number}")).filter(|id| !used.contains(&id.as_str()));
        let mut tasks = Vec::with_capacity(entries.len());
        for entry in entries {
            let own = TaskId::parse(entry.key.as_str()).ok();
            let Some(id) = own.or_else(|| TaskId::parse(free.next()?).ok()) else { continue };
            if id.as_str() != entry.key {
                let message =
                    format!("{} is not a task id: this task is {id} in evidence and reports", quote(&entry.key));
                let help = "name it by a `T` and at least three digits, such as `T001`";
                self.findings.push(Finding::warning(Code::DerivedTaskId, entry.key_span, message).help(help));
            }
            self.weigh_task_id(entry);
            tasks.push((id, entry.clone()));
        }
        tasks
    }

    /// Returns whether the number of tasks is within the limit.
    fn bounded(&mut self, tasks: &[Entry], environment: &BTreeMap<String, String>) -> bool {
        let variables: usize = environment.iter().map(|(name, value)| name.len() + value.len()).sum();
        let written = self.root.global_configuration.node().map_or(0, |node| node.span.end - node.span.start);
        let message = if tasks.len() > TASKS {
            format!("{} tasks are more than a specification may have ({TASKS})", tasks.len())
        } else if tasks.len().saturating_mul(variables + written) > CONFIGURATION_BYTES {
            format!("the configuration is too large for {} tasks, each of which has it for itself", tasks.len())
        } else {
            return true;
        };
        self.findings.push(Finding::error(Code::TooManyTasks, Span::BEGINNING, message));
        false
    }

    fn weigh_task_id(&mut self, entry: &Entry) {
        let Some((node, id)) = keys::Task::of(&entry.value).task_id.text_node() else { return };
        if id != entry.key && TaskId::parse(id).is_ok() {
            let message = format!("this task is listed as {} and called {}", quote(&entry.key), quote(id));
            self.findings.push(Finding::error(Code::TaskIdMismatch, node.span, message).meant(Some(&entry.key)));
        }
    }
}

/// Maximum number of tasks in one specification.
pub(crate) const TASKS: usize = 1_000;
