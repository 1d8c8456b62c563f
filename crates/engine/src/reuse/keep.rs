//! What a verdict rests on, taken down when its run has been sealed.

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

/// Largest file that is hashed because a check looked at it, in bytes.
const LOOKED_AT_BYTES: u64 = 64 * 1024 * 1024;

/// Keeps what a sealed verdict rests on, where it is one that may be reused. Returns what a person should know where that
/// could not be done: the verdict stands, and the next question has the checks run.
pub(crate) fn keep(setting: &Setting<'_>, plan: &Plan, answer: &Answer) -> Option<String> {
    let state = setting.state?;
    if !setting.is_plain || answer.superseded_by.is_some() || !is_reusable(&answer.report) {
        return None;
    }
    // What checks saw may have been something else.
    let seen = answer.inputs.as_ref().filter(|seen| !seen.is_rewritten && inputs::unread(&seen.snapshot).is_none())?;
    let kept = receipt(state, setting, plan, (answer, seen)).and_then(|receipt| match receipt {
        Some(receipt) => receipts::keep(state, subject(plan), &receipt),
        None => Ok(()),
    });
    kept.err().map(|error| {
        format!("what the verdict of {} rests on could not be recorded, so it is not reused: {error}", plan.task)
    })
}

/// Makes the receipt. None: something was changed since the run, so that nothing can be said of what it saw.
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

/// This very program. It is told by its stamp, so that no run waits for it to be hashed; only one that was put there a moment
/// ago is.
fn own_program(path: &Path, kept_at: Timestamp) -> Result<Option<KnownFile>, LedgerError> {
    let mut program = receipts::known(path, None)?;
    if program.stamp.is_some() && receipts::has_changed_since(&program, kept_at) {
        program.sha256 = Some(receipts::hashed(path)?);
    }
    Ok(program.stamp.is_some().then_some(program))
}

/// The programs that ran, action by action.
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

/// The files that the run used by name: programs, and what checks looked at. None: one is not what the run saw any more.
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
            Facts::Glob(_) | Facts::Http(_) | Facts::Service(_) | Facts::NotExecuted => vec![Ok(None)],
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

/// Whether a path is the name of a program that ran: which file that was is known.
fn is_program(report: &Report, path: &str) -> bool {
    report.actions.iter().filter_map(|action| action.ran()).any(|ran| match &ran.record.facts {
        Facts::Command(facts) => facts.executables.iter().any(|program| program.name == path),
        _ => false,
    })
}

/// A file outside the workspace that a command names. None: nobody can say that it is what the run saw.
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

/// A program. One that is older than the run is the one that was hashed then; any other is hashed again.
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

/// A file that a check looked at. One that was reached by a link at its end is not told by any stamp of its own.
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
