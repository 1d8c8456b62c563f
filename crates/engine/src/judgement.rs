//! From stored facts to a judged report. Live runs and replays share this code.

use std::collections::BTreeMap;

use referee_judge::criteria::EvaluatorOutput;
use referee_judge::{baseline, classify, criteria, debt, diagnostics, role, waiver};
use referee_ledger::evidence::LogFile;
use referee_model::debt::{DebtAssessment, DebtStanding};
use referee_model::evidence_name;
use referee_model::id::ActionId;
use referee_model::outcome::Judgement;
use referee_model::plan::{Action, Plan, Role, Work};
use referee_model::reading::Reading;
use referee_model::record::{Facts, Log, Record, RunRecord};
use referee_model::report::{ActionHistory, ActionReport, Attempt, Ran, Report};
use referee_readers::Hint;

use crate::error::EngineError;
use crate::evaluation::Answered;
use crate::stored::StoredLog;
use crate::stored_baseline::StoredBaseline;
use crate::{condition_inputs, location, log_lines};

/// Reads and judges one attempt from its record and its stored output.
pub(crate) fn judge_attempt(
    plan: &Plan,
    action: &Action,
    record: Record,
    held: Option<&StoredBaseline>,
    open_log: impl Fn(&Log) -> LogFile,
) -> Result<Tried, EngineError> {
    let reading = read(plan, action, &record, open_log)?;
    let known = held.and_then(|held| baseline::of_action(&held.baseline, plan, action));
    let judgement = classify::judge_against(plan, action, &record, &reading, known);
    Ok(Tried { record, reading, judgement })
}

/// One attempt, read and judged by itself.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) record: Record,
    pub(crate) reading: Reading,
    pub(crate) judgement: Judgement,
}

/// Judges an action from all of its attempts.
pub(crate) fn settle(plan: &Plan, action: &Action, earlier: Vec<Attempt>, last: Tried) -> Ran {
    let judgement = classify::settle(plan, action, &earlier, last.judgement);
    Ran { record: last.record, reading: last.reading, judgement, earlier }
}

/// Reads the output of a command, or of a service that failed to start. The body of an HTTP response and the answer
/// of a database or a browser are excerpted but not read: text in them that looks like a tool's output is not one.
fn read(
    plan: &Plan,
    action: &Action,
    record: &Record,
    open_log: impl Fn(&Log) -> LogFile,
) -> Result<Reading, EngineError> {
    let Some(log) = record.log() else {
        return Ok(Reading::default());
    };
    let plain = Hint { tool: None, role: Some(Role::Other) };
    match (&action.work, &record.facts) {
        (Work::Command(command), Facts::Command(_)) => {
            let told = role::tell(command);
            let hint = Hint { tool: told.tool, role: Some(told.role) };
            let mut reading = read_log(action, log, open_log(log), &hint)?;
            location::in_workspace(&mut reading, plan, &command.directory);
            Ok(reading)
        }
        (Work::Service(service), Facts::Service(_)) => {
            let mut reading = read_log(action, log, open_log(log), &plain)?;
            if let Some(command) = &service.command {
                location::in_workspace(&mut reading, plan, &command.directory);
            }
            Ok(reading)
        }
        (Work::Http(_), Facts::Http(_)) | (Work::Interaction(_), Facts::Interaction(_)) => {
            let excerpts = read_log(action, log, open_log(log), &plain)?.excerpts;
            Ok(Reading { excerpts, ..Reading::default() })
        }
        _ => Ok(Reading::default()),
    }
}

fn read_log(action: &Action, log: &Log, stored: LogFile, hint: &Hint) -> Result<Reading, EngineError> {
    if log.bytes == 0 {
        stored.check()?;
        // All readers return nothing for empty output, and asking them takes much of the time of a short command.
        return Ok(Reading::default());
    }
    let source = StoredLog(stored);
    let read = referee_readers::read(&source, hint).and_then(|mut reading| {
        log_lines::number(&mut reading, || source.0.whole())?;
        Ok(reading)
    });
    // The stored output must be what was captured: an action may have changed the file meanwhile. What was read of
    // another one is discarded, and an error in reading it is not the cause.
    source.0.check()?;
    read.map_err(|error| {
        EngineError::internal(format!("the stored output of {} could not be read: {error}", action.id))
    })
}

