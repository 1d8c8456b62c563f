//! Records what a verdict rests on, after its run was sealed.

use std::collections::BTreeMap;
use std::path::Path;

use referee_judge::gate;
use referee_ledger::receipts::receipt_document::{
    ActionPrograms, KnownFile, Maker, NamedProgram, Receipt, RecordedVerdict,
};
use referee_ledger::receipts::{self, Latest};
use referee_ledger::{LedgerError, State};
use referee_model::evidence_name;
use referee_model::gate::Basis;
use referee_model::plan::Plan;
use referee_model::record::{Facts, FileState};
use referee_model::report::{JUDGE_VERSION, Report};
use referee_model::time::Timestamp;

use super::{Setting, dependencies, is_reusable, looked_at, manner, of_link, subject, variables};
use crate::inputs::{self, Seen};
use crate::request::Answer;

/// Maximum size of a file that is hashed because a check looked at it, in bytes.
const LOOKED_AT_BYTES: u64 = 64 * 1024 * 1024;

/// Stores a receipt of what a sealed verdict rests on, if the verdict may be reused. Returns a note if that
/// failed: the verdict stands, and the next request runs the checks.
pub(crate) fn keep(setting: &Setting<'_>, plan: &Plan, answer: &Answer) -> Option<String> {
    let state = setting.state?;
    if !setting.is_plain || answer.superseded_by.is_some() || !is_reusable(&answer.report) {
        return None;
    }
    // Checks may have seen something else.
    let seen = answer.inputs.as_ref().filter(|seen| !seen.is_rewritten && inputs::unread(&seen.snapshot).is_none())?;
    let kept = receipt(state, setting, plan, (answer, seen)).and_then(|receipt| match receipt {
        Some(receipt) => receipts::keep(state, subject(plan), &receipt),
        None => Ok(()),
    });
    kept.err().map(|error| {
        format!("what the verdict of {} rests on could not be recorded, so it is not reused: {error}", plan.task)
    })
}

/// Builds the receipt. `None` if a file was changed since the run, so that what the run saw is unknown.
fn receipt(
    state: &State,
    setting: &Setting<'_>,
    plan: &Plan,
    (answer, seen): (&Answer, &Seen),
) -> Result<Option<Receipt>, LedgerError> {
    let report = &answer.report;
    let Latest::Sealed { seal, digest, .. } = receipts::latest(&plan.evidence_root, &plan.task, state)? else {
        return Ok(None);
    };
    let (Some(tree), true) = (&report.run.run_context.tree, seal.execution_id == report.run.execution) else {
        return Ok(None);
    };
    let kept_at = setting.world.clock.now();
    let (Some(program), Some(files)) = (own_program(&setting.world.shim, kept_at)?, files(plan, report)?) else {
        return Ok(None);
    };
    let Some(links) = &seen.links else { return Ok(None) };
    let mut dependencies = dependencies(plan)?;
    dependencies.extend(links.iter().map(|(path, digest)| (of_link(path), *digest)));
    let file = answer.directory.join(evidence_name::EXECUTION_REPORT);
    let judged = gate::judged(report, Basis::Ran, &file.display().to_string());
    Ok(Some(Receipt {
        workspace: plan.workspace.display().to_string(),
        kept_at,
        execution_id: report.run.execution.clone(),
        seal_digest: digest,
        plan_digest: seal.plan_digest,
        tree_digest: tree.after.digest,
        maker: Maker {
            engine_version: setting.engine_version.to_owned(),
            judge_version: JUDGE_VERSION.to_owned(),
            program,
        },
        manner: manner(setting, report.run.run_context.protection.as_ref()),
        environment: receipts::keyed(state, &variables(plan, setting.world))?,
        programs: programs(report),
        files,
        dependencies,
        verdict: RecordedVerdict::new(&judged.task, &judged.causes, judged.causes_in_all),
    }))
}

/// Returns this program. It is recognized by its stamp, so that no run waits for it to be hashed; only a recently
/// changed one is hashed.
fn own_program(path: &Path, kept_at: Timestamp) -> Result<Option<KnownFile>, LedgerError> {
    let mut program = receipts::known(path, None)?;
    if program.stamp.is_some() && receipts::has_changed_since(&program, kept_at) {
        program.sha256 = Some(receipts::hashed(path)?);
    }
    Ok(program.stamp.is_some().then_some(program))
}

