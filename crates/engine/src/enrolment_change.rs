//! Enrolling a project, and taking it out of the gate.

use std::path::{Path, PathBuf};

use referee_exec::git::Repository;
use referee_ledger::{State, enrolment as records, real_path};
use referee_model::enrolment::{EnrolledBy, Enrolment, EnrolmentRecord, FleetSettings, Removal, TrustedCommit};
use referee_model::tree_manifest::TreeManifest;
use referee_spec::{Options, discover};

use crate::context::{Context, SpecificationNames};
use crate::enrolment::{EnrolmentState, kept, look};
use crate::error::EngineError;
use crate::event_sink::{EventSink, Note};
use crate::order_queue::{FleetClient, FleetOptions};
use crate::person;
use crate::protection_source::known_locks;

/// The settings to enrol a project with.
#[derive(Debug, Clone, Default)]
pub struct EnrolmentRequest {
    /// Path of the specification. `None`: the nearest one.
    pub path: Option<PathBuf>,
    /// Path of the held-out checks, which agents never see. `None`: unchanged.
    pub held_out: Option<PathBuf>,
    /// The commit that protected files are compared with. `None`: unchanged.
    pub trusted: Option<String>,
    /// Workers that run the checks that hooks ask for. `None`: unchanged.
    pub fleet: Option<FleetSettings>,
}

/// Enrols a project. For an agent, a request that matches the current enrolment changes nothing and succeeds.
/// `None`: there is no record.
///
/// # Errors
/// Fails if an agent requests a change, if something named cannot be used, if a depot that is named takes no files, or if the
/// record cannot be written.
pub fn enroll(
    context: &Context,
    request: &EnrolmentRequest,
    events: &mut dyn EventSink,
) -> Result<Option<EnrolmentRecord>, EngineError> {
    let EnrolledFiles { project, specification, evidence_root } = meant(context, request, events)?;
    let state = state(context, &project)?;
    let records = records::above(&state, &project)?;
    let before = records.into_iter().find(|record| record.enrolment.project == project);
    let before = before.filter(EnrolmentRecord::is_enrolled).map(|record| record.enrolment);
    let held_out = match &request.held_out {
        Some(path) => Some(held_out(context, path, &project)?),
        None => before.as_ref().and_then(|before| before.held_out.clone()),
    };
    let trusted = match &request.trusted {
        Some(reference) => Some(trusted(context, &project, reference)?),
        None => before.as_ref().and_then(|before| before.trusted.clone()),
    };
    let fleet = request.fleet.clone().or_else(|| before.as_ref().and_then(|before| before.fleet.clone()));
    if held_out.is_some() && fleet.is_some() {
        return Err(EngineError::usage(
            "held-out checks never leave this machine, so a project has either these or workers: end the enrolment with \
             --remove to choose again"
                .to_owned(),
        ));
    }
    let since = before.as_ref().map_or_else(|| context.now(), |before| before.since);
    let wanted = Enrolment { project, specification, by: EnrolledBy::Person, since, held_out, trusted, fleet };
    if person::agent(context).is_some() {
        let asks_the_same = |before: &Enrolment| Enrolment { by: before.by, ..wanted.clone() } == *before;
        if !before.as_ref().is_some_and(asks_the_same) {
            let operation = if before.is_some() { "change how a project is enrolled" } else { "enrol a project" };
            person::refuse_to_move_the_gate(context, operation)?;
        }
        let kept = records::above(&state, &wanted.project)?;
        return Ok(kept.into_iter().next());
    }
    if let Some(settings) = request.fleet.clone() {
        let options = FleetOptions { settings, receipt_age_ms: None };
        let client = FleetClient::new(context, Some(&state), &options, &evidence_root)?;
        // As an order does, which begins a depot that is empty.
        client.depot.put_tree(&wanted.project, TreeManifest { files: Vec::new() })?;
    }
    known_locks::remember_below(&state, &wanted.project)?;
    let record = records::enroll(&state, wanted)?;
    context.mention(&state);
    Ok(Some(record))
}

/// Resolves a revision to its current commit. The commit is recorded, even if the name moves later.
fn trusted(context: &Context, project: &Path, reference: &str) -> Result<TrustedCommit, EngineError> {
    let repository = Repository::open(project, context.search_path());
    let commit = repository.and_then(|repository| repository.commit(reference));
    let id = commit.map_err(|error| EngineError::usage(format!("--trusted {reference}: {error}")))?.id;
    let name = (!id.starts_with(&reference.to_ascii_lowercase())).then(|| reference.to_owned());
    Ok(TrustedCommit { id, name })
}

