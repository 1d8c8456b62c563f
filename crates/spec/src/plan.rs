//! Loads a file as a suite of plans.

use std::io;
use std::path::{Path, PathBuf};

use crate::form::shape::Object;
use crate::form::{FULL_FORM, SHORT_FORM, short as keys};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::plan::{Action, Form, Invocation, Phase, Plan, Shell, Specification, Work};
use referee_model::suite::Suite;
use referee_syntax::span::Span;
use referee_syntax::tree::Node;

use crate::check::check;
use crate::complaint::{Code, Complaint, Finding, Findings};
use crate::error::SpecError;
use crate::expand::see_through;
use crate::masking::{masked, masked_argv, masked_container};
use crate::order::{Lists, arrange};
use crate::source::{Source, quote};
use crate::task::Check;
use crate::{full, read, short};

/// Options of the caller.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Workspace; takes precedence over that of the file (ruling 3). None: the file decides.
    pub workspace: Option<PathBuf>,
}

/// A loaded specification.
#[derive(Debug)]
pub struct Loaded {
    /// Tasks. The short form has exactly one.
    pub suite: Suite,
    /// Complaints that do not prevent loading.
    pub warnings: Vec<Complaint>,
}

/// Loads the specification in a file, in whichever form it is written. Without an error among the complaints
/// there are plans.
pub fn load(file: &Path, options: &Options) -> Result<Loaded, SpecError> {
    let bytes = read::file(file, limit::SPECIFICATION_BYTES).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => SpecError::NoFile { path: file.to_owned() },
        _ => SpecError::io(file, source),
    })?;
    let file = file.canonicalize().map_err(|source| SpecError::io(file, source))?;
    load_text(&file, &bytes, options)
}

/// Loads a specification as [`load`] does, but from bytes in place of the file's content, for example of its
/// version in a commit. The file need not exist; its path must be absolute.
///
/// # Errors
/// As [`load`].
pub fn load_text(file: &Path, bytes: &[u8], options: &Options) -> Result<Loaded, SpecError> {
    let mut findings = Findings::default();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let source = read::source(&name, bytes, &mut findings);
    let tree = if findings.has_errors() { None } else { read::tree(&source, &mut findings) };
    let suite = match &tree {
        Some(root) => {
            let document = Written { root, source: &source, file, bytes };
            suite(&document, options, &mut findings)?
        }
        None => None,
    };
    let failed = findings.has_errors();
    let pointer = |span| tree.as_ref().map(|root| root.pointer(span)).unwrap_or_default();
    let complaints = findings.into_complaints(&source, pointer);
    match suite {
        Some(suite) if !failed => Ok(Loaded { suite, warnings: complaints }),
        _ => Err(SpecError::Complaints(complaints)),
    }
}

/// A document as it is written, and the file that it is in.
pub(crate) struct Written<'a> {
    pub(crate) root: &'a Node,
    pub(crate) source: &'a Source,
    pub(crate) file: &'a Path,
    pub(crate) bytes: &'a [u8],
}

impl Written<'_> {
    /// Reads the meaning of the document. The short form is converted to the full form first.
    pub(crate) fn read(&self, given: Option<PathBuf>, findings: &mut Findings) -> full::Document {
        let Self { root: written, source, file, .. } = *self;
        let (form, directory) = (form(written), file.parent().unwrap_or(Path::new("/")));
        let (translated, given) = match form {
            Form::Full => (None, given),
            Form::Short => {
                let given = given.unwrap_or_else(|| workspace(written, directory, findings));
                (Some(short::full_form(written, findings)), Some(given))
            }
        };
        let root = translated.as_ref().unwrap_or(written);
        full::read(full::Context { form, written, root, source, directory, given: given.as_deref() }, findings)
    }

    fn specification(&self, form: Form, workspace: &Path) -> Specification {
        Specification {
            file: self.file.strip_prefix(workspace).unwrap_or(self.file).to_string_lossy().into_owned(),
            form,
            digest: Digest::of(self.bytes),
        }
    }
}

