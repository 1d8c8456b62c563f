//! `referee init`: looks at the project, and writes a specification that fits it.

use std::path::Path;

use referee_ledger::project_file;
use referee_report::human;
use referee_spec::detect::{PolicyProposal, Project, Proposal, ReadySign, ServiceProposal, Tree, detect, written};
use referee_spec::discover::FILE_NAMES;
use referee_wire::exit_code;
use referee_wire::initial::{Found, InitialDocument, Proposed, ProposedPolicy, ProposedService};

use crate::args::{Init, PlainFormat};
use crate::error::{Kind, Problem};
use crate::output;
use crate::resolve::World;

/// The file that is written.
const FILE: &str = FILE_NAMES[0];

/// Looks, and writes. Exits with 0 where there is something to write, and with 4 where nothing was found: a specification
/// without a check proves nothing.
pub(super) fn execute(world: &World, arguments: &Init) -> Result<u8, Problem> {
    let folder = world.directory.canonicalize().map_err(|error| unreadable(&world.directory, &error))?;
    refuse_to_overwrite(&folder, arguments)?;
    let tree = Tree::look(&folder);
    let mut project = detect(&tree);
    if project.title.is_none() {
        project.title = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    }
    let text = written(&project);
    let mut document = document(project, text);
    if let Some(text) = document.specification.as_ref().filter(|_| !arguments.print) {
        project_file::write(&folder, FILE, text.as_bytes()).map_err(|error| not_written(&error))?;
        document.written = Some(FILE.to_owned());
    }
    let is_found = document.specification.is_some();
    match arguments.format {
        PlainFormat::Json => output::answer(&referee_wire::to_bytes(&document)?)?,
        PlainFormat::Human => tell(world, arguments, &document, &folder)?,
    }
    if !is_found {
        output::aside(nothing(&document, &tree).as_bytes())?;
    }
    Ok(if is_found { exit_code::PASSED } else { exit_code::NOTHING_RAN })
}

/// Nothing that is there is overwritten unless that is asked for; what lies beside under another name never is.
fn refuse_to_overwrite(folder: &Path, arguments: &Init) -> Result<(), Problem> {
    let Some(there) = FILE_NAMES.iter().find(|name| folder.join(name).symlink_metadata().is_ok()) else {
        return Ok(());
    };
    let is_ours = *there == FILE;
    if arguments.print || (arguments.force && is_ours) {
        return Ok(());
    }
    let advice = if is_ours { ", and `--force` writes it in place of that" } else { "" };
    let message =
        format!("{there} is there already, so nothing was written: `referee init --print` shows what would be{advice}");
    Err(Problem::usage(message))
}

/// Prints the specification alone, or what was made of it.
fn tell(world: &World, arguments: &Init, document: &InitialDocument, folder: &Path) -> Result<(), Problem> {
    let Some(specification) = &document.specification else { return Ok(()) };
    if arguments.print {
        return Ok(output::answer(specification.as_bytes())?);
    }
    let mut text = Vec::new();
    human::initial::write(document, &world.terminal.stdout, &mut text)?;
    text.extend(format!("\n{FILE} was written. Next: `referee check`, `referee plan`, `referee run`.\n").into_bytes());
    if !ignores_evidence(folder) {
        text.extend(b"Keep evidence/ out of version control: add it to .gitignore.\n");
    }
    Ok(output::answer(&text)?)
}

fn ignores_evidence(folder: &Path) -> bool {
    let ignored = referee_spec::read::file(&folder.join(".gitignore"), 1024 * 1024).unwrap_or_default();
    let is_evidence = |line: &str| line.trim().trim_matches('/') == "evidence";
    String::from_utf8_lossy(&ignored).lines().any(is_evidence)
}

/// Says why nothing was written.
fn nothing(document: &InitialDocument, tree: &Tree) -> String {
    let what = if tree.is_empty() {
        "this folder is empty"
    } else if document.projects.is_empty() {
        "no project is known here: no package.json, pyproject.toml, Cargo.toml, go.mod, pom.xml, Makefile or the like"
    } else {
        "nothing in this project can be checked yet: no test, build or checker is set up"
    };
    let mut text =
        format!("error: {what}; nothing was written, because a specification without a check proves nothing\n");
    text.extend(document.notes.iter().map(|note| format!("note: {note}\n")));
    let possible = document.left_to_people.iter();
    text.extend(possible.map(|left| format!("possible: {}: {} ({})\n", left.name, left.run, left.because)));
    text.push_str("Write referee.yaml yourself, for example:\n  checks:\n    unit: ./run-my-tests\n");
    text.chars()
        .map(|character| if character.is_control() && character != '\n' { '\u{fffd}' } else { character })
        .collect()
}

fn unreadable(folder: &Path, error: &std::io::Error) -> Problem {
    Problem::usage(format!("{} cannot be looked into: {error}", folder.display()))
}

fn not_written(error: &referee_ledger::LedgerError) -> Problem {
    Problem { kind: Kind::Internal, message: format!("{FILE} could not be written: {error}"), complaints: Vec::new() }
}

fn document(project: Project, specification: Option<String>) -> InitialDocument {
    let (needed, spare): (Vec<_>, Vec<_>) = project.services.into_iter().partition(|service| service.needed);
    InitialDocument {
        title: project.title,
        projects: project
            .parts
            .into_iter()
            .map(|part| Found { ecosystem: part.ecosystem.as_str(), folder: shown(part.folder), signs: part.signs })
            .collect(),
        workflows: project.workflows,
        prerequisites: project.prerequisites.into_iter().map(proposed).collect(),
        services: needed.into_iter().map(proposed_service).collect(),
        checks: project.checks.into_iter().map(proposed).collect(),
        policies: project.policies.into_iter().map(proposed_policy).collect(),
        left_to_people: project.left_to_people.into_iter().map(proposed).collect(),
        services_left_to_people: spare.into_iter().map(proposed_service).collect(),
        notes: project.notes,
        specification,
        ..InitialDocument::empty()
    }
}

fn shown(folder: String) -> String {
    if folder.is_empty() { ".".to_owned() } else { folder }
}

fn proposed(proposal: Proposal) -> Proposed {
    Proposed {
        name: proposal.name,
        run: proposal.line,
        folder: shown(proposal.folder),
        profile: proposal.level,
        role: proposal.role,
        needs: proposal.needs,
        allow_no_tests: proposal.allow_no_tests,
        exit_code_only: proposal.exit_code_only,
        because: proposal.because,
    }
}

fn proposed_service(service: ServiceProposal) -> ProposedService {
    let ready = match service.ready {
        ReadySign::Url(url) => url,
        ReadySign::Port(port) => format!("port {port}"),
    };
    ProposedService {
        name: service.name,
        run: service.line,
        folder: shown(service.folder),
        ready,
        because: service.because,
    }
}

fn proposed_policy(policy: PolicyProposal) -> ProposedPolicy {
    ProposedPolicy { policy: policy.written(), tool: policy.tool, because: policy.because }
}
