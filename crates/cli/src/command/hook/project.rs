//! Finds the enrolled projects of an event, mostly one.

use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::enrolment;
use referee_engine::error::EngineError;
use referee_ledger::{State, real_path};
use referee_model::enrolment::Enrolment;
use referee_model::hook::{AgentHost, HookEvent};

use super::record;
use crate::output;

/// Finds the enrolled projects of these directories, each once. Empty: none is enrolled.
///
/// | in this order                              | because                                   |
/// |--------------------------------------------|-------------------------------------------|
/// | the project that the session began in      | an agent that goes elsewhere stays judged |
/// | the project directory that the host names  | the same                                  |
/// | the directory that the event names         | the agent works there                     |
/// | the directory that the hook was started in | the event may be invalid, or name none    |
///
/// # Errors
/// Fails if they cannot be determined.
pub(super) fn enrolled(
    context: &Context,
    host: AgentHost,
    event: Option<&HookEvent>,
    state: Option<&State>,
) -> Result<Vec<Enrolment>, EngineError> {
    let session = match (state, event.and_then(|event| event.session.as_deref())) {
        (Some(state), Some(id)) => record::project(state, host, id)?,
        _ => None,
    };
    let named = event.and_then(|event| event.directory.as_ref()).map(|directory| context.directory.join(directory));
    let all =
        session.into_iter().chain(project_directory(context, host)).chain(named).chain([context.directory.clone()]);
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found: Vec<Enrolment> = Vec::new();
    for directory in all.map(|directory| real_path(&directory)) {
        if seen.contains(&directory) {
            continue;
        }
        let mut notes = Vec::new();
        let enrolment = enrolment::standing(context, &directory, state, &mut notes)?;
        output::notes(&notes)?;
        let is_new = |enrolment: &Enrolment| found.iter().all(|known| known.project != enrolment.project);
        found.extend(enrolment.filter(is_new));
        seen.push(directory);
    }
    Ok(found)
}

/// Returns the project directory that a host passes in a variable.
fn project_directory(context: &Context, host: AgentHost) -> Option<PathBuf> {
    let variable = match host {
        // Copilot and VS Code also run the configuration of Claude Code.
        AgentHost::Claude | AgentHost::Copilot | AgentHost::VsCode => "CLAUDE_PROJECT_DIR",
        AgentHost::Gemini => "GEMINI_PROJECT_DIR",
        AgentHost::Qwen => "QWEN_PROJECT_DIR",
        AgentHost::Cursor => "CURSOR_PROJECT_DIR",
        AgentHost::Codex | AgentHost::OpenCode => return None,
    };
    context.variable(variable).map(|value| context.directory.join(value))
}
