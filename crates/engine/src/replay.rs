//! Reproduces the report from a sealed directory alone: the same evidence gives the same report, byte for byte.

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::waiver::Waivers;
use referee_ledger::evidence::Evidence;
use referee_model::debt::DebtStanding;
use referee_model::evidence_name;
use referee_model::id::ActionId;
use referee_model::plan::{Action, Evaluator, Plan};
use referee_model::record::{Record, SkipReason};
use referee_model::report::{Attempt, Ran, Report};

use crate::error::EngineError;
use crate::evaluation::Answered;
use crate::judgement::{self, Question, Tried};
use crate::stored_baseline::{self, StoredBaseline};
use crate::waivers;

/// Explanation for evidence that lacks the state of the register of debt.
const STANDING_SINCE: &str = "it is sealed since version 1.3.0 of the judge, so a run that was sealed under an earlier \
    version is replayed by the Referee that sealed it";

/// Result of a replay.
#[derive(Debug)]
pub struct Replay {
    /// The report, judged again.
    pub report: Report,
    /// Results of superseded actions: recorded and judged, but not counted.
    pub superseded: BTreeMap<ActionId, Ran>,
    /// Record of the evaluator's run. `None`: it was not asked.
    pub evaluator: Option<Record>,
    /// Expected content of every file that follows from the evidence, by name: the report, its projections, and
    /// the readings.
    pub derived: BTreeMap<String, Vec<u8>>,
}

/// Judges a directory of evidence again.
///
/// # Errors
/// Fails if the directory lacks what a judgement needs, or contains an unreadable document.
pub fn replay(evidence: &Evidence) -> Result<Replay, EngineError> {
    let plan = referee_model::plan::plan_document::read(&evidence.read(evidence_name::PLAN)?)
        .map_err(EngineError::internal)?;
    let run =
        referee_model::record::header::read(&evidence.read(evidence_name::RUN)?).map_err(EngineError::internal)?;
    let names: BTreeSet<String> = evidence.names()?.into_iter().collect();
    let held = if names.contains(evidence_name::BASELINE) {
        Some(stored_baseline::read(&plan.task, &evidence.read(evidence_name::BASELINE)?)?)
    } else {
        None
    };
    let sealed = Sealed { evidence, names: &names, held: held.as_ref(), waivers: Waivers::of(&run) };
    let mut derived = BTreeMap::new();
    let mut ran = BTreeMap::new();
    let mut superseded = BTreeMap::new();
    for action in &plan.actions {
        let place = match run.skipped.get(&action.id) {
            None => &mut ran,
            Some(SkipReason::Superseded(_)) => &mut superseded,
            Some(_) => continue,
        };
        let judged = replay_action(&sealed, &plan, action)?;
        derived.extend(judgement::readings(action, &judged)?);
        place.insert(action.id.clone(), judged);
    }
    let standing = standing(evidence, &names, &plan)?;
    let answered = replay_evaluator(evidence, &names, &plan)?;
    let question = Question::Verdict(answered.as_ref());
    let beside = judgement::Beside { question, held: held.as_ref(), standing: standing.as_ref() };
    let report = judgement::report(plan, run, ran, beside, |log| evidence.log(log))?;
    derived.extend(judgement::projections(&report)?);
    let document = referee_report::execution_report::render(&report).map_err(EngineError::internal)?;
    derived.insert(evidence_name::EXECUTION_REPORT.to_owned(), document);
    Ok(Replay { report, superseded, evaluator: answered.map(|answered| answered.record), derived })
}

/// Reads the stored answer of the evaluator. No program is run.
fn replay_evaluator(
    evidence: &Evidence,
    names: &BTreeSet<String>,
    plan: &Plan,
) -> Result<Option<Answered>, EngineError> {
    let Some(action) = plan.evaluator.as_ref().map(Evaluator::action) else { return Ok(None) };
    if !names.contains(&evidence_name::record(&action, 1)) {
        return Ok(None);
    }
    Ok(Some(Answered::read(record(evidence, &action, 1)?, |log| evidence.log(log))?))
}

/// Reads the state of the register of debt when the run was sealed. `None`: the specification does not track debt.
fn standing(evidence: &Evidence, names: &BTreeSet<String>, plan: &Plan) -> Result<Option<DebtStanding>, EngineError> {
    if !plan.debt.enabled {
        return Ok(None);
    }
    if !names.contains(evidence_name::DEBT_STANDING) {
        return Err(EngineError::internal(format!(
            "{} is missing, and debt cannot be judged without it: {STANDING_SINCE}",
            evidence_name::DEBT_STANDING
        )));
    }
    let bytes = evidence.read(evidence_name::DEBT_STANDING)?;
    referee_model::debt_standing::read(&bytes).map(Some).map_err(EngineError::internal)
}

/// A sealed directory, with the baseline and waivers of its run.
#[derive(Clone, Copy)]
struct Sealed<'replay> {
    evidence: &'replay Evidence,
    names: &'replay BTreeSet<String>,
    held: Option<&'replay StoredBaseline>,
    /// Waivers that were known when the run began.
    waivers: Waivers<'replay>,
}

/// Judges all attempts of an action: the first, and every further one with a record.
fn replay_action(sealed: &Sealed<'_>, plan: &Plan, action: &Action) -> Result<Ran, EngineError> {
    let mut earlier = Vec::new();
    let mut last = replay_attempt(sealed, plan, action, 1)?;
    for attempt in 2.. {
        if !sealed.names.contains(&evidence_name::record(action, attempt)) {
            break;
        }
        let next = replay_attempt(sealed, plan, action, attempt)?;
        let before = std::mem::replace(&mut last, next);
        earlier.push(Attempt { record: before.record, judgement: before.judgement });
    }
    let ran = judgement::settle(plan, action, earlier, last);
    Ok(waivers::lift(plan, action, ran, sealed.held, sealed.waivers))
}

fn replay_attempt(sealed: &Sealed<'_>, plan: &Plan, action: &Action, attempt: u32) -> Result<Tried, EngineError> {
    let record = record(sealed.evidence, action, attempt)?;
    judgement::judge_attempt(plan, action, record, sealed.held, |log| sealed.evidence.log(log))
}

fn record(evidence: &Evidence, action: &Action, attempt: u32) -> Result<Record, EngineError> {
    let name = evidence_name::record(action, attempt);
    let record = referee_model::record::attempt_record::read(&evidence.read(&name)?).map_err(EngineError::internal)?;
    if record.action != action.id || record.attempt != attempt {
        let (found, number) = (&record.action, record.attempt);
        let sentence =
            format!("{name} is the record of attempt {number} of {found}, not of attempt {attempt} of {}", action.id);
        return Err(EngineError::internal(sentence));
    }
    Ok(record)
}