/// Creates the plans of a document, one per task. None: it has errors.
fn suite(document: &Written<'_>, options: &Options, findings: &mut Findings) -> Result<Option<Suite>, SpecError> {
    let given = options.workspace.as_deref().map(given_workspace).transpose()?;
    if is_other_form(document.root) {
        findings.extend(other_form(document.root));
        return Ok(None);
    }
    let form = form(document.root);
    check(document.root, shape(form), findings);
    let read = document.read(given, findings);
    findings.extend(misplaced_evidence(
        read.evidence.as_str(),
        &read.evidence_base,
        document.file,
        read.evidence_place,
    ));
    let lists = match form {
        Form::Short => ["prerequisites", "checks", "cleanup"],
        Form::Full => ["prerequisites", "steps", "cleanup"],
    };
    let all: Vec<Option<Vec<Action>>> =
        read.tasks.iter().map(|task| actions(&task.checks, lists, &read.workspace, findings)).collect();
    let checks = read.tasks.iter().flat_map(|task| &task.checks);
    let timeout_ms = read.timeout_ms.map(|asked| deadline_over_all(asked, checks, read.deadline_place, findings));
    if findings.has_errors() {
        return Ok(None);
    }
    let specification = document.specification(form, &read.workspace);
    let tasks = read.tasks.into_iter().zip(all).map(|(task, actions)| {
        Some(Plan {
            specification: specification.clone(),
            task: task.id,
            title: task.title,
            sprint: read.sprint.clone(),
            workspace: read.workspace.clone(),
            evidence_root: read.evidence_base.join(read.evidence.as_str()),
            part_workspaces: Vec::new(),
            environment: read.environment.clone(),
            actions: actions?,
            policies: read.policies.clone(),
            completion: task.completion,
            criteria: task.extras.criteria,
            red_phase: task.extras.red_phase,
            flaky_fails: task.extras.flaky_fails,
            debt: task.extras.debt,
            evaluator: task.extras.evaluator,
            depends_on: task.depends_on,
            step_order: task.extras.step_order,
            parallel: task.extras.parallel,
            profile: task.extras.profile,
            problems: task.problems,
            timeout_ms,
            guard: task.extras.guard,
        })
    });
    let Some(tasks) = tasks.collect::<Option<_>>() else { return Ok(None) };
    let (captures_incidents, reports) = (read.captures_incidents, read.reports);
    Ok(Some(Suite { title: read.title, tasks, specification, timeout_ms, captures_incidents, reports }))
}

/// Returns the form in which a document is written.
pub(crate) fn form(root: &Node) -> Form {
    if full::is_meant(root) { Form::Full } else { Form::Short }
}

fn shape(form: Form) -> &'static Object {
    match form {
        Form::Short => &SHORT_FORM,
        Form::Full => &FULL_FORM,
    }
}

/// Returns whether a document declares the authoring form.
fn is_earlier(root: &Node) -> bool {
    root.get("schemaVersion").and_then(Node::text) == Some("1.0.0")
}

/// Returns whether a document is in a format that cannot be read.
pub(crate) fn is_other_form(root: &Node) -> bool {
    other_form(root).is_some() && (is_earlier(root) || !full::is_meant(root))
}

/// Recognizes a specification in a format that cannot be read, which gets a single complaint.
fn other_form(root: &Node) -> Option<Finding> {
    let second = if is_earlier(root) { "task_id" } else { "workspace_root" };
    let found = [
        (
            ["task_id", second],
            if is_earlier(root) {
                "a specification of the YAML authoring form 1.0.0 (`schemaVersion: \"1.0.0\"`, `task_id`)"
            } else {
                "a specification of the YAML authoring form 1.0.0 (`task_id`, `workspace_root`)"
            },
        ),
        (["testPlanVersion", "testPlanVersion"], "a test plan of the form before 2.0.0 (`testPlanVersion`)"),
    ];
    let (keys, form) = found.into_iter().find(|(keys, _)| keys.iter().all(|key| root.entry(key).is_some()))?;
    let span = root.entry(keys[0])?.key_span;
    let message = format!("this is {form}, which cannot be run");
    let help = "the forms that can be run are the short one, such as `checks: { unit: npm test }` in `referee.yaml`, and \
                the full one with `schemaVersion: \"2.0.0\"`";
    Some(Finding::error(Code::OtherForm, span, message).help(help))
}

/// Orders the actions of a task, and resolves their commands. None: there are errors.
fn actions(checks: &[Check], lists: Lists, workspace: &Path, findings: &mut Findings) -> Option<Vec<Action>> {
    if checks.len() > limit::ACTIONS {
        let message = format!("{} actions are more than a task may have ({})", checks.len(), limit::ACTIONS);
        findings.push(Finding::error(Code::TooManyActions, Span::BEGINNING, message));
    }
    let order = arrange(checks, lists, findings);
    if findings.has_errors() {
        return None;
    }
    let mut actions = Vec::with_capacity(checks.len());
    for &index in &order.sequence {
        let check = &checks[index];
        let mut action = check.action.clone()?;
        action.needs = order.needs[index].iter().map(|&need| checks[need].id.clone()).collect();
        look_through(&mut action, check.work_place, workspace, findings);
        actions.push(action);
    }
    Some(actions)
}

