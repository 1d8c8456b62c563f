//! From stored facts to a judged report. Live runs and replays both go through here; neither has another way.

use std::collections::BTreeMap;

use referee_judge::{classify, criteria, role};
use referee_ledger::evidence::LogFile;
use referee_model::id::ActionId;
use referee_model::plan::{Action, Plan, Work};
use referee_model::reading::Reading;
use referee_model::record::{Facts, Log, Record, RunRecord};
use referee_model::report::{ActionReport, Course, Ran, Report};
use referee_readers::Hint;
use referee_wire::evidence_name;

use crate::place;
use crate::request::Failure;
use crate::stored::StoredLog;

/// Reads and judges one action from its record and its stored output.
pub(crate) fn judge_action(
    plan: &Plan,
    action: &Action,
    record: Record,
    open_log: impl Fn(&Log) -> LogFile,
) -> Result<Ran, Failure> {
    let reading = read(plan, action, &record, open_log)?;
    let judgement = classify::judge(plan, action, &record, &reading);
    Ok(Ran { record, reading, judgement })
}

fn read(plan: &Plan, action: &Action, record: &Record, open_log: impl Fn(&Log) -> LogFile) -> Result<Reading, Failure> {
    let (Work::Command(command), Facts::Command(facts)) = (&action.work, &record.facts) else {
        return Ok(Reading::default());
    };
    let Some(log) = &facts.log else {
        return Ok(Reading::default());
    };
    let told = role::tell(command);
    let hint = Hint { tool: told.tool, role: Some(told.role) };
    let stored = open_log(log);
    // What is read must be what was captured: an action may have reached for the file meanwhile.
    stored.check()?;
    let mut reading = referee_readers::read(&StoredLog(stored), &hint)
        .map_err(|error| Failure::Internal(format!("the stored output of {} could not be read: {error}", action.id)))?;
    place::in_workspace(&mut reading, &plan.workspace, &command.directory);
    Ok(reading)
}

/// Returns the files that hold what was read from an action's output, where something was.
pub(crate) fn readings(action: &Action, ran: &Ran) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut files = Vec::new();
    if ran.reading.counts.total() > 0 {
        let document = referee_wire::diagnostics::document(action, &ran.reading);
        files.push((
            evidence_name::diagnostics(&action.id),
            referee_wire::to_bytes(&document).map_err(Failure::document)?,
        ));
    }
    if let Some(tests) = &ran.reading.tests {
        let document = referee_wire::test_results::document(action, &ran.record, tests);
        files.push((
            evidence_name::test_results(&action.id),
            referee_wire::to_bytes(&document).map_err(Failure::document)?,
        ));
    }
    Ok(files)
}

/// Judges the task and puts the report together.
///
/// # Errors
/// Fails where an action neither ran nor was skipped with a reason, or did both.
pub(crate) fn report(plan: Plan, run: RunRecord, mut ran: BTreeMap<ActionId, Ran>) -> Result<Report, Failure> {
    let mut actions = Vec::with_capacity(plan.actions.len());
    for action in &plan.actions {
        let course = match (ran.remove(&action.id), run.skipped.get(&action.id)) {
            (Some(ran), None) => Course::Ran(Box::new(ran)),
            (None, Some(reason)) => Course::Skipped(reason.clone()),
            (None, None) => return Err(Failure::Document(format!("{} has no record and was not skipped", action.id))),
            (Some(_), Some(_)) => return Err(Failure::Document(format!("{} has a record and was skipped", action.id))),
        };
        actions.push(ActionReport { action: action.clone(), course });
    }
    let verdict = criteria::verdict(&plan, &run, &actions);
    Ok(Report { plan, run, actions, verdict })
}
