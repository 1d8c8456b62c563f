//! `referee enroll`: where hooks have an opinion, as a person says it.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::enrolment::{Found, kept, look};
use referee_engine::problem::Problem;
use referee_engine::protection_source::known_locks;
use referee_engine::request::Failure;
use referee_exec::git::Repository;
use referee_ledger::real_path;
use referee_ledger::{State, enrolment};
use referee_model::enrolment::{EnrolledBy, Enrolment, EnrolmentRecord, Removal, TrustedCommit};
use referee_report::human;
use referee_spec::{Options, discover};
use referee_wire::exit_code;

use super::person;
use crate::args::enroll::Enroll;
use crate::args::{PlainFormat, Specification};
use crate::output;
use crate::resolve;

/// Enrols, lists, or ends an enrolment.
pub(super) fn execute(context: &Context, arguments: &Enroll) -> Result<u8, Problem> {
    if arguments.list {
        list(context, arguments.format)
    } else if arguments.remove {
        remove(context, arguments)
    } else {
        enroll(context, arguments)
    }
}

fn enroll(context: &Context, arguments: &Enroll) -> Result<u8, Problem> {
    let (project, specification) = meant(context, arguments)?;
    let state = state(context, &project)?;
    let records = enrolment::above(&state, &project).map_err(Failure::from)?;
    let before = records.into_iter().find(|record| record.enrolment.project == project);
    let before = before.filter(EnrolmentRecord::is_enrolled).map(|record| record.enrolment);
    let held_out = match &arguments.held_out {
        Some(path) => Some(held_out(context, path, &project)?),
        None => before.as_ref().and_then(|before| before.held_out.clone()),
    };
    let trusted = match &arguments.trusted {
        Some(reference) => Some(trusted(context, &project, reference)?),
        None => before.as_ref().and_then(|before| before.trusted.clone()),
    };
    let since = before.as_ref().map_or_else(resolve::now, |before| before.since);
    let wanted = Enrolment { project, specification, by: EnrolledBy::Person, since, held_out, trusted };
    if person::agent(context).is_some() {
        let asks_the_same = |before: &Enrolment| Enrolment { by: before.by, ..wanted.clone() } == *before;
        if !before.as_ref().is_some_and(asks_the_same) {
            let deed = if before.is_some() { "change how a project is enrolled" } else { "enrol a project" };
            person::refuse_to_move_the_gate(context, deed)?;
        }
        let kept = enrolment::above(&state, &wanted.project).map_err(Failure::from)?;
        return kept.first().map_or(Ok(exit_code::PASSED), |record| answer(context, arguments.format, record));
    }
    known_locks::remember_below(&state, &wanted.project)?;
    let record = enrolment::enroll(&state, wanted).map_err(Failure::from)?;
    context.mention(&state);
    answer(context, arguments.format, &record)
}

/// Returns the commit that a name means now: that one is kept, wherever the name goes.
fn trusted(context: &Context, project: &Path, reference: &str) -> Result<TrustedCommit, Problem> {
    let repository = Repository::open(project, context.search_path());
    let commit = repository.and_then(|repository| repository.commit(reference));
    let id = commit.map_err(|error| Problem::usage(format!("--trusted {reference}: {error}")))?.id;
    let name = (!id.starts_with(&reference.to_ascii_lowercase())).then(|| reference.to_owned());
    Ok(TrustedCommit { id, name })
}

/// The project and the specification that are meant. The specification must load.
fn meant(context: &Context, arguments: &Enroll) -> Result<(PathBuf, PathBuf), Problem> {
    let file = match &arguments.path {
        Some(path) => context.directory.join(path),
        None => discover::find(&context.directory)?.file,
    };
    let named = Specification { files: vec![file], workspace: None };
    let suite = resolve::load_one(context, &named, "a project is enrolled by one specification: name one")?;
    let workspace = suite.tasks.first().map(|plan| plan.workspace.clone());
    let workspace = workspace.ok_or_else(|| Problem::usage("the specification has no task".to_owned()))?;
    let specification = workspace.join(&suite.specification.file);
    Ok((real_path(&workspace), real_path(&specification)))
}