/// Resolves the workspace that the caller gives.
pub(crate) fn given_workspace(given: &Path) -> Result<PathBuf, SpecError> {
    let workspace = given.canonicalize().map_err(|source| SpecError::io(given, source))?;
    if workspace.is_dir() { Ok(workspace) } else { Err(SpecError::io(given, io::ErrorKind::NotADirectory.into())) }
}

/// Resolves the workspace of a document in the short form, relative to its directory, which is the default.
fn workspace(root: &Node, directory: &Path, findings: &mut Findings) -> PathBuf {
    let Some((node, named)) = keys::Specification::of(root).workspace.text_node() else {
        return directory.to_owned();
    };
    if Path::new(named).is_absolute() {
        let message =
            format!("the workspace {} is absolute: a directory relative to this file is needed", quote(named));
        let help = "name another directory with `--workspace`";
        findings.push(Finding::error(Code::LeavesWorkspace, node.span, message).help(help));
        return directory.to_owned();
    }
    match directory.join(named).canonicalize() {
        Ok(workspace) if workspace.is_dir() => workspace,
        _ => {
            let message = format!("directory not found: {} (relative to this file)", quote(named));
            findings.push(Finding::error(Code::NoWorkspace, node.span, message));
            directory.to_owned()
        }
    }
}

/// Refuses an evidence directory that contains anything else: the specification, or the whole workspace.
pub(crate) fn misplaced_evidence(directory: &str, workspace: &Path, file: &Path, place: Span) -> Option<Finding> {
    let message = if directory.is_empty() {
        "the evidence cannot be in the workspace itself: it needs a directory of its own".to_owned()
    } else if file.starts_with(workspace.join(directory)) {
        format!("the directory {} holds this specification: evidence needs a directory of its own", quote(directory))
    } else {
        return None;
    };
    let help = "name a directory that holds nothing else, such as `evidence`";
    Some(Finding::error(Code::EvidenceDirectory, place, message).help(help))
}

/// Records the resolved lines of a command, and warns if its failure would be masked.
fn look_through(action: &mut Action, place: Span, workspace: &Path, findings: &mut Findings) {
    let Work::Command(command) = &mut action.work else { return };
    let seen = see_through(&command.invocation, &workspace.join(command.directory.as_str()));
    let own = match &command.invocation {
        Invocation::Shell { shell: Shell::PowerShell | Shell::Cmd, .. } => None,
        Invocation::Shell { line, pipefail, shell } => masked(line, *pipefail && *shell != Shell::Sh),
        Invocation::Argv(argv) => masked_argv(argv),
        Invocation::Container(container) => masked_container(container),
    };
    if let Some(masking) = own {
        let message = format!("{}: this check can pass all the same", masking.risk());
        findings.push(Finding::warning(Code::MaskedFailure, place, message).help(masking.remedy()));
    } else if let Some((line, masking)) = seen.lines.iter().find_map(|line| Some((line, masked(line, false)?))) {
        // Neither npm nor make sets `pipefail`.
        let message = format!("this runs {}, where {}", quote(line), masking.risk());
        findings.push(Finding::warning(Code::MaskedFailure, place, message).help(masking.remedy()));
    } else if let Some(line) = seen.ignored {
        let message = format!("this runs {}, whose failure make is told to ignore", quote(&line));
        findings.push(Finding::warning(Code::MaskedFailure, place, message));
    }
    command.seen_through = seen.lines;
}

/// Returns the overall deadline, raised to the longest one of a check if necessary, with a warning (ruling 6).
fn deadline_over_all<'a>(
    asked: u64,
    checks: impl Iterator<Item = &'a Check>,
    place: Span,
    findings: &mut Findings,
) -> u64 {
    let timed = checks.filter(|check| check.phase != Phase::Cleanup);
    let longest = timed.filter_map(|check| Some((check.timeout_ms?, check))).max_by_key(|(deadline, _)| *deadline);
    let Some((deadline, check)) = longest.filter(|(deadline, _)| *deadline > asked) else { return asked };
    let name = quote(&check.name);
    let message =
        format!("the deadline over all ({asked} ms) comes before that of {name}, and is raised to {deadline} ms");
    findings.push(Finding::warning(Code::ShortDeadline, place, message));
    deadline
}
