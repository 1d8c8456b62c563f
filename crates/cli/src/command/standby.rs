//! `referee standby`: goes on with loops whose machine is gone.

use std::path::Path;

use referee_engine::context::{Context, SpecificationNames};
use referee_engine::depot::{self, DepotClient};
use referee_engine::error::EngineError;
use referee_engine::standby::{LoopBoard, ProjectStandby};
use referee_engine::{keys, repair, worker};
use referee_model::agent_checkpoint::AgentLoopId;
use referee_model::exit_code;
use referee_model::id::ProjectName;
use referee_model::loop_list::LIST;
use referee_model::verdict::Exit;
use referee_report::human;

use crate::args::standby::Standby;
use crate::follower::notes;
use crate::{output, resolve};

pub(super) fn execute(context: &Context, arguments: &Standby) -> Result<u8, EngineError> {
    let mut notes = notes(context);
    let names = SpecificationNames { files: Vec::new(), workspace: None };
    let suite =
        context.load_single(&names, "several specifications are here: change to one's directory", &mut notes)?;
    let root = suite.tasks.first().map_or(Path::new(""), |plan| plan.evidence_root.as_path());
    let depot = depot::address(context, &arguments.from)?;
    let client = DepotClient::new(context, depot.clone(), arguments.project.project.as_ref(), root)?;
    if arguments.list {
        return list(context, arguments, client);
    }
    let key = worker::key(context, arguments.key.as_deref())?;
    let signer = keys::named(context, &key, &[])?;
    let through = [format!("--from={depot}"), format!("--key={}", repair::text(key.as_os_str(), "--key")?)];
    let cancellation = resolve::signals()?;
    let standby = ProjectStandby {
        context,
        depot: client,
        signer: &signer,
        silence_ms: arguments.silence,
        jobs: arguments.jobs,
        worktrees: arguments.worktrees.clone(),
        words: &|of, project| words(arguments, &through, of, project),
        cancellation: &cancellation,
        notes,
    };
    let have_ended = standby.watch()?;
    Ok(if have_ended { exit_code::PASSED } else { exit_code::of(Exit::Failed) })
}

fn list(context: &Context, arguments: &Standby, depot: DepotClient) -> Result<u8, EngineError> {
    let nowhere = "trusted keys are kept in the state directory: set REFEREE_STATE_DIR, or HOME";
    let state = context.state([])?.ok_or_else(|| EngineError::usage(nowhere.to_owned()))?;
    let loops = LoopBoard::new(context, depot, state).list()?;
    output::document(
        arguments.format,
        || LIST.encode(&loops),
        |out| human::loops::list(&loops, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Returns what is typed to go on with a loop, or why it cannot. `through` says with which depot and key.
fn words(
    arguments: &Standby,
    through: &[String],
    of: &AgentLoopId,
    project: &ProjectName,
) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = match of {
        AgentLoopId::Run(run) => ["agent", "run", "--resume", run].map(str::to_owned).to_vec(),
        AgentLoopId::Incident(id) => {
            let agent = arguments.agent.as_ref().ok_or("name the agent with --agent and --agent-label")?;
            let words = ["incident".to_owned(), "run".to_owned(), id.to_string(), format!("--agent={agent}")];
            let labels = arguments.agent_label.iter().map(|label| format!("--agent-label={label}"));
            words.into_iter().chain(labels).collect()
        }
    };
    words.push(format!("--project={project}"));
    words.extend_from_slice(through);
    Ok(words)
}
