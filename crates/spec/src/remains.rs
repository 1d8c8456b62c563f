//! Recovers the tasks and the evidence directory of a specification that cannot be loaded. A failed run is
//! sealed for each of these tasks, so that no earlier pass remains valid (seed 1, "SPECIFICATION_ERROR").

use std::path::{Path, PathBuf};

use crate::form::short;
use referee_model::id::{ActionId, Digest, TaskId, WorkspacePath};
use referee_model::limit;
use referee_model::plan::{
    Action, FileCheck, FileContent, FileExpectation, FileRoot, Form, Phase, Plan, Specification, SpecificationProblem,
    Work,
};
use referee_model::suite::Suite;
use referee_syntax::span::Span;
use referee_syntax::tree::Kind;

use crate::complaint::{Complaint, Findings, Level};
use crate::error::SpecError;
use crate::plan::{Options, Written, form, given_workspace, is_other_form, load_text, misplaced_evidence};
use crate::read;

mod scraps;

/// Default evidence directory.
const EVIDENCE: &str = "evidence";

/// Task id of a specification of which no id can be read.
const NO_TASK: &str = "T000";

/// Nominal deadline of the check of the specification, in milliseconds. The check is never run.
const DEADLINE_MS: u64 = 1_000;

/// Recovered parts of a specification that cannot be loaded.
#[derive(Debug, Clone)]
pub struct Remains {
    /// Absolute path of the file.
    pub path: PathBuf,
    /// Directory that has one directory of evidence per task: the one in the specification, or the default.
    pub evidence_root: PathBuf,
    /// The file, as plans name it.
    pub specification: Specification,
    /// Tasks whose ids could be read, with their titles.
    pub tasks: Vec<(TaskId, String)>,
    /// Whether the list is complete: the text is a document that names them.
    pub is_whole: bool,
    /// Whether the text determines the evidence directory. A document without such a key means the default.
    pub is_placed: bool,
    /// Whether the file exists.
    pub is_there: bool,
    /// Title of the single task in a text, if its id cannot be read.
    title: Option<String>,
    workspace: PathBuf,
    look: FileCheck,
    problems: Vec<SpecificationProblem>,
}

/// Recovers parts of a specification that cannot be loaded. None: it can be loaded, or the workspace given by
/// the caller is invalid.
pub fn remains(file: &Path, options: &Options) -> Option<Remains> {
    let given = options.workspace.as_deref().map(given_workspace).transpose().ok()?;
    let bytes = read::file(file, limit::SPECIFICATION_BYTES);
    let is_there = file.symlink_metadata().is_ok_and(|facts| !facts.is_dir());
    let file = whole(file)?;
    let problems = match &bytes {
        Ok(bytes) => match load_text(&file, bytes, options) {
            Ok(_) => return None,
            Err(SpecError::Complaints(complaints)) => problems(&complaints),
            Err(error) => vec![unusable(&error.to_string())],
        },
        Err(error) => vec![unusable(&format!("it cannot be read: {error}"))],
    };
    let bytes = bytes.unwrap_or_default();
    let told = SpecificationPaths::of(&file, &bytes, given);
    let evidence_root = match misplaced_evidence(&told.evidence, &told.base, &file, Span::BEGINNING) {
        None => told.base.join(&told.evidence),
        Some(_) => told.base.join(EVIDENCE),
    };
    Some(Remains {
        evidence_root,
        specification: Specification {
            file: name_in(&told.workspace, &file),
            form: told.form,
            digest: Digest::of(&bytes),
        },
        tasks: told.tasks,
        is_whole: told.is_whole,
        is_placed: told.is_placed,
        is_there,
        title: told.title,
        look: look(&told.workspace, &file)?,
        workspace: told.workspace,
        path: file,
        problems,
    })
}

/// Returns the name of a specification in the plans of a workspace.
fn name_in(workspace: &Path, file: &Path) -> String {
    file.strip_prefix(workspace).unwrap_or(file).to_string_lossy().into_owned()
}

/// Returns the check of the specification, which is never run.
fn look(workspace: &Path, file: &Path) -> Option<FileCheck> {
    let inner = file.strip_prefix(workspace).ok().and_then(Path::to_str);
    let (root, path) = if let Some(path) = inner.and_then(|inner| WorkspacePath::parse(inner).ok()) {
        (FileRoot::Workspace, path)
    } else {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        (FileRoot::Listed(file.parent()?.to_owned()), WorkspacePath::parse(&name).ok()?)
    };
    Some(FileCheck { root, path, glob: false, expectation: FileExpectation::Present(FileContent::default()) })
}

/// Returns the absolute path of a file, which need not exist.
fn whole(file: &Path) -> Option<PathBuf> {
    file.canonicalize().ok().or_else(|| Some(file.parent()?.canonicalize().ok()?.join(file.file_name()?)))
}

impl Remains {
    /// Returns the id that represents an unreadable task id.
    pub fn no_task() -> TaskId {
        TaskId::parse(NO_TASK).expect("it is a task id")
    }

    /// Returns the same for another workspace and evidence directory, where the specification ran before. None:
    /// nothing there could have this specification's name.
    #[must_use]
    pub fn at(&self, workspace: &Path, evidence_root: &Path) -> Option<Self> {
        Some(Self {
            evidence_root: evidence_root.to_owned(),
            specification: Specification { file: name_in(workspace, &self.path), ..self.specification.clone() },
            look: look(workspace, &self.path)?,
            workspace: workspace.to_owned(),
            ..self.clone()
        })
    }

