//! What the project at hand has names for, looked up when it is first asked for. What cannot be read has none.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Arg;
use clap_complete::engine::CompletionCandidate;
use referee_engine::context::{Context, SpecificationNames};
use referee_engine::incident::{self, IncidentDir};
use referee_model::id::{ExecutionId, TaskId};
use referee_model::incident::id::IncidentId;
use referee_model::outcome::Rule;
use referee_model::plan::{Action, Plan};
use referee_report::formats::ReportFormat;
use referee_schema::published as schema;

use crate::args::{Color, Global};
use crate::command::explain::term;
use crate::resolve;

/// Directory of earlier runs in an evidence root.
const HISTORY: &str = ".history";

/// Returns what may be typed for an argument.
pub(super) type Values = fn(&Project) -> Vec<CompletionCandidate>;

/// Returns the values of an argument of a command of this group, by the name that help gives to it. None: help says all
/// that is known.
pub(super) fn values_of(group: &str, argument: &Arg) -> Option<Values> {
    let name = argument.get_value_names()?.first()?.as_str();
    match (group, name) {
        (_, "TASK") => Some(Project::tasks),
        (_, "STEP" | "ACTION") => Some(Project::actions),
        ("incident", "ID") => Some(Project::incidents),
        ("explain", "SUBJECT") => Some(Project::subjects),
        ("schema", "NAME") => Some(|_| schema::names().map(CompletionCandidate::new).collect()),
        ("parse", "TOOL") => Some(|_| referee_readers::tools().map(CompletionCandidate::new).collect()),
        ("report", "FORMAT") => {
            Some(|_| ReportFormat::ALL.map(ReportFormat::as_str).map(CompletionCandidate::new).into())
        }
        ("diagnostics", "RUN") => Some(Project::executions),
        ("evidence", "DIR|EXECUTION") | ("compare", "BEFORE" | "AFTER") => Some(Project::runs),
        (_, "DIR") if argument.get_id() == "evidence" => Some(Project::evidence),
        _ => None,
    }
}

/// The project of a directory.
pub(super) struct Project {
    /// None: the directory cannot be looked at.
    context: Option<Context>,
    plans: OnceLock<Vec<Plan>>,
}

impl Project {
    /// Returns the project of this directory, or of the current one.
    pub(super) fn at(directory: Option<PathBuf>) -> Self {
        let global = Global { directory, color: Color::Never, quiet: true, verbose: 0, no_progress: true };
        Self { context: resolve::look(&global).ok(), plans: OnceLock::new() }
    }

    fn plans(&self) -> &[Plan] {
        self.plans.get_or_init(|| {
            let Some(context) = &self.context else { return Vec::new() };
            let files = context.variable("REFEREE_SPECIFICATION").map(PathBuf::from).into_iter().collect();
            let Ok(loaded) = context.load(&SpecificationNames { files, workspace: None }) else { return Vec::new() };
            loaded.all.into_iter().filter_map(Result::ok).flat_map(|loaded| loaded.suite.tasks).collect()
        })
    }

    fn tasks(&self) -> Vec<CompletionCandidate> {
        self.plans().iter().map(|plan| candidate(plan.task.as_str(), &plan.title)).collect()
    }

    /// Actions by their ids, and by their names.
    fn actions(&self) -> Vec<CompletionCandidate> {
        let actions = || self.plans().iter().flat_map(|plan| &plan.actions);
        let by_id = |action: &Action| candidate(action.id.as_str(), &action.name);
        let by_name = |action: &Action| candidate(&action.name, action.id.as_str());
        let mut all: Vec<_> = actions().map(by_id).chain(actions().map(by_name)).collect();
        all.sort();
        all.dedup();
        all
    }

    /// What `referee explain` knows.
    fn subjects(&self) -> Vec<CompletionCandidate> {
        let rules = Rule::ALL.into_iter().map(|rule| candidate(rule.as_str(), rule.meaning()));
        let terms = term::all();
        let terms = terms.iter().map(|term| candidate(&term.id, term.kind.as_str()));
        self.actions().into_iter().chain(rules).chain(terms).collect()
    }

    fn incidents(&self) -> Vec<CompletionCandidate> {
        let Some(context) = &self.context else { return Vec::new() };
        let named = context.variable("REFEREE_INCIDENT_ROOT").map(PathBuf::from);
        let root = incident::root(context, named.as_deref());
        let directories = IncidentDir::ALL.map(|part| root.join(part.directories().join("/")));
        let names = directories.iter().flat_map(|directory| names_in(directory));
        names.filter(|name| IncidentId::parse(name).is_ok()).map(CompletionCandidate::new).collect()
    }

    /// Evidence directories of the tasks, as they are typed.
    fn evidence(&self) -> Vec<CompletionCandidate> {
        let Some(context) = &self.context else { return Vec::new() };
        let directories = self.plans().iter().map(|plan| (plan.evidence_root.join(plan.task.as_str()), plan));
        let there = directories.filter(|(directory, _)| directory.is_dir());
        there.map(|(directory, plan)| candidate(&context.shown(&directory).to_string_lossy(), &plan.title)).collect()
    }

    /// Ids of earlier runs.
    fn executions(&self) -> Vec<CompletionCandidate> {
        let histories = self.plans().iter().map(|plan| (plan.evidence_root.join(HISTORY), &plan.task));
        let runs = |(history, task): (PathBuf, &TaskId)| names_in(&history.join(task.as_str()));
        let mut runs: Vec<String> =
            histories.flat_map(runs).filter(|run| ExecutionId::parse(run.as_str()).is_ok()).collect();
        // Ids begin with the time, and the latest are meant most often.
        runs.sort_unstable_by(|one, other| other.cmp(one));
        runs.into_iter().map(CompletionCandidate::new).collect()
    }

    fn runs(&self) -> Vec<CompletionCandidate> {
        self.evidence().into_iter().chain(self.executions()).collect()
    }
}

fn candidate(value: &str, meaning: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help((!meaning.is_empty()).then(|| meaning.to_owned().into()))
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
