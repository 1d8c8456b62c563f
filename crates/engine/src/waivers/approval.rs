//! Waivers, a person's signed statements that one named thing must not block for a while: gives, lists and revokes
//! them.

use std::path::PathBuf;

use referee_judge::criteria;
use referee_judge::waiver::{self, Waivers};
use referee_ledger::evidence::Evidence;
use referee_ledger::waivers::{self as ledger, Approvers, GiveError};
use referee_model::evidence_name;
use referee_model::id::TaskId;
use referee_model::plan::{Action, Phase, Plan};
use referee_model::run_context::{Waiver, WaiverScope, WaiverTerms, WaiverUse};
use referee_model::suite::Suite;
use referee_model::time::Timestamp;
use referee_syntax::distance::nearest;

use crate::context::{Context, SpecificationNames};
use crate::error::{EngineError, ErrorKind};
use crate::event_sink::EventSink;
use crate::keys;
use crate::until::until;

/// Maximum number of names that a message lists if one is not found.
const NAMES_LISTED: usize = 20;

/// A requested waiver.
#[derive(Debug, Clone)]
pub struct WaiverRequest {
    /// Specification of the project.
    pub specification: SpecificationNames,
    /// What must not block.
    pub subject: WaiverSubject,
    /// Reason for the waiver.
    pub reason: String,
    /// Time until which it applies: a duration from now, a date or a full time.
    pub until: String,
    /// Name of the approver. `None`: the name of the key's file.
    pub by: Option<String>,
    /// Path of the approver's key.
    pub key: PathBuf,
}

/// The subject of a waiver, by name.
#[derive(Debug, Clone)]
pub enum WaiverSubject {
    /// A step, by id or name.
    Action {
        /// Task of the step. `None`: every task.
        task: Option<TaskId>,
        /// Id or name of the step.
        action: String,
    },
    /// Findings of a rule of a tool, as `TOOL:RULE`.
    Rule(String),
    /// Drift of a protected file.
    File(String),
    /// A weakened part of the specification.
    Weakening(String),
}

/// A waiver that was given.
#[derive(Debug)]
pub struct GivenWaiver {
    /// Id of the waiver.
    pub id: String,
    /// File of the waiver.
    pub file: PathBuf,
    /// Terms of the waiver.
    pub terms: WaiverTerms,
    /// Why it has no effect here, in a sentence. `None` if it has.
    pub refusal: Option<String>,
}

/// Gives a waiver.
///
/// # Errors
/// Fails if nothing of that name can be waived, if the key cannot be used, or if the waiver cannot be written.
pub fn give(
    context: &Context,
    request: &WaiverRequest,
    events: &mut dyn EventSink,
) -> Result<GivenWaiver, EngineError> {
    let suite = load(context, &request.specification, events)?;
    let workspace = workspace(&suite)?;
    let scope = scope(&suite, &request.subject)?;
    let now = context.now();
    let key = &request.key;
    let key_file = context.directory.join(key);
    let by_file = || key_file.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let terms = WaiverTerms {
        scope,
        reason: request.reason.trim().to_owned(),
        person: request.by.clone().unwrap_or_else(by_file),
        given: now,
        until: until(&request.until, now).map_err(EngineError::usage)?,
    };
    let signer = keys::named(context, key, &[&workspace])?;
    let file = ledger::give(&workspace, &terms, &signer).map_err(not_given)?;
    let state = context.state([workspace.as_path()])?;
    let id = file.file_stem().map_or_else(String::new, |id| id.to_string_lossy().into_owned());
    let found = ledger::find(&workspace, &Approvers::load(state.as_ref(), context.now()));
    let trusted = found.iter().find(|waiver| waiver.id == id);
    let refusal = trusted.and_then(|waiver| refusal(waiver, now));
    Ok(GivenWaiver { id, file, terms, refusal })
}

