//! Builds a clean room for a specification in a workspace, and loads the specification in the room.

use referee_ledger::State;
use referee_ledger::clean_room::{Blueprint, Room};
use referee_model::suite::Suite;
use referee_spec::{Complaint, Options};

use super::RunBuilder;
use crate::clean_room::{self, Workspace};
use crate::context::Context;
use crate::error::EngineError;
use crate::event_sink::{EventSink, Note};
use crate::protection::{Baseline, ProtectedContents};
use crate::suite;

/// Returns the required contents of a workspace's protected files, from their baseline.
fn protected(baseline: Option<&Baseline>, suite: &Suite) -> Result<ProtectedContents, EngineError> {
    let (Some(baseline), Some(plan)) = (baseline, suite.tasks.first()) else { return Ok(ProtectedContents::new()) };
    Ok(baseline.protected_contents(plan)?)
}

/// Builds a clean room for a specification, and loads the specification in it.
///
/// # Errors
/// Fails if there is no state directory, or if the specification in the room is invalid. A room that cannot be
/// built is an answer, not an error: the tasks are BLOCKED.
pub(super) fn enter(
    builder: &RunBuilder<'_>,
    candidate: &Suite,
    baseline: Option<&Baseline>,
    events: &mut dyn EventSink,
) -> Result<(Suite, Workspace), EngineError> {
    let protected = protected(baseline, candidate)?;
    let state = builder.state().ok_or_else(|| {
        EngineError::usage(
            "a clean room is built in the state directory, and there is none: set REFEREE_STATE_DIR to a directory outside the \
             workspace"
                .to_owned(),
        )
    })?;
    let nowhere = |reason| Ok((candidate.clone(), Workspace::NoCleanRoom { reason }));
    let with_history = builder.options.fleet.is_none();
    let (room, mut suite, warnings) = match build(builder.context, (candidate, with_history), &protected, state)? {
        Ok(built) => built,
        Err(reason) => return nowhere(reason),
    };
    if suite.specification.digest != candidate.specification.digest {
        events.on_note(&Note::Complaints(&warnings));
    }
    if suite::wanted(&suite, builder.tasks).len() < suite::wanted(candidate, builder.tasks).len() {
        return nowhere("the specification at the baseline has not all the tasks that are asked for".to_owned());
    }
    let (world, host) = (&builder.exec, &builder.context.host());
    let ready = match &builder.options.fleet {
        Some(_) => clean_room::make_ready_to_send(room, &mut suite, world, host),
        None => clean_room::make_ready(room, &mut suite, state, world, host),
    };
    let mut ready = match ready {
        Ok(ready) => ready,
        Err(error) => return nowhere(error.to_string()),
    };
    if builder.options.keep_room {
        let tree = ready.room_mut().keep()?;
        events.on_note(&Note::Text(format!("the clean room is kept at {}", tree.display())));
    }
    Ok((suite, Workspace::CleanRoom(Box::new(ready))))
}

type Built = Result<(Room, Suite, Vec<Complaint>), String>;

/// Builds a room and loads the specification in it. If that one leaves other paths out of the room than the
/// candidate's, the room is built again accordingly. A worker gets sources alone, so a room that is sent has no history.
fn build(
    context: &Context,
    (candidate, with_history): (&Suite, bool),
    protected: &ProtectedContents,
    state: &State,
) -> Result<Built, EngineError> {
    let Some(workspace) = candidate.tasks.first().map(|plan| plan.workspace.as_path()) else {
        return Ok(Err("the specification has no task".to_owned()));
    };
    // The specification determines it, and the one in the room takes precedence over the candidate's.
    let mut left_out = clean_room::scope(&candidate.tasks, workspace);
    for _ in 0..2 {
        let blueprint =
            Blueprint { candidate: workspace, excluded: &left_out.excluded, outputs: &left_out.outputs, protected };
        let mut room = match Room::build(state, &blueprint) {
            Ok(room) => room,
            Err(error) => return Ok(Err(error.to_string())),
        };
        // A file outside the workspace is given by its absolute path.
        let file = room.tree().join(&candidate.specification.file);
        if !file.is_file() {
            let file = &candidate.specification.file;
            return Ok(Err(format!("the specification {file} is not in it: git ignores it, or the baseline has none")));
        }
        let options = Options { workspace: Some(room.tree().to_path_buf()) };
        let loaded = referee_spec::load(&file, &options)?;
        let wanted = clean_room::scope(&loaded.suite.tasks, room.tree());
        if wanted == left_out {
            if with_history && let Err(why) = clean_room::give_history(&mut room, context.search_path()) {
                room.note(format!(
                    "there is no .git in the clean room, so tools that ask git for a version or for what changed find none: {why}"
                ));
            }
            return Ok(Ok((room, loaded.suite, loaded.warnings)));
        }
        left_out = wanted;
    }
    Ok(Err("the specification in it names other evidence or outputs each time that it is built".to_owned()))
}
