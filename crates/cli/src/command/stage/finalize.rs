//! `referee stage finalize`.

use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::incident::IncidentService;
use referee_engine::problem::Problem;
use referee_engine::stage::finalizing::{self, Finalized, Wishes};
use referee_engine::stage::{Opened, validating};
use referee_report::human;
use referee_wire::exit_code;
use referee_wire::stage::deeds::{StageFinalizedDocument, StageOutcome};

use super::changing::Door;
use super::specification;
use crate::args::incident::Root;
use crate::args::stage::finalize::Finalize;
use crate::command::{incident, person};
use crate::output;

/// Ends a stage, or says why not.
pub(super) fn execute(context: &Context, arguments: &Finalize) -> Result<u8, Problem> {
    if arguments.without_handback {
        person::refuse_an_agent(context, "finalize a stage without a handback")?;
    }
    let (door, mut opened) = Door::open(context, &arguments.which, None, arguments.adopt)?;
    let wishes =
        Wishes { dry_run: arguments.dry_run, without_handback: arguments.without_handback, adopt: arguments.adopt };
    let root = root(context, arguments, &opened);
    let verify = |opened: &Opened| {
        if arguments.dry_run {
            return specification::recorded(door.state(), opened, &validating::outputs(opened)?);
        }
        specification::verify(context, &arguments.holding, opened)
    };
    let incidents = || open_incidents(context, &root);
    let finalized = finalizing::finalize(&door.workshop(), &mut opened, wishes, verify, incidents)?;
    output::document(
        arguments.format,
        || referee_wire::to_bytes(&finalized.document),
        |out| human::stage::deeds::finalized(&finalized.document, &context.terminal.stdout, out),
    )?;
    Ok(exit(&finalized))
}

/// The folder of incidents: as named, or below the workspace that the run's stages are about.
fn root(context: &Context, arguments: &Finalize, opened: &Opened) -> Root {
    let named = arguments.incidents.root.as_ref().map(|root| context.directory.join(root));
    let of_run = || {
        let composed = opened.history.composed.as_ref()?;
        Some(referee_engine::incident::below(&PathBuf::from(&composed.workspace)))
    };
    Root { root: named.or_else(of_run) }
}

fn open_incidents(context: &Context, root: &Root) -> Result<IncidentService, String> {
    incident::service(context, root).map_err(|problem| problem.message)
}

/// The exit code: of what became of the stage, and where its specification decides, of that.
fn exit(finalized: &Finalized) -> u8 {
    let document = &finalized.document;
    match document.outcome {
        StageOutcome::Published | StageOutcome::AlreadyPublished => exit_code::PASSED,
        StageOutcome::Error if finalized.is_incident_lost => exit_code::EVIDENCE,
        StageOutcome::Question | StageOutcome::Error => exit_code::FAILED,
        StageOutcome::Refused => refused(document),
    }
}

/// The worse of what the specification exits with and that something else stands against it (design, "Exit codes").
fn refused(document: &StageFinalizedDocument) -> u8 {
    let of_verdict = document.verdict.as_ref().map(|verdict| verdict.exit).filter(|exit| *exit != exit_code::PASSED);
    let Some(exit) = of_verdict else { return exit_code::FAILED };
    let is_all = document.objections.iter().all(|objection| objection.name == "verdict_contradicts");
    let is_less = exit_code::gravity(exit) < exit_code::gravity(exit_code::FAILED);
    if is_less && !is_all { exit_code::FAILED } else { exit }
}
