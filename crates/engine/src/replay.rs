//! The report again, from a sealed folder alone: the same evidence gives the same report, byte for byte.

use std::collections::{BTreeMap, BTreeSet};

use referee_ledger::evidence::Evidence;
use referee_model::id::ActionId;
use referee_model::plan::{Action, Plan};
use referee_model::record::SkipReason;
use referee_model::report::{Attempt, Ran, Report};
use referee_wire::evidence_name;

use crate::judging::{self, Tried};
use crate::request::Failure;

/// What a replay yields.
#[derive(Debug)]
pub struct Replay {
    /// The report, judged anew.
    pub report: Report,
    /// What came of steps that were superseded: recorded and judged, and not counted.
    pub superseded: BTreeMap<ActionId, Ran>,
    /// Every file that follows from the evidence, by name, as it must be: the report and the readings.
    pub derived: BTreeMap<String, Vec<u8>>,
}

/// Judges a folder of evidence anew.
///
/// # Errors
/// Fails where the folder lacks what a judgement needs, or holds what cannot be read.
pub fn replay(evidence: &Evidence) -> Result<Replay, Failure> {
    let plan = referee_wire::plan::read(&evidence.read(evidence_name::PLAN)?).map_err(Failure::document)?;
    let run = referee_wire::run::read(&evidence.read(evidence_name::RUN)?).map_err(Failure::document)?;
    let names: BTreeSet<String> = evidence.names()?.into_iter().collect();
    let mut derived = BTreeMap::new();
    let mut ran = BTreeMap::new();
    let mut superseded = BTreeMap::new();
    for action in &plan.actions {
        let place = match run.skipped.get(&action.id) {
            None => &mut ran,
            Some(SkipReason::Superseded(_)) => &mut superseded,
            Some(_) => continue,
        };
        let judged = replay_action(evidence, &names, &plan, action)?;
        derived.extend(judging::readings(action, &judged)?);
        place.insert(action.id.clone(), judged);
    }
    let report = judging::report(plan, run, ran, |log| evidence.log(log))?;
    let document = referee_wire::execution_report::render(&report).map_err(Failure::document)?;
    derived.insert(evidence_name::EXECUTION_REPORT.to_owned(), document);
    Ok(Replay { report, superseded, derived })
}

/// Judges all attempts of an action: the first, and as many more as left a record.
fn replay_action(evidence: &Evidence, names: &BTreeSet<String>, plan: &Plan, action: &Action) -> Result<Ran, Failure> {
    let mut earlier = Vec::new();
    let mut last = replay_attempt(evidence, plan, action, 1)?;
    for attempt in 2.. {
        if !names.contains(&evidence_name::record(action, attempt)) {
            break;
        }
        let next = replay_attempt(evidence, plan, action, attempt)?;
        let before = std::mem::replace(&mut last, next);
        earlier.push(Attempt { record: before.record, judgement: before.judgement });
    }
    Ok(judging::settle(plan, action, earlier, last))
}

fn replay_attempt(evidence: &Evidence, plan: &Plan, action: &Action, attempt: u32) -> Result<Tried, Failure> {
    let name = evidence_name::record(action, attempt);
    let record = referee_wire::record::read(&evidence.read(&name)?).map_err(Failure::document)?;
    if record.action != action.id || record.attempt != attempt {
        let (found, number) = (&record.action, record.attempt);
        let sentence =
            format!("{name} is the record of attempt {number} of {found}, not of attempt {attempt} of {}", action.id);
        return Err(Failure::Document(sentence));
    }
    judging::judge_attempt(plan, action, record, |log| evidence.log(log))
}