/// Returns the programs that ran, by action.
fn programs(report: &Report) -> Vec<ActionPrograms> {
    let of_action = |action: &referee_model::report::ActionReport| {
        let Facts::Command(facts) = &action.ran()?.record.facts else { return None };
        let named = |program: &referee_model::record::Executable| NamedProgram {
            name: program.name.clone(),
            path: program.path.clone(),
        };
        Some(ActionPrograms {
            action_id: action.action.id.clone(),
            programs: facts.executables.iter().map(named).collect(),
        })
    };
    report.actions.iter().filter_map(of_action).collect()
}

/// Returns the files that the run used by name: programs, and files that checks looked at. `None` if one has
/// changed since the run.
fn files(plan: &Plan, report: &Report) -> Result<Option<Vec<KnownFile>>, LedgerError> {
    let mut files = BTreeMap::new();
    for ran in report.actions.iter().filter_map(|action| action.ran()) {
        let found = match &ran.record.facts {
            Facts::Command(facts) => facts
                .executables
                .iter()
                .map(|program| executable(Path::new(&program.path), program.sha256, report.run.started))
                .collect(),
            Facts::File(facts) => vec![looked(&looked_at(plan, &facts.path), &facts.found)],
            Facts::Glob(_) | Facts::Http(_) | Facts::Service(_) | Facts::Interaction(_) | Facts::NotExecuted => {
                vec![Ok(None)]
            }
        };
        for file in found {
            let Some(file) = file? else { return Ok(None) };
            files.insert(file.path.clone(), file);
        }
    }
    for path in super::named::outside(plan) {
        let name = path.display().to_string();
        if files.contains_key(&name) || is_program(report, &name) {
            continue;
        }
        let Some(file) = outside(&path, report.run.started)? else { return Ok(None) };
        files.insert(name, file);
    }
    Ok(Some(files.into_values().collect()))
}

/// Whether a path is the name of a program that ran, and so a known file.
pub(super) fn is_program(report: &Report, path: &str) -> bool {
    report.actions.iter().filter_map(|action| action.ran()).any(|ran| match &ran.record.facts {
        Facts::Command(facts) => facts.executables.iter().any(|program| program.name == path),
        _ => false,
    })
}

/// Returns a file outside the workspace that a command names. `None` if it may not be what the run saw.
fn outside(path: &Path, started: Timestamp) -> Result<Option<KnownFile>, LedgerError> {
    let mut file = match receipts::known(path, None) {
        Err(LedgerError::NotAFile { .. }) => return Ok(None),
        file => file?,
    };
    let Some(stamp) = file.stamp else { return Ok(Some(file)) };
    if stamp.bytes > LOOKED_AT_BYTES || receipts::has_changed_since(&file, started) {
        return Ok(None);
    }
    file.sha256 = Some(receipts::hashed(path)?);
    Ok(Some(file))
}

/// Returns a program. One that is older than the run is the one hashed then; any other is hashed again.
fn executable(
    path: &Path,
    sha256: Option<referee_model::id::Digest>,
    started: Timestamp,
) -> Result<Option<KnownFile>, LedgerError> {
    let file = receipts::known(path, sha256)?;
    if file.stamp.is_none() {
        return Ok(None);
    }
    if !receipts::has_changed_since(&file, started) {
        return Ok(Some(file));
    }
    let Some(sha256) = sha256 else { return Ok(None) };
    Ok((receipts::hashed(path)? == sha256).then_some(file))
}

/// Returns a file that a check looked at. A file reached through a link as its last component has no reliable stamp.
fn looked(path: &Path, found: &FileState) -> Result<Option<KnownFile>, LedgerError> {
    match looked_at_once(path, found) {
        Err(LedgerError::NotAFile { .. }) => Ok(None),
        other => other,
    }
}

fn looked_at_once(path: &Path, found: &FileState) -> Result<Option<KnownFile>, LedgerError> {
    let observed = match found {
        FileState::Missing => {
            let file = receipts::known(path, None)?;
            return Ok(file.stamp.is_none().then_some(file));
        }
        FileState::File(observed) if observed.bytes <= LOOKED_AT_BYTES => observed,
        _ => return Ok(None),
    };
    let mut file = receipts::known(path, observed.sha256)?;
    if file.stamp.is_none_or(|stamp| stamp.bytes != observed.bytes) {
        return Ok(None);
    }
    let sha256 = receipts::hashed(path)?;
    if observed.sha256.is_some_and(|seen| seen != sha256) {
        return Ok(None);
    }
    file.sha256 = Some(sha256);
    Ok(Some(file))
}
