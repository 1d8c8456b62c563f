//! The report again, from a sealed folder alone: the same evidence gives the same report, byte for byte.

use std::collections::BTreeMap;

use referee_ledger::evidence::Evidence;
use referee_model::plan::{Action, Plan};
use referee_model::report::{Ran, Report};
use referee_wire::evidence_name;

use crate::judging;
use crate::request::Failure;

/// What a replay yields.
#[derive(Debug)]
pub struct Replay {
    /// The report, judged anew.
    pub report: Report,
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
    let mut derived = BTreeMap::new();
    let mut ran = BTreeMap::new();
    for action in plan.actions.iter().filter(|action| !run.skipped.contains_key(&action.id)) {
        let judged = replay_action(evidence, &plan, action)?;
        derived.extend(judging::readings(action, &judged)?);
        ran.insert(action.id.clone(), judged);
    }
    let report = judging::report(plan, run, ran)?;
    let document = referee_wire::execution_report::render(&report).map_err(Failure::document)?;
    derived.insert(evidence_name::EXECUTION_REPORT.to_owned(), document);
    Ok(Replay { report, derived })
}

fn replay_action(evidence: &Evidence, plan: &Plan, action: &Action) -> Result<Ran, Failure> {
    let name = evidence_name::record(action, 1);
    let record = referee_wire::record::read(&evidence.read(&name)?).map_err(Failure::document)?;
    if record.action != action.id {
        return Err(Failure::Document(format!("{name} is the record of {}, not of {}", record.action, action.id)));
    }
    judging::judge_action(plan, action, record, |log| evidence.log(log))
}
