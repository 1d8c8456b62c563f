//! `referee ci`: runs the checks again, independent of the agent, and compares them with attestations from elsewhere.

use std::io::Read;
use std::path::Path;

use referee_engine::comparison::{self, AttestationSource};
use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::gate::{self, GateRequest};
use referee_engine::keys;
use referee_engine::verification::Verifier;
use referee_judge::build_error::{self, of_system_error};
use referee_judge::comparison as judge;
use referee_ledger::export;
use referee_ledger::trust::TrustStore;
use referee_model::build_error::{BuildError, SystemError};
use referee_model::comparison::{Brought, Comparison, Demand};
use referee_model::evidence_name;
use referee_model::exit_code;
use referee_model::gate::GateAnswer;
use referee_model::id::TaskId;
use referee_model::limit;
use referee_model::plan::Plan;
use referee_model::verdict::Decision;
use referee_report::comparison::{self as shown, github};
use referee_report::execution_report;

use super::evidence::depot;
use crate::args::ci::{Ci, CiFormat};
use crate::follower::notes;
use crate::output;
use crate::resolve;

/// Runs, compares, and answers.
pub(super) fn execute(context: &Context, arguments: &Ci) -> Result<u8, EngineError> {
    let (comparison, answer) = match compare(context, arguments) {
        Ok(compared) => compared,
        Err(problem) => {
            refused(context, arguments.format, &problem)?;
            return Err(problem);
        }
    };
    match arguments.format {
        CiFormat::Human => output::answer(shown::text(&comparison, &answer).as_bytes())?,
        CiFormat::Json => {
            let notes: Vec<String> = answer.notes.iter().chain(&answer.reuse).cloned().collect();
            let error = error(&comparison, &answer);
            let document = referee_report::comparison::comparison_document::document(
                &comparison,
                error.as_ref(),
                &answer.next,
                &notes,
            );
            output::answer(&referee_model::document::to_bytes(&document)?)?;
        }
        CiFormat::Github => {
            output::answer(github::annotations(&comparison, &answer).as_bytes())?;
            output::aside(shown::text(&comparison, &answer).as_bytes())?;
            append(context, "GITHUB_STEP_SUMMARY", &github::summary(&comparison, &answer))?;
            append(context, "GITHUB_OUTPUT", &github::outputs(&comparison, &answer))?;
        }
    }
    Ok(exit_code::of(comparison.exit))
}

/// Returns the error of a run that did not pass: the first failure of the first task that did not, else a
/// finding of the comparison. None: it passed.
fn error(comparison: &Comparison, answer: &GateAnswer) -> Option<BuildError> {
    if comparison.decision == Decision::Pass {
        return None;
    }
    let failed = answer.tasks.iter().find(|task| task.decision != Decision::Pass);
    let stated = failed.and_then(|task| std::fs::read(&task.report).ok());
    let cause = stated.and_then(|bytes| execution_report::read_build_error(&bytes).ok().flatten());
    let found = comparison.findings.iter().find(|finding| finding.blocking).map(|finding| finding.message.as_str());
    Some(build_error::of_ci(cause.as_ref(), found.unwrap_or(&answer.next), resolve::now()))
}

/// Reads the attestations before anything runs, since the run replaces them; the former run goes to the history.
fn compare(context: &Context, arguments: &Ci) -> Result<(Comparison, GateAnswer), EngineError> {
    let cancellation = crate::resolve::signals()?;
    let mut brought = Vec::new();
    let verifier = verifier(context, arguments)?;
    for loaded in resolve::load(context, &arguments.asked.specification)? {
        for plan in &loaded?.suite.tasks {
            free(context, arguments, &plan.task)?;
            brought.push((plan.task.clone(), look(context, arguments, plan, &verifier)?));
        }
    }
    // A verdict recorded elsewhere is to be tested here, so recorded verdicts are not reused.
    let (suite, options) = (super::gate::suite(context, &arguments.asked)?, arguments.asked.gate.options());
    let depot = depot::of_suite(context, &arguments.depot(), &suite)?;
    let request = GateRequest { reuse: false, ..arguments.asked.request(context, &suite, &options, &cancellation) };
    let answer = gate::ask(&request, &mut notes(context))?;
    let directories: Vec<_> = answer.tasks.iter().map(comparison::evidence_of).collect();
    depot::push_runs(context, depot.as_ref(), &directories)?;
    let mut tasks = Vec::new();
    for task in &answer.tasks {
        let here = comparison::here(task)?;
        let there = brought.iter().find(|(other, _)| *other == task.task);
        tasks.push((here, there.map_or(Brought::Nothing, |(_, there)| there.clone())));
        if let Some(directory) = arguments.copies_to() {
            let to = context.directory.join(directory).join(task.task.as_str());
            export::copy(&comparison::evidence_of(task), &to)?;
        }
    }
    let demand = Demand {
        required: arguments.require_attestation,
        named: arguments.attestation.is_some() || !arguments.local_keys.is_empty(),
    };
    Ok((judge::compare(answer.decision, answer.exit, tasks, demand), answer))
}

