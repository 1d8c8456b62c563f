//! Checks that the sealed documents of a run agree with one another. A seal proves that the files are unchanged;
//! it does not prove that they belong together.

use std::collections::BTreeSet;

use referee_ledger::evidence::Evidence;
use referee_model::event::{Event, EventKind, journal};
use referee_model::plan::{Action, Evaluator, Plan};
use referee_model::record::{Record, RunEnding, RunRecord};
use referee_model::report::Ran;
use referee_model::seal::Seal;
use referee_model::time::Timestamp;
use referee_model::{evidence_name, limit};

use crate::error::EngineError;
use crate::replay::Replay;

/// Returns the contradictions between the documents of a run, one sentence each.
pub(crate) fn contradictions(evidence: &Evidence, seal: &Seal, replay: &Replay) -> Result<Vec<String>, EngineError> {
    let mut found = headers(seal, &replay.report.plan, &replay.report.run)?;
    found.extend(files(evidence, replay)?);
    found.extend(journal(evidence, replay)?);
    Ok(found)
}

/// Returns the contradictions between seal, plan and run header, one sentence each: everything that can be
/// checked without judging again.
pub(crate) fn of_headers(evidence: &Evidence, seal: &Seal) -> Result<Vec<String>, EngineError> {
    let plan = referee_model::plan::plan_document::read(&evidence.read(evidence_name::PLAN)?)
        .map_err(EngineError::internal)?;
    let run =
        referee_model::record::header::read(&evidence.read(evidence_name::RUN)?).map_err(EngineError::internal)?;
    headers(seal, &plan, &run)
}

/// Checks that the seal names the run that the plan and `run.json` describe.
fn headers(seal: &Seal, plan: &Plan, run: &RunRecord) -> Result<Vec<String>, EngineError> {
    let digest = referee_model::plan::plan_document::digest(plan).map_err(EngineError::internal)?;
    let tree = run.run_context.tree.as_ref().map(|tree| (tree.before.digest, tree.after.digest));
    let rows = [
        (seal.task_id == plan.task, "the seal names another task than the plan"),
        (seal.execution_id == run.execution, "the seal names another run than run.json"),
        (seal.sealed_at == run.ended, "the seal's time is not the end of the run"),
        (seal.plan_digest == digest, "the seal holds the digest of another plan"),
        (seal.tree_before.zip(seal.tree_after) == tree, "the seal holds other digests of the tree than run.json"),
    ];
    Ok(rows.into_iter().filter(|(holds, _)| !holds).map(|(_, sentence)| sentence.to_owned()).collect())
}

/// Checks that the directory holds exactly the files that the run leaves.
fn files(evidence: &Evidence, replay: &Replay) -> Result<Vec<String>, EngineError> {
    let mut expected: BTreeSet<String> = replay.derived.keys().cloned().collect();
    expected.extend(
        [evidence_name::PLAN, evidence_name::RUN, evidence_name::JOURNAL, evidence_name::SEAL].map(str::to_owned),
    );
    expected.extend(replay.report.plan.debt.enabled.then(|| evidence_name::DEBT_STANDING.to_owned()));
    expected.extend(replay.report.verdict.baseline.iter().map(|_| evidence_name::BASELINE.to_owned()));
    for (action, ran) in all_ran(replay) {
        for record in records(ran) {
            expected.insert(evidence_name::record(action, record.attempt));
            expected.extend(record.files().map(|log| log.file.clone()));
        }
    }
    let evaluator = replay.report.plan.evaluator.as_ref().map(Evaluator::action);
    if let (Some(action), Some(record)) = (&evaluator, &replay.evaluator) {
        expected.insert(evidence_name::record(action, record.attempt));
        expected.extend(record.files().map(|log| log.file.clone()));
    }
    let names: BTreeSet<String> = evidence.names()?.into_iter().collect();
    // Which machine performed the run decides nothing.
    expected.extend(names.get(evidence_name::FLEET_RESULT).cloned());
    let of_parts = (1..=limit::ORDER_PARTS).map(evidence_name::fleet_result_of_part);
    expected.extend(of_parts.take_while(|name| names.contains(name)));
    let of_services = replay.report.run.services.iter().filter_map(|service| service.log.as_ref());
    expected.extend(of_services.map(|log| log.file.clone()));
    let missing = expected.difference(&names).map(|name| format!("{name} is missing"));
    // A missing attestation is checked on another verification axis; a present one always belongs to the run.
    let strange = names.difference(&expected).filter(|name| *name != evidence_name::ATTESTATION);
    let strange = strange.map(|name| format!("{name} belongs to no action of the run"));
    Ok(missing.chain(strange).collect())
}