/// Returns the waivers of a project with their effect.
///
/// # Errors
/// Fails if the specification cannot be loaded.
pub fn standings(
    context: &Context,
    names: &SpecificationNames,
    events: &mut dyn EventSink,
) -> Result<Vec<WaiverUse>, EngineError> {
    let workspace = workspace(&load(context, names, events)?)?;
    let state = context.state([workspace.as_path()])?;
    let found = ledger::find(&workspace, &Approvers::load(state.as_ref(), context.now()));
    Ok(Waivers::new(&found, context.now()).standings())
}

/// Returns one waiver of a project with its effect.
///
/// # Errors
/// Fails if there is none of this id, and as [`standings`].
pub fn standing_of(
    context: &Context,
    names: &SpecificationNames,
    id: &str,
    events: &mut dyn EventSink,
) -> Result<WaiverUse, EngineError> {
    let standings = standings(context, names, events)?;
    let found = standings.iter().find(|used| used.waiver.id == id).cloned();
    found.ok_or_else(|| unknown("waiver", id, standings.iter().map(|used| used.waiver.id.as_str())))
}

/// Revokes a waiver.
///
/// # Errors
/// Fails if there is none of this id, or if it cannot be removed.
pub fn revoke(
    context: &Context,
    names: &SpecificationNames,
    id: &str,
    events: &mut dyn EventSink,
) -> Result<(), EngineError> {
    let workspace = workspace(&load(context, names, events)?)?;
    let revoked = ledger::revoke(&workspace, id)
        .map_err(|error| EngineError::new(ErrorKind::Evidence, format!("the waiver was not removed: {error}")))?;
    if !revoked {
        let found = ledger::find(&workspace, &Approvers::default());
        return Err(unknown("waiver", id, found.iter().map(|waiver| waiver.id.as_str())));
    }
    Ok(())
}

/// Loads the selected specification.
fn load(context: &Context, names: &SpecificationNames, events: &mut dyn EventSink) -> Result<Suite, EngineError> {
    context.load_single(names, "waivers belong to one workspace: name one specification", events)
}

fn workspace(suite: &Suite) -> Result<PathBuf, EngineError> {
    let workspace = suite.tasks.first().map(|plan| plan.workspace.clone());
    workspace.ok_or_else(|| EngineError::usage("the specification has no task".to_owned()))
}

fn refusal(waiver: &Waiver, now: Timestamp) -> Option<String> {
    Waivers::new(std::slice::from_ref(waiver), now).notices().into_iter().next()
}

fn not_given(error: GiveError) -> EngineError {
    match error {
        GiveError::Waiver(_) => EngineError::usage(error.to_string()),
        GiveError::Ledger(error) => {
            EngineError::new(ErrorKind::Evidence, format!("the waiver was not written: {error}"))
        }
    }
}

/// Returns the scope for a subject, if the current plan or the last sealed runs have something of that name.
fn scope(suite: &Suite, subject: &WaiverSubject) -> Result<WaiverScope, EngineError> {
    match subject {
        WaiverSubject::Action { task, action } => step(suite, task.as_ref(), action),
        WaiverSubject::Rule(named) => rule(suite, named),
        WaiverSubject::File(path) => {
            let path = path.strip_prefix("./").unwrap_or(path).to_owned();
            let found = protected(suite);
            let stands = suite.tasks.iter().any(|plan| plan.workspace.join(&path).is_file());
            let leads_out = path.starts_with('/') || path.split('/').any(|part| part == "..");
            if leads_out || !(stands || found.paths.contains(&path)) {
                return Err(unknown("file of the workspace", &path, found.paths.iter().map(String::as_str)));
            }
            Ok(WaiverScope::File { path })
        }
        WaiverSubject::Weakening(subject) => {
            let found = protected(suite);
            let actions = suite.tasks.iter().flat_map(|plan| &plan.actions);
            let tools: Vec<String> = suite.tasks.iter().flat_map(waiver::tools).collect();
            let known = found.subjects.iter().map(String::as_str).chain(actions.map(|action| action.name.as_str()));
            let known: Vec<&str> = known.chain(tools.iter().map(String::as_str)).collect();
            if !known.contains(&subject.as_str()) {
                return Err(unknown("part of the specification", subject, known));
            }
            Ok(WaiverScope::Weakening { subject: subject.clone() })
        }
    }
}

