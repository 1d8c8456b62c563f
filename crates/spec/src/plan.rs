//! A file becomes a plan.

use std::path::{Path, PathBuf};

use referee_model::id::Digest;
use referee_model::limit;
use referee_model::plan::{Action, Form, Invocation, Phase, Plan, Specification, Work};
use referee_wire::specification::SHORT_FORM;
use sha2::{Digest as _, Sha256};

use crate::check::check;
use crate::complaint::{Code, Complaint, Finding, Findings};
use crate::error::SpecError;
use crate::expand::see_through;
use crate::masking::{masked, masked_argv};
use crate::order::arrange;
use crate::short::Document;
use crate::source::{Source, Span, quote};
use crate::tree::Node;
use crate::{read, short};

/// What the caller says beside the file.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The workspace; it goes before what the file says (ruling 3).
    pub workspace: Option<PathBuf>,
}

/// A plan, and what is worth saying about its specification.
#[derive(Debug)]
pub struct Loaded {
    /// The plan.
    pub plan: Plan,
    /// Complaints that do not stand against it.
    pub warnings: Vec<Complaint>,
}

/// Loads the specification in a file as a plan. Without an error among the complaints there is a plan.
pub fn load(file: &Path, options: &Options) -> Result<Loaded, SpecError> {
    let bytes = read::file(file, limit::SPECIFICATION_BYTES).map_err(|source| SpecError::io(file, source))?;
    let file = file.canonicalize().map_err(|source| SpecError::io(file, source))?;
    let mut findings = Findings::default();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let source = read::source(&name, &bytes, &mut findings);
    let tree = if findings.has_errors() { None } else { read::tree(&source, &mut findings) };
    let plan = match &tree {
        Some(root) => plan(root, &file, &bytes, options, &mut findings)?,
        None => None,
    };
    let failed = findings.has_errors();
    let complaints = complaints(findings, &source, tree.as_ref());
    match plan {
        Some(plan) if !failed => Ok(Loaded { plan, warnings: complaints }),
        _ => Err(SpecError::Complaints(complaints)),
    }
}

fn complaints(findings: Findings, source: &Source, tree: Option<&Node>) -> Vec<Complaint> {
    findings.into_complaints(source, |span| tree.map(|root| root.pointer(span)).unwrap_or_default())
}

/// Makes a plan of a document. None: it has errors.
fn plan(
    root: &Node,
    file: &Path,
    bytes: &[u8],
    options: &Options,
    findings: &mut Findings,
) -> Result<Option<Plan>, SpecError> {
    if let Some(finding) = short::other_form(root) {
        findings.push(finding);
        return Ok(None);
    }
    check(root, &SHORT_FORM, findings);
    let workspace = workspace(root, file, options, findings)?;
    let document = short::read(root, &workspace, findings);
    weigh_evidence(root, &document, &workspace, file, findings);
    let order = arrange(&document.checks, findings);
    if findings.has_errors() {
        return Ok(None);
    }
    let mut actions = Vec::with_capacity(document.checks.len());
    for &index in &order.sequence {
        let check = &document.checks[index];
        let Some(mut action) = check.action.clone() else { return Ok(None) };
        action.needs = order.needs[index].iter().map(|&need| document.checks[need].id.clone()).collect();
        look_through(&mut action, check.work_place, &workspace, findings);
        actions.push(action);
    }
    let deadline = root.entry("timeout").map_or(Span::BEGINNING, |entry| entry.key_span);
    weigh_deadline(&document, deadline, findings);
    Ok(Some(Plan {
        specification: Specification {
            file: file.strip_prefix(&workspace).unwrap_or(file).to_string_lossy().into_owned(),
            form: Form::Short,
            digest: Digest::from_bytes(Sha256::digest(bytes).into()),
        },
        task: document.task,
        title: document.title,
        evidence_root: workspace.join(document.evidence.as_str()),
        workspace,
        environment: document.environment,
        actions,
        policies: document.policies,
        completion: document.completion,
        deadline_ms: document.deadline_ms,
    }))
}