/// Returns the verifier: required signers, and trusted keys.
fn verifier(context: &Context, arguments: &Ci) -> Result<Verifier, EngineError> {
    let keys = arguments.local_keys.iter().map(|key| keys::public(context, key)).collect::<Result<_, _>>()?;
    let trust = match context.state_if_any()? {
        Some(state) => TrustStore::read(&state).map_err(|error| error.to_string()),
        None => Ok(TrustStore::default()),
    };
    Ok(Verifier { keys, trust, now: resolve::now() })
}

/// Finds and reads the attestation of a task.
fn look(context: &Context, arguments: &Ci, plan: &Plan, verifier: &Verifier) -> Result<Brought, EngineError> {
    let task = &plan.task;
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    let directory = match &arguments.attestation {
        None => plan.evidence_root.join(task.as_str()),
        Some(given) => {
            let path = context.directory.join(given);
            if path.is_file() {
                let statements = read(&path)?;
                return Ok(comparison::look(
                    AttestationSource::Statements(&statements, &given.to_string_lossy()),
                    task,
                    verifier,
                ));
            }
            if !path.is_dir() {
                let message = format!("--attestation: {} is neither an evidence directory nor a file", given.display());
                return Err(EngineError::usage(message));
            }
            if is_there(&path.join(evidence_name::SEAL)) { path } else { path.join(task.as_str()) }
        }
    };
    if !is_there(&directory) {
        return Ok(Brought::Nothing);
    }
    Ok(comparison::look(AttestationSource::Directory(&directory), task, verifier))
}

/// Reads a file of attestations, up to their size limit.
fn read(path: &Path) -> Result<Vec<u8>, EngineError> {
    let refused = |error: std::io::Error| EngineError::usage(format!("--attestation {}: {error}", path.display()));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(refused)?;
    file.take(limit::ATTESTATION_BYTES + 1).read_to_end(&mut bytes).map_err(refused)?;
    Ok(bytes)
}

/// Ensures, before anything runs, that the copy of a task's evidence can be written.
fn free(context: &Context, arguments: &Ci, task: &TaskId) -> Result<(), EngineError> {
    let Some(directory) = arguments.copies_to() else { return Ok(()) };
    let place = context.directory.join(directory).join(task.as_str());
    if place.symlink_metadata().is_ok() {
        return Err(EngineError::usage(format!("--evidence: {} already exists: name another place", place.display())));
    }
    Ok(())
}

/// Reports in the requested format why nothing was judged.
fn refused(context: &Context, format: CiFormat, problem: &EngineError) -> Result<(), EngineError> {
    match format {
        CiFormat::Human => Ok(()),
        CiFormat::Json => {
            let advice = "nothing was judged: see the problem";
            let thrown = SystemError { message: problem.message.clone(), ..SystemError::default() };
            let now = resolve::now();
            let cause = of_system_error(&thrown, now, build_error::Options::default());
            let error = build_error::of_ci(Some(&cause), &problem.message, now);
            let document = referee_report::comparison::comparison_document::problem(
                &problem.message,
                &error,
                advice,
                problem.exit_code(),
            );
            Ok(output::answer(&referee_model::document::to_bytes(&document)?)?)
        }
        CiFormat::Github => {
            output::answer(github::problem(&problem.message).as_bytes())?;
            append(context, "GITHUB_STEP_SUMMARY", &github::problem_summary(&problem.message))?;
            append(context, "GITHUB_OUTPUT", &github::problem_outputs(problem.exit_code()))
        }
    }
}

/// Appends to the file that a variable names. A failed write is reported, and changes no verdict: the exit code
/// is valid whatever a later step reads.
fn append(context: &Context, variable: &str, text: &str) -> Result<(), EngineError> {
    let Some(path) = context.variable(variable).map(|value| context.directory.join(value)) else { return Ok(()) };
    if let Err(error) = export::append(&path, text.as_bytes()) {
        output::aside(format!("note: {variable} could not be written: {error}\n").as_bytes())?;
    }
    Ok(())
}