/// Returns the files with diagnostics and test results of an action, as far as there are any.
pub(crate) fn readings(action: &Action, ran: &Ran) -> Result<Vec<(String, Vec<u8>)>, EngineError> {
    let mut files = Vec::new();
    if ran.reading.counts.total() > 0 {
        let document = referee_report::diagnostics::document(action, &ran.reading);
        files.push((
            evidence_name::diagnostics(&action.id),
            referee_model::document::to_bytes(&document).map_err(EngineError::internal)?,
        ));
    }
    if let Some(tests) = &ran.reading.tests {
        let document = referee_report::test_results::document(action, &ran.record, tests);
        files.push((
            evidence_name::test_results(&action.id),
            referee_model::document::to_bytes(&document).map_err(EngineError::internal)?,
        ));
    }
    Ok(files)
}

/// The question for the judge.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Question<'a> {
    /// The full verdict, with the evaluator's answer, if there is one.
    Verdict(Option<&'a Answered>),
    /// The verdict by the rules alone, which is what the evaluator is given.
    ByRules,
}

/// Further evidence that a report is judged from, beside the run itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beside<'a> {
    pub(crate) question: Question<'a>,
    /// The baseline that the run is compared with.
    pub(crate) held: Option<&'a StoredBaseline>,
    /// State of the register of debt. `None`: debt is not tracked.
    pub(crate) standing: Option<&'a DebtStanding>,
}

/// Judges the task and builds the report. Without the state of the register there is no debt.
///
/// # Errors
/// Fails if an action neither ran nor was skipped with a reason, or if it did both.
pub(crate) fn report(
    plan: Plan,
    run: RunRecord,
    mut ran: BTreeMap<ActionId, Ran>,
    beside: Beside<'_>,
    open_log: impl Fn(&Log) -> LogFile,
) -> Result<Report, EngineError> {
    let mut actions = Vec::with_capacity(plan.actions.len());
    let materials = condition_inputs::find(&plan, &ran, &run.services, open_log)?;
    for action in &plan.actions {
        let history = match (ran.remove(&action.id), run.skipped.get(&action.id)) {
            (Some(ran), None) => ActionHistory::Ran(Box::new(ran)),
            (None, Some(reason)) => ActionHistory::Skipped(reason.clone()),
            (None, None) => {
                return Err(EngineError::internal(format!("{} has no record and was not skipped", action.id)));
            }
            (Some(_), Some(_)) => {
                return Err(EngineError::internal(format!("{} has a record and was skipped", action.id)));
            }
        };
        actions.push(ActionReport { action: action.clone(), history });
    }
    let mut verdict = match beside.question {
        Question::ByRules => criteria::by_rules(&plan, &run, &actions, &materials),
        Question::Verdict(answered) => {
            let output = answered.map_or_else(EvaluatorOutput::default, Answered::output);
            criteria::verdict(&plan, &run, &actions, &materials, output)
        }
    };
    if let Some(held) = beside.held {
        baseline::apply(&mut verdict, &held.baseline, held.digest, &actions);
    }
    waiver::apply(&mut verdict, &run, &actions);
    let debt =
        beside.standing.map_or_else(DebtAssessment::default, |standing| debt::assess(&plan, &run, &actions, standing));
    let diagnostics = diagnostics::log(&plan, &actions);
    Ok(Report { plan, run, actions, verdict, diagnostics, debt })
}

/// Returns the files that are projections of the report alone, except the report itself.
pub(crate) fn projections(report: &Report) -> Result<Vec<(String, Vec<u8>)>, EngineError> {
    if !report.plan.debt.enabled {
        return Ok(Vec::new());
    }
    let debt = referee_report::technical_debt::render(report).map_err(EngineError::internal)?;
    Ok(vec![(evidence_name::TECHNICAL_DEBT.to_owned(), debt)])
}

#[cfg(test)]
mod tests {
    use referee_readers::source::MemorySource;

    use super::*;

    #[test]
    fn no_reader_says_anything_of_nothing() {
        let nothing = MemorySource::stdout(Vec::new());
        let roles = [Role::Test, Role::Typecheck, Role::Lint, Role::Format, Role::Compile, Role::Other];
        for tool in [None].into_iter().chain(referee_readers::tools().map(Some)) {
            for role in [None].into_iter().chain(roles.map(Some)) {
                let hint = Hint { tool: tool.map(str::to_owned), role };
                assert_eq!(referee_readers::read(&nothing, &hint).unwrap(), Reading::default(), "{hint:?}");
            }
        }
    }
}