/// Finds the workspace: what the caller says, or what the file says relative to its own folder, or that folder.
fn workspace(root: &Node, file: &Path, options: &Options, findings: &mut Findings) -> Result<PathBuf, SpecError> {
    let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
    if let Some(given) = &options.workspace {
        let workspace = given.canonicalize().map_err(|source| SpecError::io(given, source))?;
        if !workspace.is_dir() {
            return Err(SpecError::io(given, std::io::ErrorKind::NotADirectory.into()));
        }
        return Ok(workspace);
    }
    let Some((node, named)) = root.get("workspace").and_then(|node| Some((node, node.text()?))) else {
        return Ok(folder);
    };
    if Path::new(named).is_absolute() {
        let message = format!("the workspace {} is absolute: a folder relative to this file is needed", quote(named));
        let help = "name another folder with `--workspace`";
        findings.push(Finding::error(Code::LeavesWorkspace, node.span, message).help(help));
        return Ok(folder);
    }
    match folder.join(named).canonicalize() {
        Ok(workspace) if workspace.is_dir() => Ok(workspace),
        _ => {
            let message = format!("there is no folder {}, seen from this file", quote(named));
            findings.push(Finding::error(Code::NoWorkspace, node.span, message));
            Ok(folder)
        }
    }
}

/// Refuses a folder of evidence that holds what is not evidence: the specification, or all that is checked.
fn weigh_evidence(root: &Node, document: &Document, workspace: &Path, file: &Path, findings: &mut Findings) {
    let named = root.get("evidence");
    if named.and_then(Node::text).is_some_and(str::is_empty) {
        // An empty text is a complaint about the shape.
        return;
    }
    let place = named.map_or(Span::BEGINNING, |node| node.span);
    let message = if document.evidence.as_str().is_empty() {
        "the evidence cannot lie in the workspace itself: it needs a folder of its own".to_owned()
    } else if file.starts_with(workspace.join(document.evidence.as_str())) {
        let folder = quote(document.evidence.as_str());
        format!("the folder {folder} holds this specification: evidence needs a folder of its own")
    } else {
        return;
    };
    let help = "name a folder that holds nothing else, such as `evidence: evidence`";
    findings.push(Finding::error(Code::EvidenceFolder, place, message).help(help));
}

/// Notes what a command stands for, and warns where its failure would not show.
fn look_through(action: &mut Action, place: Span, workspace: &Path, findings: &mut Findings) {
    let Work::Command(command) = &mut action.work else { return };
    let seen = see_through(&command.invocation, &workspace.join(command.directory.as_str()));
    let own = match &command.invocation {
        Invocation::Shell { line, pipefail } => masked(line, *pipefail),
        Invocation::Argv(argv) => masked_argv(argv),
    };
    if let Some(masking) = own {
        let message = format!("{}: this check can pass all the same", masking.risk());
        findings.push(Finding::warning(Code::MaskedFailure, place, message).help(masking.remedy()));
    } else if let Some((line, masking)) = seen.lines.iter().find_map(|line| Some((line, masked(line, false)?))) {
        // Neither npm nor make lets a pipe fail with its parts.
        let message = format!("this runs {}, where {}", quote(line), masking.risk());
        findings.push(Finding::warning(Code::MaskedFailure, place, message).help(masking.remedy()));
    } else if let Some(line) = seen.ignored {
        let message = format!("this runs {}, whose failure make is told to ignore", quote(&line));
        findings.push(Finding::warning(Code::MaskedFailure, place, message));
    }
    command.seen_through = seen.lines;
}

/// Warns where the deadline over all comes before one that a check asks for (ruling 6).
fn weigh_deadline(document: &Document, place: Span, findings: &mut Findings) {
    let Some(over_all) = document.deadline_ms else { return };
    let timed = document.checks.iter().filter(|check| check.phase != Phase::Cleanup);
    let longest = timed.filter_map(|check| Some((check.deadline_ms?, check))).max_by_key(|(deadline, _)| *deadline);
    if let Some((deadline, check)) = longest
        && deadline > over_all
    {
        let name = quote(&check.name);
        let message = format!("the deadline over all ({over_all} ms) comes before that of {name} ({deadline} ms)");
        findings.push(Finding::warning(Code::ShortDeadline, place, message));
    }
}
