//! `referee init`: detects the kind of project, tries fitting checks, and writes a specification of those that work.

mod document;
mod ignores;
mod remains;
mod sentence;
mod stand_in;
mod trial;

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::project_file;
use referee_model::exit_code;
use referee_model::verdict::Exit;
use referee_report::human;
use referee_report::initial::InitialDocument;
use referee_spec::detect::{Tree, detect, header, shown, written};
use referee_spec::discover::FILE_NAMES;

use self::document::document;
use self::trial::{Ended, Tried};
use crate::args::{Init, PlainFormat};
use crate::output;

const FILE: &str = FILE_NAMES[0];

/// Detects, tries, and writes. Exits with 0 if there is something to write, whether or not the project passes
/// it, and with 4 if nothing was found or works: a specification without a check proves nothing.
pub(super) fn execute(context: &Context, arguments: &Init) -> Result<u8, EngineError> {
    let directory = context.directory.canonicalize().map_err(|error| unreadable(&context.directory, &error))?;
    refuse_to_overwrite(&directory, arguments)?;
    let tree = Tree::look(&directory);
    let mut project = detect(&tree);
    project.header = header(&directory, &tree);
    if project.title.is_none() {
        project.title = directory.file_name().map(|name| name.to_string_lossy().into_owned());
    }
    let tried = if arguments.no_run {
        Tried { untried: Some("--no-run".to_owned()), ..Tried::default() }
    } else {
        match trial::run(context, arguments, &directory, &mut project)? {
            Ended::Tried(tried) => tried,
            Ended::Interrupted(signal) => return interrupted(signal),
        }
    };
    if let Some(why) = &tried.untried {
        project.notes.push(format!("no check was tried ({why}): run `referee run` and see which of them work here"));
        project.notes.extend(ignores::untried(&directory, &project)?);
    }
    // If nothing works, the failed attempts are shown all the same.
    let comments = (project.checks.is_empty() && !project.not_working.is_empty()).then(|| shown(&project));
    let text = written(&project);
    let mut document = document(project, tried, text);
    write(arguments, &directory, &mut document)?;
    let is_found = document.specification.is_some();
    match arguments.format {
        PlainFormat::Json => output::answer(&referee_model::document::to_bytes(&document)?)?,
        PlainFormat::Human => tell(context, arguments, &document, comments.as_deref())?,
    }
    if !is_found {
        output::aside(nothing(&document, &tree).as_bytes())?;
    }
    Ok(if is_found { exit_code::PASSED } else { exit_code::NOTHING_RAN })
}

/// Writes the specification, and the requested entries.
fn write(arguments: &Init, directory: &Path, document: &mut InitialDocument) -> Result<(), EngineError> {
    let Some(text) = document.specification.as_ref().filter(|_| !arguments.print) else { return Ok(()) };
    project_file::write(directory, FILE, text.as_bytes()).map_err(|error| not_written(&error))?;
    document.written = Some(FILE.to_owned());
    let is_asked_for = arguments.write_ignores;
    for ignore in document.ignores.iter_mut().filter(|ignore| is_asked_for && ignore.place.is_none()) {
        trial::write_entry(directory, ignore)?;
        ignore.written = true;
    }
    Ok(())
}

fn interrupted(number: i32) -> Result<u8, EngineError> {
    let signal = referee_model::signal::shown(number);
    output::aside(format!("interrupted by {signal}; nothing was written, and the project is as it was\n").as_bytes())?;
    Ok(exit_code::of(Exit::Interrupted { signal: number }))
}

/// Refuses to overwrite an existing specification unless requested; specifications with another name are never
/// overwritten.
fn refuse_to_overwrite(directory: &Path, arguments: &Init) -> Result<(), EngineError> {
    let Some(there) = FILE_NAMES.iter().find(|name| directory.join(name).symlink_metadata().is_ok()) else {
        return Ok(());
    };
    let is_ours = *there == FILE;
    if arguments.print || (arguments.force && is_ours) {
        return Ok(());
    }
    let advice = if is_ours { ", and `--force` writes it in place of that" } else { "" };
    let message =
        format!("{there} already exists, so nothing was written: `referee init --print` shows what would be{advice}");
    Err(EngineError::usage(message))
}

/// Prints only the specification, or a summary of the result.
fn tell(
    context: &Context,
    arguments: &Init,
    document: &InitialDocument,
    comments: Option<&str>,
) -> Result<(), EngineError> {
    let Some(specification) = document.specification.as_deref().or(comments) else { return Ok(()) };
    if arguments.print || document.specification.is_none() {
        return Ok(output::answer(specification.as_bytes())?);
    }
    let mut text = Vec::new();
    human::initial::write(document, &context.terminal.stdout, &mut text)?;
    text.extend(format!("\n{FILE} was written. Next: `referee check`, `referee plan`, `referee run`.\n").into_bytes());
    Ok(output::answer(&text)?)
}

/// Explains why nothing was written.
fn nothing(document: &InitialDocument, tree: &Tree) -> String {
    let what = if tree.is_empty() {
        "this directory is empty"
    } else if document.projects.is_empty() {
        "no project is known here: no package.json, pyproject.toml, Cargo.toml, go.mod, pom.xml, Makefile or the like"
    } else if document.not_working.is_empty() {
        "nothing in this project can be checked yet: no test, build or checker is set up"
    } else {
        "nothing that was tried works here"
    };
    let mut text =
        format!("error: {what}; nothing was written, because a specification without a check proves nothing\n");
    text.extend(document.notes.iter().map(|note| format!("note: {note}\n")));
    let possible = document.not_working.iter().chain(&document.left_to_people);
    text.extend(possible.map(|left| format!("possible: {}: {} ({})\n", left.name, left.run, left.because)));
    text.push_str("Write referee.yaml yourself, for example:\n  checks:\n    unit: ./run-my-tests\n");
    text.chars()
        .map(|character| if character.is_control() && character != '\n' { '\u{fffd}' } else { character })
        .collect()
}

fn unreadable(directory: &Path, error: &std::io::Error) -> EngineError {
    EngineError::usage(format!("{} cannot be looked into: {error}", directory.display()))
}

fn not_written(error: &referee_ledger::LedgerError) -> EngineError {
    EngineError::internal(format!("{FILE} could not be written: {error}"))
}