/// Returns every action that ran, including those whose results were superseded.
fn all_ran(replay: &Replay) -> impl Iterator<Item = (&Action, &Ran)> {
    replay.report.actions.iter().filter_map(|report| {
        let ran = report.ran().or_else(|| replay.superseded.get(&report.action.id))?;
        Some((&report.action, ran))
    })
}

/// Returns the records of all attempts, in order.
fn records(ran: &Ran) -> impl Iterator<Item = &Record> {
    ran.earlier.iter().map(|attempt| &attempt.record).chain([&ran.record])
}

/// Checks that the journal has the same actions as the records and judgements, and the same decision as the report.
fn journal(evidence: &Evidence, replay: &Replay) -> Result<Vec<String>, EngineError> {
    let document = |error: &dyn std::fmt::Display| EngineError::internal(format!("journal.jsonl: {error}"));
    let bytes = evidence.read(evidence_name::JOURNAL)?;
    let text = String::from_utf8(bytes).map_err(|error| document(&error))?;
    let mut told = BTreeSet::new();
    for line in text.lines() {
        if journal::read_line(line).map_err(|error| document(&error))?.kind != INTERRUPTING {
            told.insert(journal::told(line).map_err(|error| document(&error))?);
        }
    }
    let mut expected = BTreeSet::new();
    for happening in happenings(replay) {
        let line = journal::line(&Event { sequence: 0, at: Timestamp::from_millisecond(0), happening });
        expected.insert(journal::told(&line).map_err(|error| document(&error))?);
    }
    // If the engine failed midway, an action may have been started and never finished.
    let broke = matches!(replay.report.run.ending, RunEnding::Failed { .. });
    let agrees = told == expected || (broke && expected.is_subset(&told));
    Ok(if agrees {
        Vec::new()
    } else {
        vec!["the journal tells of another course than the records and the report".to_owned()]
    })
}

/// Event kind of a request to stop. Only the journal records it, so there is nothing to check it against.
const INTERRUPTING: &str = "interrupting";

fn happenings(replay: &Replay) -> Vec<EventKind> {
    let report = &replay.report;
    let mut happenings = vec![EventKind::RunStarted {
        execution: report.run.execution.clone(),
        task: report.plan.task.clone(),
        title: report.plan.title.clone(),
        actions: report.plan.actions.len(),
    }];
    happenings.extend(all_ran(replay).flat_map(|(action, ran)| of_action(action, ran)));
    happenings.extend(
        report
            .run
            .skipped
            .iter()
            .map(|(action, reason)| EventKind::ActionSkipped { action: action.clone(), reason: reason.clone() }),
    );
    let of_services = report.run.services.iter().cloned();
    happenings.extend(of_services.map(|service| EventKind::ServiceStopped(Box::new(service))));
    if let Some(record) = &replay.evaluator {
        happenings.extend([EventKind::EvaluatorAsked, EventKind::EvaluatorAnswered(Box::new(record.clone()))]);
    }
    happenings.push(EventKind::RunFinished { decision: report.verdict.decision });
    happenings
}

fn of_action(action: &Action, ran: &Ran) -> Vec<EventKind> {
    let mut happenings = Vec::new();
    for record in records(ran) {
        happenings.push(EventKind::ActionStarted {
            action: action.id.clone(),
            phase: action.phase,
            name: action.name.clone(),
            attempt: record.attempt,
        });
        happenings.push(EventKind::ActionFinished(Box::new(record.clone())));
    }
    happenings.push(EventKind::ActionJudged(Box::new(ran.judgement.clone())));
    happenings
}
