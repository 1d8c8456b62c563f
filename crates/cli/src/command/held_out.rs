//! Checks that the agent never sees, as they are named at the prompt: where they may lie, and how they are loaded. No word
//! of what is in them, and none of where they lie, leaves this program.

use std::path::{Path, PathBuf};

use referee_engine::held_out::{self, HeldOutAnswer, HeldOutRequest};
use referee_engine::path::straight;
use referee_engine::request::Failure;
use referee_engine::suite::SuiteRequest;
use referee_ledger::State;
use referee_model::gate::GateAnswer;
use referee_model::suite::Suite;
use referee_model::verdict::{Decision, Exit};
use referee_spec::{Options, discover};
use referee_wire::agent_order::PinnedFile;

use super::gating::Question;
use crate::error::Problem;
use crate::resolve::World;

/// Held-out checks that lie out of the agent's reach, as far as their place tells.
pub(super) struct HeldOutChecks {
    /// A file, or a folder with one specification. None: there is nothing at the place that was named.
    place: Option<PathBuf>,
}

/// Takes the held-out checks that are named, before anything runs. None: none are.
///
/// # Errors
/// Fails where they lie in the agent's reach, or where there is no state folder to keep their evidence in.
pub(super) fn named(
    world: &World,
    question: &Question<'_>,
    suite: &Suite,
    state: Option<&State>,
) -> Result<Option<HeldOutChecks>, Problem> {
    let Some(path) = &question.asked.held_out else { return Ok(None) };
    if state.is_none() {
        return Err(Problem::usage(
            "the evidence of held-out checks is kept in the state folder, and there is none: set REFEREE_STATE_DIR to a \
             folder outside the workspace"
                .to_owned(),
        ));
    }
    let named = world.directory.join(path);
    let place = named.canonicalize().ok();
    for plan in &suite.tasks {
        let in_reach = [plan.workspace.as_path(), plan.evidence_root.as_path(), repository(&plan.workspace)];
        let lies_in = |place: &Path| in_reach.iter().any(|folder| place.starts_with(folder));
        // The name counts too: a link in the workspace is one that the agent can follow, or turn.
        if lies_in(&straight(&named)) || place.as_deref().is_some_and(lies_in) {
            return Err(in_agents_reach("they lie in the repository, or are named by a path in it"));
        }
        if place.as_deref().is_some_and(|place| plan.workspace.starts_with(place)) {
            return Err(in_agents_reach("the folder that is named holds the workspace"));
        }
    }
    if let (Some(place), Some(plan)) = (&place, suite.tasks.first()) {
        let link = referee_ledger::held_out::link_to(&plan.workspace, place).map_err(Failure::from)?;
        if let Some(link) = link {
            return Err(in_agents_reach(&format!("the link {} in the workspace leads to them", link.display())));
        }
    }
    Ok(Some(HeldOutChecks { place }))
}

/// The folder of the repository that a workspace belongs to; the workspace where it is none.
fn repository(workspace: &Path) -> &Path {
    workspace.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(workspace)
}

fn in_agents_reach(why: &str) -> Problem {
    Problem::usage(format!("the held-out checks are in the agent's reach: {why}; keep them elsewhere"))
}

/// Adds to an answer what held-out checks come to. They are run where all that can be seen passes: a failing agent learns
/// nothing from them.
pub(super) fn add(
    world: &World,
    question: &Question<'_>,
    checks: Option<HeldOutChecks>,
    seen: &SuiteRequest<'_>,
    answer: GateAnswer,
) -> GateAnswer {
    let Some(checks) = checks.filter(|_| answer.decision == Decision::Pass) else { return answer };
    let HeldOutAnswer { held_out, note } = match request(world, question, &checks, seen) {
        Some(request) => held_out::ask(request),
        None => HeldOutAnswer { held_out: referee_judge::held_out::unjudged(Exit::Specification), note: None },
    };
    let mut answer = referee_judge::held_out::add(answer, held_out);
    answer.notes.extend(note);
    answer
}

/// Loads them for the workspace in which the seen ones ran. None: they cannot be loaded; why is not told.
fn request<'request>(
    world: &World,
    question: &Question<'_>,
    checks: &HeldOutChecks,
    seen: &'request SuiteRequest<'request>,
) -> Option<HeldOutRequest<'request>> {
    let (_, suite) = loaded(checks, &seen.suite.tasks.first()?.workspace)?;
    Some(HeldOutRequest {
        seen,
        executions: suite.tasks.iter().map(|_| world.new_execution().ok()).collect::<Option<_>>()?,
        suite,
        deadline_ms: question.deadline_ms,
    })
}

/// Loads them, and says which file they are in. None: they cannot be loaded; why is not told.
fn loaded(checks: &HeldOutChecks, workspace: &Path) -> Option<(PathBuf, Suite)> {
    let place = checks.place.as_deref()?;
    let file = if place.is_dir() { the_one(place)? } else { place.to_path_buf() };
    let options = Options { workspace: Some(workspace.to_path_buf()) };
    let suite = referee_spec::load(&file, &options).ok()?.suite;
    Some((file, suite))
}

/// Takes down which file the held-out checks that are named are in, and how it is, for who asks more than once. None: none are
/// named.
///
/// # Errors
/// As [`named`], and where they cannot be loaded.
pub(super) fn pinned(
    world: &World,
    question: &Question<'_>,
    suite: &Suite,
    state: Option<&State>,
) -> Result<Option<PinnedFile>, Problem> {
    let Some(checks) = named(world, question, suite, state)? else { return Ok(None) };
    let found = suite.tasks.first().and_then(|plan| loaded(&checks, &plan.workspace));
    let (file, held_out) = found.ok_or_else(|| {
        Problem::usage("the held-out checks cannot be loaded: whoever keeps them must see to it".to_owned())
    })?;
    Ok(Some(PinnedFile { path: file.display().to_string(), sha256: held_out.specification.digest }))
}

/// The only specification in a folder. None: there is none, or there are several.
fn the_one(folder: &Path) -> Option<PathBuf> {
    let mut found = discover::below(folder).ok()?.into_iter();
    let only = found.next().filter(|found| found.beside.is_empty())?;
    found.next().is_none().then_some(only.file)
}
