//! The project: its specification, its enrolment, and its state directory.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_ledger::State;
use referee_ledger::real_path;
use referee_model::doctor::{Check, Finding, Grade};
use referee_model::enrolment::{EnrolledBy, Enrolment};
use referee_model::plan::Plan;
use referee_model::suite::Suite;
use referee_spec::{Options, discover};

use crate::args::Specification;
use crate::command::person;
use crate::resolve;
use referee_engine::enrolment::{self, EnrolmentState};

pub(super) struct Project {
    /// Directory, with links resolved.
    pub(super) directory: PathBuf,
    /// Specification, if there is one that loads.
    pub(super) suite: Option<Suite>,
    pub(super) enrolment: Option<Enrolment>,
    /// The user's state directory, if it exists and can be used.
    pub(super) state: Option<State>,
    /// Reason why the state directory cannot be used.
    pub(super) no_state: Option<String>,
}

impl Project {
    /// Finds the project that contains the current directory.
    pub(super) fn find(context: &Context) -> (Self, Vec<Finding>) {
        let (state, no_state) = match context.state_if_any() {
            Ok(state) => (state, None),
            Err(problem) => (None, Some(problem.message)),
        };
        let found = enrolment::look(context, Path::new("."), state.as_ref());
        let (enrolment, enrolled) = match (&no_state, found) {
            (Some(_), _) => {
                let what = "the state directory cannot be used, so it is not known whether the project is enrolled";
                (None, Finding::bad(Check::Enrolment, Grade::Problem, what).fixed_by(Check::StateDirectory.fix()))
            }
            (None, Err(problem)) => (None, Finding::bad(Check::Enrolment, Grade::Problem, problem.message)),
            (None, Ok(EnrolmentState::Nothing)) => {
                (None, Finding::bad(Check::Enrolment, Grade::Problem, "the project is not enrolled"))
            }
            (None, Ok(EnrolmentState::Recorded(enrolment))) => (Some(enrolment.clone()), enrolled_by(&enrolment)),
            (None, Ok(EnrolmentState::Implied(enrolment))) => {
                let what = "its committed specification enrols it, at the first event of a hook";
                (Some(enrolment), Finding::ok(Check::Enrolment, what))
            }
        };
        let mut project = Self { directory: real_path(&context.directory), suite: None, enrolment, state, no_state };
        let mut findings = vec![project.load(context), enrolled];
        findings.extend(project.removal());
        findings.extend(project.held_out(person::may_see_places(context)));
        (project, findings)
    }

    /// Returns a project by its directory, before anything of it is read.
    pub(super) fn of_directory(directory: &Path) -> Self {
        Self { directory: directory.to_path_buf(), suite: None, enrolment: None, state: None, no_state: None }
    }

    pub(super) fn plan(&self) -> Option<&Plan> {
        self.suite.as_ref()?.tasks.first()
    }

    /// Returns a path relative to the project.
    pub(super) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.directory).unwrap_or(path).display().to_string()
    }

    fn load(&mut self, context: &Context) -> Finding {
        let bad = |what: String| Finding::bad(Check::Specification, Grade::Problem, what);
        let file = match &self.enrolment {
            Some(enrolment) => {
                self.directory.clone_from(&enrolment.project);
                enrolment.specification.clone()
            }
            None => match discover::find(&context.directory) {
                Ok(found) => {
                    self.directory = found.file.parent().unwrap_or(Path::new("/")).to_path_buf();
                    found.file
                }
                Err(error) => return bad(error.to_string()),
            },
        };
        if !file.is_file() {
            return bad(format!("{} is missing: hooks block until it is back", file.display()));
        }
        let named = Specification { files: vec![file.clone()], workspace: None };
        let loaded =
            resolve::load(context, &named).and_then(|loaded| loaded.into_iter().collect::<Result<Vec<_>, _>>());
        match loaded {
            Ok(loaded) => {
                self.suite = loaded.into_iter().next().map(|loaded| loaded.suite);
                let shown = self.shown(&file);
                let tasks = self.suite.as_ref().map_or(0, |suite| suite.tasks.len());
                let actions: usize =
                    self.suite.iter().flat_map(|suite| &suite.tasks).map(|plan| plan.actions.len()).sum();
                Finding::ok(Check::Specification, format!("{shown} loads: tasks {tasks}, actions {actions}"))
            }
            Err(problem) => bad(format!("{} does not load: {}", self.shown(&file), problem.message)),
        }
    }

    fn removal(&self) -> Option<Finding> {
        let told = enrolment::told_of_removal(self.state.as_ref(), &self.directory)?;
        let grade = if self.enrolment.is_some() { Grade::Warning } else { Grade::Problem };
        Some(Finding::bad(Check::Removal, grade, told))
    }

    /// Checks held-out checks. Their location is only shown if that is allowed.
    fn held_out(&self, is_named: bool) -> Option<Finding> {
        let path = self.enrolment.as_ref()?.held_out.as_ref()?;
        let shown = if is_named { path.display().to_string() } else { "their specification".to_owned() };
        let bad = |what: String| Some(Finding::bad(Check::HeldOut, Grade::Problem, what));
        if path.starts_with(&self.directory) {
            return bad(format!("{shown} is in the project"));
        }
        if !path.is_file() {
            return bad(format!("{shown} is missing"));
        }
        match referee_spec::load(path, &Options { workspace: Some(self.directory.clone()) }) {
            Ok(_) => Some(Finding::ok(Check::HeldOut, format!("{shown} loads, outside the project"))),
            Err(error) if is_named => bad(format!("{shown} does not load: {error}")),
            Err(_) => bad(format!("{shown} does not load")),
        }
    }
}

fn enrolled_by(enrolment: &Enrolment) -> Finding {
    let by = match enrolment.by {
        EnrolledBy::Person => "a person",
        EnrolledBy::Agent => "an agent, in its shell,",
        EnrolledBy::CommittedSpecification => "its committed specification",
    };
    let project = enrolment.project.display();
    Finding::ok(Check::Enrolment, format!("{project} is enrolled by {by} since {}", enrolment.since))
}