fn step(suite: &Suite, task: Option<&TaskId>, named: &str) -> Result<WaiverScope, EngineError> {
    let tasks: Vec<&Plan> = suite.tasks.iter().filter(|plan| task.is_none_or(|task| plan.task == *task)).collect();
    if let (Some(task), true) = (task, tasks.is_empty()) {
        return Err(unknown("task", task.as_str(), suite.tasks.iter().map(|plan| plan.task.as_str())));
    }
    let actions: Vec<_> = tasks.iter().flat_map(|plan| &plan.actions).collect();
    let is_named = |action: &&&Action| action.id.as_str() == named || action.name == named;
    match actions.iter().find(is_named) {
        Some(action) if action.phase == Phase::Prerequisite => Err(EngineError::usage(format!(
            "{} {} is a prerequisite, and those are never waived: what comes after it says nothing without it",
            action.id, action.name
        ))),
        Some(_) => {
            let task = task.map(|task| task.as_str().to_owned());
            Ok(WaiverScope::Action { task, action: named.to_owned() })
        }
        None => {
            let names = actions.iter().flat_map(|action| [action.id.as_str(), action.name.as_str()]);
            Err(unknown("step", named, names))
        }
    }
}

fn rule(suite: &Suite, named: &str) -> Result<WaiverScope, EngineError> {
    let Some((tool, rule)) = named.split_once(':').filter(|(tool, rule)| !tool.is_empty() && !rule.is_empty()) else {
        return Err(EngineError::usage(format!("--rule {named}: TOOL:RULE is needed, such as eslint:no-console")));
    };
    if !suite.tasks.iter().any(|plan| waiver::runs(plan, tool)) {
        let tools: Vec<String> = suite.tasks.iter().flat_map(waiver::tools).collect();
        return Err(unknown(
            "tool that the specification runs and whose findings are weighed",
            tool,
            tools.iter().map(String::as_str),
        ));
    }
    Ok(WaiverScope::Rule { tool: tool.to_owned(), rule: rule.to_owned() })
}

/// Protected files and weakenings in the findings of the last sealed runs.
#[derive(Default)]
struct LastFindings {
    paths: Vec<String>,
    subjects: Vec<String>,
}

fn protected(suite: &Suite) -> LastFindings {
    let mut found = LastFindings::default();
    for plan in &suite.tasks {
        let evidence = Evidence::open(&plan.evidence_root.join(plan.task.as_str())).ok();
        let bytes = evidence.and_then(|evidence| evidence.read(evidence_name::RUN).ok());
        let run = bytes.and_then(|bytes| referee_model::record::header::read(&bytes).ok());
        let Some(run_context) = run.map(|run| run.run_context) else { continue };
        let asks_probes = run_context.probe.is_some() || run_context.probe_audit.is_some();
        found.subjects.extend(asks_probes.then(|| criteria::PROBE.to_owned()));
        let Some(protection) = run_context.protection else { continue };
        found.paths.extend(protection.drift.into_iter().map(|drift| drift.path));
        found.paths.extend(protection.suppressions.into_iter().map(|suppression| suppression.path));
        found.subjects.extend(protection.weakenings.into_iter().map(|weakening| weakening.subject));
    }
    found
}

fn unknown<'a>(what: &str, named: &str, known: impl IntoIterator<Item = &'a str>) -> EngineError {
    let mut known: Vec<&str> = known.into_iter().collect();
    let meant = nearest(named, known.iter().copied()).map(|meant| format!("; is \"{meant}\" meant?"));
    known.sort_unstable();
    known.dedup();
    let listed = known.iter().take(NAMES_LISTED).copied().collect::<Vec<_>>().join(", ");
    let listed = if listed.is_empty() { String::new() } else { format!("; there is {listed}") };
    EngineError::usage(format!("there is no {what} \"{named}\"{}{listed}", meant.unwrap_or_default()))
}