    /// Returns the tasks as plans that cannot run, with the reason. None: there are no such tasks.
    pub fn suite(&self, tasks: &[TaskId]) -> Option<Suite> {
        let plans: Vec<Plan> = tasks.iter().map(|task| self.plan(task)).collect();
        let title = plans.first()?.title.clone();
        Some(Suite {
            specification: self.specification.clone(),
            title,
            tasks: plans,
            timeout_ms: None,
            captures_incidents: false,
            reports: Vec::new(),
        })
    }

    fn plan(&self, task: &TaskId) -> Plan {
        let read = self.tasks.iter().find(|(id, _)| id == task).map(|(_, title)| title.clone());
        let title = read.unwrap_or_else(|| match task.as_str() {
            NO_TASK => format!("no task could be read from {}", self.specification.file),
            id => self.title.clone().unwrap_or_else(|| id.to_owned()),
        });
        let look = self.look();
        let problem =
            |problem: &SpecificationProblem| SpecificationProblem { action: Some(look.id.clone()), ..problem.clone() };
        Plan {
            problems: self.problems.iter().map(problem).collect(),
            ..Plan::of(
                self.specification.clone(),
                task.clone(),
                title,
                self.workspace.clone(),
                self.evidence_root.clone(),
                vec![look],
            )
        }
    }

    /// Returns the only step of such a task, which is never run: a check of its specification.
    fn look(&self) -> Action {
        Action {
            timeout_ms: DEADLINE_MS,
            grace_ms: 0,
            continue_on_failure: false,
            ..Action::of(
                ActionId::parse("SPECIFICATION.1").expect("it is an action id"),
                Phase::Step,
                format!("Load {}", self.specification.file),
                Work::File(self.look.clone()),
            )
        }
    }
}

struct SpecificationPaths {
    form: Form,
    workspace: PathBuf,
    /// Directory to which the evidence directory is relative.
    base: PathBuf,
    evidence: String,
    tasks: Vec<(TaskId, String)>,
    title: Option<String>,
    is_whole: bool,
    is_placed: bool,
}

impl SpecificationPaths {
    fn of(file: &Path, bytes: &[u8], given: Option<PathBuf>) -> Self {
        // Errors are reported elsewhere.
        let findings = &mut Findings::default();
        let directory = file.parent().unwrap_or(Path::new("/"));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let source = read::source(&name, bytes, findings);
        let root = if findings.has_errors() { None } else { read::tree(&source, findings) };
        let root = root.filter(|root| matches!(root.kind, Kind::Map(_)));
        let Some(root) = root.filter(|root| !is_other_form(root)) else {
            return Self::of_scraps(&String::from_utf8_lossy(bytes), directory, given);
        };
        let form = form(&root);
        let read = Written { root: &root, source: &source, file, bytes }.read(given, findings);
        let mut tasks: Vec<_> = read.tasks.into_iter().map(|task| (task.id, task.title)).collect();
        if form == Form::Short {
            let task = short::Specification::of(&root).task.node();
            // Without a `task` it has the default id, as it would without the error.
            tasks.retain(|(id, _)| task.is_none_or(|node| node.text() == Some(id.as_str())));
        }
        Self {
            form,
            workspace: if read.workspace.is_dir() { read.workspace } else { read.evidence_base.clone() },
            base: read.evidence_base,
            evidence: read.evidence.as_str().to_owned(),
            is_whole: !tasks.is_empty(),
            is_placed: true,
            title: None,
            tasks,
        }
    }

    /// Recovers parts of a text that is not a document. Its origin is unknown, so a directory it names counts
    /// only inside the directory of the file.
    fn of_scraps(text: &str, directory: &Path, given: Option<PathBuf>) -> Self {
        let form = if text.contains("schemaVersion") { Form::Full } else { Form::Short };
        let workspace = given.unwrap_or_else(|| scraps::workspace(text, directory));
        let evidence = scraps::evidence(text, &workspace);
        let is_single = form == Form::Short;
        let title = if is_single { scraps::title(text) } else { None };
        let mut tasks = scraps::tasks(text);
        if let ([(_, named)], Some(title)) = (tasks.as_mut_slice(), &title) {
            named.clone_from(title);
        }
        Self {
            form,
            base: workspace.clone(),
            workspace,
            is_placed: evidence.is_some(),
            evidence: evidence.unwrap_or_else(|| EVIDENCE.to_owned()),
            tasks,
            title,
            is_whole: false,
        }
    }
}

/// Converts the errors among complaints to problems of a plan.
fn problems(complaints: &[Complaint]) -> Vec<SpecificationProblem> {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let errors = complaints.iter().filter(|complaint| complaint.level == Level::Error);
    let problem = |complaint: &Complaint| SpecificationProblem {
        action: None,
        message: match &complaint.suggestion {
            Some(suggestion) => format!("{}; {suggestion}", complaint.message),
            None => complaint.message.clone(),
        },
        pointer: complaint.pointer.clone(),
        keyword: complaint.rule.as_ref().map_or(complaint.code.id(), |rule| rule.keyword()).to_owned(),
        schema_path: complaint.rule.as_ref().map(|rule| rule.path.clone()),
        allowed: complaint.rule.as_ref().map(|rule| rule.allowed.clone()).unwrap_or_default(),
        line: number(complaint.line),
        column: number(complaint.column),
    };
    errors.map(problem).collect()
}

/// Returns the problem of a file that could not be read.
fn unusable(message: &str) -> SpecificationProblem {
    SpecificationProblem {
        action: None,
        message: message.to_owned(),
        pointer: String::new(),
        keyword: "unreadable".to_owned(),
        schema_path: None,
        allowed: Vec::new(),
        line: 1,
        column: 1,
    }
}
