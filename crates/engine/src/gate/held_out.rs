//! Checks that the agent never sees: where they may be, and how they are loaded. Neither their content nor their
//! path leaves the engine.

use std::path::{Path, PathBuf};

use referee_ledger::{State, real_path};
use referee_model::agent_order::PinnedFile;
use referee_model::gate::GateAnswer;
use referee_model::suite::Suite;
use referee_model::verdict::{Decision, Exit};
use referee_spec::{Options, discover};

use self::run::{HeldOutAnswer, HeldOutRequest};
use crate::context::Context;
use crate::error::EngineError;
use crate::path::straight;
use crate::request::RunRequest;

mod run;

/// Held-out checks whose path is outside the agent's reach.
#[derive(Debug)]
pub struct HeldOutChecks {
    /// A file, or a directory with one specification. `None` if nothing exists at the named path.
    place: Option<PathBuf>,
}

impl HeldOutChecks {
    /// Locates the named held-out checks, before anything runs.
    ///
    /// # Errors
    /// Fails if they are in the agent's reach, or if there is no state directory to keep their evidence in.
    pub fn find(context: &Context, named: &Path, suite: &Suite, state: Option<&State>) -> Result<Self, EngineError> {
        if state.is_none() {
            return Err(EngineError::usage(
                "the evidence of held-out checks is kept in the state directory, and there is none: set REFEREE_STATE_DIR to a \
                 directory outside the workspace"
                    .to_owned(),
            ));
        }
        let named = context.directory.join(named);
        let place = named.exists().then(|| real_path(&named));
        for plan in &suite.tasks {
            let in_reach = [plan.workspace.as_path(), plan.evidence_root.as_path(), repository(&plan.workspace)];
            let lies_in = |place: &Path| in_reach.iter().any(|directory| place.starts_with(directory));
            // The name counts too: the agent can follow a link in the workspace, or redirect it.
            if lies_in(&straight(&named)) || place.as_deref().is_some_and(lies_in) {
                return Err(in_agents_reach("they are in the repository, or are named by a path in it"));
            }
            if place.as_deref().is_some_and(|place| plan.workspace.starts_with(place)) {
                return Err(in_agents_reach("the directory that is named holds the workspace"));
            }
        }
        if let (Some(place), Some(plan)) = (&place, suite.tasks.first()) {
            let link = referee_ledger::held_out::link_to(&plan.workspace, place)?;
            if let Some(link) = link {
                return Err(in_agents_reach(&format!("the link {} in the workspace leads to them", link.display())));
            }
        }
        Ok(Self { place })
    }

    /// Adds the result of the held-out checks to an answer. They run only if all visible checks pass: a failing
    /// agent learns nothing from them.
    pub(super) fn add(
        &self,
        context: &Context,
        seen: &RunRequest<'_>,
        timeout: Option<u64>,
        answer: GateAnswer,
    ) -> GateAnswer {
        if answer.decision != Decision::Pass {
            return answer;
        }
        let HeldOutAnswer { held_out, note } = match self.request(context, seen, timeout) {
            Some(request) => run::ask(request),
            None => HeldOutAnswer { held_out: referee_judge::held_out::unjudged(Exit::Specification), note: None },
        };
        let mut answer = referee_judge::held_out::add(answer, held_out);
        answer.notes.extend(note);
        answer
    }

    /// Loads them for the workspace of the visible run. Returns `None`, without a reason, if they cannot be loaded.
    fn request<'request>(
        &self,
        context: &Context,
        seen: &'request RunRequest<'request>,
        timeout: Option<u64>,
    ) -> Option<HeldOutRequest<'request>> {
        let (_, suite) = self.load(&seen.suite.tasks.first()?.workspace)?;
        let executions = suite.tasks.iter().map(|_| context.new_execution().ok()).collect::<Option<_>>()?;
        Some(HeldOutRequest { seen, suite, executions, timeout })
    }

    /// Loads them and returns the file that they are in. Returns `None`, without a reason, if they cannot be loaded.
    fn load(&self, workspace: &Path) -> Option<(PathBuf, Suite)> {
        let place = self.place.as_deref()?;
        let file = if place.is_dir() { only_specification(place)? } else { place.to_path_buf() };
        let options = Options { workspace: Some(workspace.to_path_buf()) };
        let suite = referee_spec::load(&file, &options).ok()?.suite;
        Some((file, suite))
    }

    /// Records which file they are in and its state, for callers that ask more than once.
    ///
    /// # Errors
    /// Fails if they cannot be loaded.
    pub fn pin(&self, suite: &Suite) -> Result<PinnedFile, EngineError> {
        let found = suite.tasks.first().and_then(|plan| self.load(&plan.workspace));
        let (file, held_out) = found.ok_or_else(|| {
            EngineError::usage("the held-out checks cannot be loaded: whoever keeps them must see to it".to_owned())
        })?;
        Ok(PinnedFile { path: file.display().to_string(), sha256: held_out.specification.digest })
    }
}

/// Returns the root of the repository that a workspace belongs to, or the workspace if there is no repository.
fn repository(workspace: &Path) -> &Path {
    workspace.ancestors().find(|directory| directory.join(".git").exists()).unwrap_or(workspace)
}

fn in_agents_reach(why: &str) -> EngineError {
    EngineError::usage(format!("the held-out checks are in the agent's reach: {why}; keep them elsewhere"))
}

/// Returns the only specification in a directory. Returns `None` if there is none, or more than one.
fn only_specification(directory: &Path) -> Option<PathBuf> {
    let mut found = discover::below(directory).ok()?.into_iter();
    let only = found.next().filter(|found| found.beside.is_empty())?;
    found.next().is_none().then_some(only.file)
}