/// Paths of a project that is enrolled.
struct EnrolledFiles {
    project: PathBuf,
    specification: PathBuf,
    evidence_root: PathBuf,
}

/// Returns the paths of the project. The specification must load.
fn meant(
    context: &Context,
    request: &EnrolmentRequest,
    events: &mut dyn EventSink,
) -> Result<EnrolledFiles, EngineError> {
    let file = match &request.path {
        Some(path) => context.directory.join(path),
        None => discover::find(&context.directory)?.file,
    };
    let named = SpecificationNames { files: vec![file], workspace: None };
    let suite = context.load_single(&named, "a project is enrolled by one specification: name one", events)?;
    let plan = suite.tasks.first().ok_or_else(|| EngineError::usage("the specification has no task".to_owned()))?;
    Ok(EnrolledFiles {
        project: real_path(&plan.workspace),
        specification: real_path(&plan.workspace.join(&suite.specification.file)),
        evidence_root: plan.evidence_root.clone(),
    })
}

/// Returns the path of the held-out checks: a specification that loads and lies outside the project and its repository.
fn held_out(context: &Context, named: &Path, project: &Path) -> Result<PathBuf, EngineError> {
    let refused = |why: String| EngineError::usage(format!("--held-out {}: {why}", named.display()));
    let path = context.directory.join(named);
    let is_file = path.metadata().map_err(|error| refused(error.to_string()))?.is_file();
    let path = real_path(&path);
    if !is_file {
        return Err(refused("it is not a file".to_owned()));
    }
    let repository = project.ancestors().find(|directory| directory.join(".git").symlink_metadata().is_ok());
    let in_reach = [Some(project), repository].into_iter().flatten().find(|directory| path.starts_with(directory));
    if let Some(directory) = in_reach {
        return Err(refused(format!("it is in {}, where agents see it: move it elsewhere", directory.display())));
    }
    referee_spec::load(&path, &Options { workspace: Some(project.to_path_buf()) })?;
    Ok(path)
}

/// Ends the enrolment of the project that contains a directory.
///
/// # Errors
/// Fails if an agent asks, if the directory is in no enrolled project, or if the record cannot be written.
pub fn remove(
    context: &Context,
    directory: Option<&Path>,
    events: &mut dyn EventSink,
) -> Result<EnrolmentRecord, EngineError> {
    person::refuse_to_move_the_gate(context, "take a project out of the gate")?;
    let directory = real_path(&context.directory.join(directory.unwrap_or(Path::new("."))));
    let state = state(context, &directory)?;
    // A project that was moved, with a link in its place, is recorded under the path of the link.
    let project = kept(&directory, Some(&state))?.map_or_else(|| directory.clone(), |kept| kept.project);
    let records = records::above(&state, &project)?;
    let Some(record) = records.into_iter().find(EnrolmentRecord::is_enrolled) else {
        return Err(EngineError::usage(format!("{} is in no project that is enrolled", directory.display())));
    };
    let project = &record.enrolment.project;
    let removal = Removal { at: context.now(), agent: context.host().agent };
    records::remove(&state, project, removal.clone())?;
    for other in context.other_states(Some(&state), project) {
        let is_enrolled = |record: &EnrolmentRecord| record.is_enrolled() && record.enrolment.project == *project;
        let found = records::above(&other, project).unwrap_or_default();
        if found.iter().any(is_enrolled) && records::remove(&other, project, removal.clone())? {
            let place = other.path().display();
            events.on_note(&Note::Text(format!("it was enrolled in {place}, too, and is not any more")));
        }
    }
    if let Ok(EnrolmentState::Implied(_)) = look(context, project, Some(&state)) {
        let note = "its specification is committed, which enrols it again at the next event of a hook: take it out of the \
                    commit, too";
        events.on_note(&Note::Text(note.to_owned()));
    }
    let records = records::above(&state, project)?;
    let removed = records.into_iter().find(|found| found.enrolment.project == *project);
    Ok(removed.unwrap_or(record))
}

/// Opens the state directory, which must lie outside the project.
fn state(context: &Context, project: &Path) -> Result<State, EngineError> {
    let nowhere = "there is no place to keep an enrolment: set REFEREE_STATE_DIR, XDG_STATE_HOME or HOME";
    context.state([project])?.ok_or_else(|| EngineError::usage(nowhere.to_owned()))
}
