//! `referee waive`: a person's signed word that one named thing shall not block for a while.

use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::keys;
use referee_engine::problem::{Kind, Problem};
use referee_judge::waiver::{self, Waivers};
use referee_ledger::waivers::{self as ledger, Approvers, GiveError};
use referee_model::circumstances::{Waiver, WaiverScope, WaiverTerms, WaiverUse};
use referee_model::plan::Plan;
use referee_model::suite::Suite;
use referee_report::human;
use referee_syntax::distance::nearest;
use referee_wire::{evidence_name, exit_code};

use self::until::until;
use super::person;
use crate::args::Specification;
use crate::args::waive::{Given, Project, Waive, WaiveCommand, WaiveList};
use crate::output;
use crate::resolve;

mod until;

/// Names that a message lists where one was not found.
const NAMES_LISTED: usize = 20;

/// Gives, lists, shows or revokes waivers.
pub(super) fn execute(context: &Context, arguments: &Waive) -> Result<u8, Problem> {
    match &arguments.command {
        None => {
            person::refuse_to_move_the_gate(context, "waive what blocks")?;
            give(context, &arguments.given)
        }
        Some(WaiveCommand::List(arguments)) => list(context, arguments),
        Some(WaiveCommand::Show(one)) => show(context, &one.id, &one.project),
        Some(WaiveCommand::Revoke(one)) => {
            person::refuse_to_move_the_gate(context, "take a waiver back")?;
            revoke(context, &one.id, &one.project)
        }
    }
}

/// Loads the one specification that is meant.
fn load(context: &Context, project: &Project) -> Result<Suite, Problem> {
    let files = project.specification.iter().cloned().collect();
    let specification = Specification { files, workspace: project.workspace.clone() };
    let mut loaded = resolve::load(context, &specification)?.into_iter();
    match (loaded.next(), loaded.next()) {
        (Some(loaded), None) => Ok(loaded?.suite),
        _ => Err(Problem::usage("waivers belong to one workspace: name one specification".to_owned())),
    }
}

fn workspace(suite: &Suite) -> Result<PathBuf, Problem> {
    let workspace = suite.tasks.first().map(|plan| plan.workspace.clone());
    workspace.ok_or_else(|| Problem::usage("the specification has no task".to_owned()))
}

fn give(context: &Context, given: &Given) -> Result<u8, Problem> {
    let suite = load(context, &given.project)?;
    let workspace = workspace(&suite)?;
    let scope = scope(&suite, given)?;
    let (Some(reason), Some(asked), Some(key)) = (&given.reason, &given.until, &given.key) else {
        return Err(Problem::usage("--reason, --until and --key are needed".to_owned()));
    };
    let now = resolve::now();
    let key_file = context.directory.join(key);
    let by_file = || key_file.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let terms = WaiverTerms {
        scope,
        reason: reason.trim().to_owned(),
        person: given.by.clone().unwrap_or_else(by_file),
        given: now,
        until: until(asked, now).map_err(Problem::usage)?,
    };
    let signer = keys::named(context, key, &[&workspace])?;
    let file = ledger::give(&workspace, &terms, &signer).map_err(not_given)?;
    let state = context.state([workspace.as_path()])?;
    let id = file.file_stem().map_or_else(String::new, |id| id.to_string_lossy().into_owned());
    let found = ledger::find(&workspace, &Approvers::load(state.as_ref(), resolve::now()));
    let believed = found.iter().find(|waiver| waiver.id == id);
    let shown = context.shown(&file).display();
    let refused = believed.and_then(|waiver| refusal(waiver, now));
    let refused = refused.map(|refused| format!("note: it lifts nothing here: {refused}\n")).unwrap_or_default();
    let text = format!("{shown}: waives {} until {}\n{refused}", terms.scope.said(), terms.until);
    output::aside(text.as_bytes())?;
    output::answer(format!("{id}\n").as_bytes())?;
    Ok(exit_code::PASSED)
}

fn refusal(waiver: &Waiver, now: referee_model::time::Timestamp) -> Option<String> {
    Waivers::new(std::slice::from_ref(waiver), now).notices().into_iter().next()
}

fn not_given(error: GiveError) -> Problem {
    match error {
        GiveError::Waiver(_) => Problem::usage(error.to_string()),
        GiveError::Ledger(error) => Problem {
            kind: Kind::Evidence,
            message: format!("the waiver was not written: {error}"),
            complaints: Vec::new(),
        },
    }
}

/// What is to be waived, where the current plan, or what the last sealed runs found, has a thing of that name.
fn scope(suite: &Suite, given: &Given) -> Result<WaiverScope, Problem> {
    if let Some(action) = &given.action {
        return step(suite, given, action);
    }
    if let Some(named) = &given.rule {
        return rule(suite, named);
    }
    if let Some(path) = &given.file {
        let path = path.strip_prefix("./").unwrap_or(path).to_owned();
        let found = protected(suite);
        let stands = suite.tasks.iter().any(|plan| plan.workspace.join(&path).is_file());
        let leads_out = path.starts_with('/') || path.split('/').any(|part| part == "..");
        if leads_out || !(stands || found.paths.contains(&path)) {
            return Err(unknown("file of the workspace", &path, found.paths.iter().map(String::as_str)));
        }
        return Ok(WaiverScope::File { path });
    }
    let subject = given.weakening.clone().unwrap_or_default();
    let found = protected(suite);
    let names: Vec<&str> =
        suite.tasks.iter().flat_map(|plan| &plan.actions).map(|action| action.name.as_str()).collect();
    let tools: Vec<String> = suite.tasks.iter().flat_map(waiver::tools).collect();
    let known: Vec<&str> =
        found.subjects.iter().map(String::as_str).chain(names).chain(tools.iter().map(String::as_str)).collect();
    if !known.contains(&subject.as_str()) {
        return Err(unknown("part of the specification", &subject, known));
    }
    Ok(WaiverScope::Weakening { subject })
}

