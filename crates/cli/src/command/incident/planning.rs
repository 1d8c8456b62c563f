//! `referee incident plan`.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::incident::planning::{self, PlanRequest};
use referee_engine::problem::Problem;
use referee_exec::signal;
use referee_judge::doctor::shell_words;
use referee_model::incident::remediation::{Verification, VerificationOrigin};
use referee_model::plan::{Action, Phase};
use referee_report::human;
use referee_wire::exit_code;

use crate::args::Specification;
use crate::args::incident::planning::{Plan, Planning};
use crate::output;
use crate::resolve;

pub(super) fn plan(context: &Context, arguments: &Plan) -> Result<u8, Problem> {
    let id = super::id(&arguments.id)?;
    let mut request = request(context, &arguments.planning)?;
    if request.planner.is_some() {
        let cancellation = signal::install();
        request.cancellation =
            Some(cancellation.map_err(|error| Problem::internal(format!("signals cannot be listened for: {error}")))?);
    }
    request.force = arguments.force;
    request.targets.clone_from(&arguments.target);
    let service = super::service(context, &arguments.root)?;
    let by = person(context);
    let plan = planning::plan(service.context(&by), &id, &request)?;
    output::document(
        arguments.format,
        || referee_wire::to_bytes(&plan),
        |out| human::remediation::plan(&plan, context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// How plans are made here: with the checks of the specification, and the planner that was named. Whoever asks for plans
/// otherwise (the loop, the API) asks with this too.
pub(in crate::command) fn request(context: &Context, asked: &Planning) -> Result<PlanRequest, Problem> {
    let (checks, workspace) = checks(context, asked.specification.as_deref())?;
    let words = asked.planner.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(|text| {
        shell_words(text).filter(|words| !words.is_empty()).ok_or_else(|| {
            Problem::usage(
                "--planner takes a program and its arguments alone: put anything else into a script".to_owned(),
            )
        })
    });
    Ok(PlanRequest {
        checks,
        workspace,
        planner: words.transpose()?,
        planner_ms: asked.planner_timeout.unwrap_or(0),
        ..PlanRequest::default()
    })
}

/// The checks of the specification, and its workspace. Without one there are none; one that cannot be loaded has none, which is
/// told: its own failure may be what is planned.
fn checks(context: &Context, file: Option<&Path>) -> Result<(Vec<Verification>, PathBuf), Problem> {
    let files = file.map(Path::to_path_buf).into_iter().collect();
    let is_named = file.is_some();
    let loaded = resolve::load(context, &Specification { files, workspace: None });
    let loaded = loaded.and_then(|loaded| loaded.into_iter().collect::<Result<Vec<_>, _>>());
    match loaded {
        Ok(loaded) => {
            let tasks: Vec<_> = loaded.iter().flat_map(|loaded| &loaded.suite.tasks).collect();
            let workspace = tasks.first().map_or_else(|| context.directory.clone(), |plan| plan.workspace.clone());
            let of_task = |task: &str, action: &Action| {
                let id = if tasks.len() > 1 { format!("{task}/{}", action.id) } else { action.id.to_string() };
                Verification { command: action.work.as_line(), origin: VerificationOrigin::Check(id) }
            };
            let steps = tasks.iter().flat_map(|plan| {
                let steps = plan.actions.iter().filter(|action| action.phase == Phase::Step);
                steps.map(|action| of_task(plan.task.as_str(), action)).collect::<Vec<_>>()
            });
            Ok((steps.collect(), workspace))
        }
        Err(problem) if is_named => Err(problem),
        Err(problem) => {
            let note = format!("note: no check of a specification verifies this plan: {}\n", problem.message);
            output::aside(note.as_bytes())?;
            Ok((Vec::new(), context.directory.clone()))
        }
    }
}

/// Who types, as far as the environment says it: for events, and for nothing that decides.
pub(super) fn person(context: &Context) -> String {
    crate::command::person::user(context).unwrap_or_else(|| "somebody".to_owned())
}