/// Returns where held-out checks lie: a specification that loads, out of reach of whoever changes the project.
fn held_out(context: &Context, named: &Path, project: &Path) -> Result<PathBuf, Problem> {
    let refused = |why: String| Problem::usage(format!("--held-out {}: {why}", named.display()));
    let path = std::fs::canonicalize(context.directory.join(named)).map_err(|error| refused(error.to_string()))?;
    if !path.is_file() {
        return Err(refused("it is no file".to_owned()));
    }
    let repository = project.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    let in_reach = [Some(project), repository].into_iter().flatten().find(|folder| path.starts_with(folder));
    if let Some(folder) = in_reach {
        return Err(refused(format!("it lies in {}, where agents see it: move it elsewhere", folder.display())));
    }
    referee_spec::load(&path, &Options { workspace: Some(project.to_path_buf()) })?;
    Ok(path)
}

fn remove(context: &Context, arguments: &Enroll) -> Result<u8, Problem> {
    person::refuse_to_move_the_gate(context, "take a project out of the gate")?;
    if !arguments.yes && !std::io::stdin().is_terminal() {
        return Err(Problem::usage(
            "a project is taken out of the gate by a person at a terminal; in a script of yours say `--yes`".to_owned(),
        ));
    }
    let folder = real_path(&context.directory.join(arguments.path.as_deref().unwrap_or(Path::new("."))));
    let state = state(context, &folder)?;
    // A project that was moved, with a link in its place, has its record under the link's name.
    let project = kept(&folder, Some(&state))?.map_or_else(|| folder.clone(), |kept| kept.project);
    let records = enrolment::above(&state, &project).map_err(Failure::from)?;
    let Some(record) = records.into_iter().find(EnrolmentRecord::is_enrolled) else {
        return Err(Problem::usage(format!("{} lies in no project that is enrolled", folder.display())));
    };
    let project = &record.enrolment.project;
    let removal = Removal { at: resolve::now(), agent: context.host().agent };
    enrolment::remove(&state, project, removal.clone()).map_err(Failure::from)?;
    for other in context.other_states(Some(&state), project) {
        let is_enrolled = |record: &EnrolmentRecord| record.is_enrolled() && record.enrolment.project == *project;
        let found = enrolment::above(&other, project).unwrap_or_default();
        if found.iter().any(is_enrolled)
            && enrolment::remove(&other, project, removal.clone()).map_err(Failure::from)?
        {
            let place = other.path().display();
            output::aside(format!("note: it was enrolled in {place}, too, and is not any more\n").as_bytes())?;
        }
    }
    if let Ok(Found::Implied(_)) = look(context, project, Some(&state)) {
        let note = "note: its specification is committed, which enrols it again at the next event of a hook: take it out of \
                    the commit, too\n";
        output::aside(note.as_bytes())?;
    }
    let records = enrolment::above(&state, project).map_err(Failure::from)?;
    let removed = records.into_iter().find(|found| found.enrolment.project == *project).unwrap_or(record);
    answer(context, arguments.format, &removed)
}

fn list(context: &Context, format: PlainFormat) -> Result<u8, Problem> {
    let records = match context.state_if_any()? {
        Some(state) => enrolment::all(&state).map_err(Failure::from)?,
        None => Vec::new(),
    };
    let records: Vec<EnrolmentRecord> = records.into_iter().map(|record| without_place(context, record)).collect();
    output::document(
        format,
        || referee_wire::to_bytes(&referee_wire::enrolment::list(&records)),
        |out| human::enrolment::list(&records, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Where held-out checks lie is told to a person at a terminal alone; else that there are some.
fn without_place(context: &Context, mut record: EnrolmentRecord) -> EnrolmentRecord {
    if !person::may_see_places(context) {
        record.enrolment.held_out = record.enrolment.held_out.map(|_| PathBuf::from("yes"));
    }
    record
}

fn answer(context: &Context, format: PlainFormat, record: &EnrolmentRecord) -> Result<u8, Problem> {
    let record = &without_place(context, record.clone());
    output::document(
        format,
        || {
            let none = || Problem::internal("a path of the project is no text".to_owned());
            Ok::<_, Problem>(referee_wire::enrolment::render(record).ok_or_else(none)??)
        },
        |out| human::enrolment::told(record, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Opens the state folder, which must lie outside the project.
fn state(context: &Context, project: &Path) -> Result<State, Problem> {
    let nowhere = "there is no place to keep an enrolment: set REFEREE_STATE_DIR, XDG_STATE_HOME or HOME";
    context.state([project])?.ok_or_else(|| Problem::usage(nowhere.to_owned()))
}