fn step(suite: &Suite, given: &Given, named: &str) -> Result<WaiverScope, Problem> {
    use referee_model::plan::Phase;
    let tasks: Vec<&Plan> =
        suite.tasks.iter().filter(|plan| given.task.as_ref().is_none_or(|task| plan.task == *task)).collect();
    if let (Some(task), true) = (&given.task, tasks.is_empty()) {
        return Err(unknown("task", task.as_str(), suite.tasks.iter().map(|plan| plan.task.as_str())));
    }
    let actions: Vec<_> = tasks.iter().flat_map(|plan| &plan.actions).collect();
    let is_named = |action: &&&referee_model::plan::Action| action.id.as_str() == named || action.name == named;
    match actions.iter().find(is_named) {
        Some(action) if action.phase == Phase::Prerequisite => Err(Problem::usage(format!(
            "{} {} is a prerequisite, and those are never waived: what comes after it says nothing without it",
            action.id, action.name
        ))),
        Some(_) => {
            let task = given.task.as_ref().map(|task| task.as_str().to_owned());
            Ok(WaiverScope::Action { task, action: named.to_owned() })
        }
        None => {
            let names = actions.iter().flat_map(|action| [action.id.as_str(), action.name.as_str()]);
            Err(unknown("step", named, names))
        }
    }
}

fn rule(suite: &Suite, named: &str) -> Result<WaiverScope, Problem> {
    let Some((tool, rule)) = named.split_once(':').filter(|(tool, rule)| !tool.is_empty() && !rule.is_empty()) else {
        return Err(Problem::usage(format!("--rule {named}: TOOL:RULE is needed, such as eslint:no-console")));
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

/// What the last sealed runs found of protected files and weaker specifications.
#[derive(Default)]
struct Found {
    paths: Vec<String>,
    subjects: Vec<String>,
}

fn protected(suite: &Suite) -> Found {
    let mut found = Found::default();
    for plan in &suite.tasks {
        let file = plan.evidence_root.join(plan.task.as_str()).join(evidence_name::RUN);
        let run = std::fs::read(file).ok().and_then(|bytes| referee_wire::run::read(&bytes).ok());
        let Some(protection) = run.and_then(|run| run.circumstances.protection) else { continue };
        found.paths.extend(protection.drift.into_iter().map(|drift| drift.path));
        found.paths.extend(protection.suppressions.into_iter().map(|suppression| suppression.path));
        found.subjects.extend(protection.weakenings.into_iter().map(|weakening| weakening.subject));
    }
    found
}

fn unknown<'a>(what: &str, named: &str, known: impl IntoIterator<Item = &'a str>) -> Problem {
    let mut known: Vec<&str> = known.into_iter().collect();
    let meant = nearest(named, known.iter().copied()).map(|meant| format!("; is \"{meant}\" meant?"));
    known.sort_unstable();
    known.dedup();
    let listed = known.iter().take(NAMES_LISTED).copied().collect::<Vec<_>>().join(", ");
    let listed = if listed.is_empty() { String::new() } else { format!("; there is {listed}") };
    Problem::usage(format!("there is no {what} \"{named}\"{}{listed}", meant.unwrap_or_default()))
}

fn standings(context: &Context, project: &Project) -> Result<Vec<WaiverUse>, Problem> {
    let workspace = workspace(&load(context, project)?)?;
    let state = context.state([workspace.as_path()])?;
    let found = ledger::find(&workspace, &Approvers::load(state.as_ref(), resolve::now()));
    Ok(Waivers::new(&found, resolve::now()).standings())
}

fn list(context: &Context, arguments: &WaiveList) -> Result<u8, Problem> {
    let standings = standings(context, &arguments.project)?;
    output::document(
        arguments.format,
        || referee_wire::to_bytes(&referee_wire::waiver_list::document(&standings)),
        |out| human::waivers::list(&standings, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

fn show(context: &Context, id: &str, project: &Project) -> Result<u8, Problem> {
    let standings = standings(context, project)?;
    let Some(one) = standings.iter().find(|used| used.waiver.id == id) else {
        return Err(unknown("waiver", id, standings.iter().map(|used| used.waiver.id.as_str())));
    };
    let mut text = Vec::new();
    human::waivers::show(one, &context.terminal.stdout, &mut text)?;
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

fn revoke(context: &Context, id: &str, project: &Project) -> Result<u8, Problem> {
    let workspace = workspace(&load(context, project)?)?;
    let revoked = ledger::revoke(&workspace, id).map_err(|error| Problem {
        kind: Kind::Evidence,
        message: format!("the waiver was not removed: {error}"),
        complaints: Vec::new(),
    })?;
    if !revoked {
        let found = ledger::find(&workspace, &Approvers::default());
        return Err(unknown("waiver", id, found.iter().map(|waiver| waiver.id.as_str())));
    }
    output::aside(format!("{id} is removed: from the next run on it lifts nothing\n").as_bytes())?;
    Ok(exit_code::PASSED)
}
