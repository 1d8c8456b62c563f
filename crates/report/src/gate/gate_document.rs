//! What `referee gate` answers programs: may this be called done?

use std::collections::BTreeMap;

use referee_model::claim::Contradiction;
use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{Basis, Cause, GateAnswer, GateTask};
use referee_model::held_out::HeldOut;
use referee_model::verdict::Decision;
use serde::Serialize;

use referee_model::exit_code;
use referee_model::number::Count;

/// Version of this format.
const VERSION: &str = "1.0.0";

/// The answer of the gate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee gate answer", deny_unknown_fields))]
pub struct GateDocument<'answer> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    gate_version: &'static str,
    /// Whether it may be called done: PASS alone says so. Held-out checks are part of it.
    decision: Decision,
    /// What a program exits with.
    exit_code: u8,
    /// Where the answer comes from: `recorded` where every task's verdict was recorded before and nothing that it rests on
    /// has changed. Null: nothing was judged.
    basis: Option<Basis>,
    /// The tasks, in the order in which they ran.
    tasks: &'answer [GateTask],
    /// Why not, the top causes first.
    causes: &'answer [Cause],
    /// How many distinct causes there are, listed or not.
    causes_in_all: Count,
    /// What an agent claimed, and what ran contradicts or does not bear out.
    contradictions: &'answer [Contradiction],
    /// What came of checks that the agent never sees. Null: there are none.
    held_out: Option<HeldOutDocument<'answer>>,
    /// What to do next, in a sentence.
    next: &'answer str,
    /// What is worth knowing beside it, one sentence each.
    notes: Vec<&'answer str>,
}

/// What came of held-out checks: counts and categories alone.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct HeldOutDocument<'answer> {
    /// Decision of the held-out checks together.
    decision: Decision,
    /// How many checks there are.
    checks: Count,
    /// How many of them block.
    failures: Count,
    /// How many of them block, by category.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, u64>"))]
    failed: &'answer BTreeMap<DiagnosticSource, u64>,
}

impl<'answer> From<&'answer HeldOut> for HeldOutDocument<'answer> {
    fn from(held_out: &'answer HeldOut) -> Self {
        Self {
            decision: held_out.decision,
            checks: held_out.checks.into(),
            failures: held_out.failures().into(),
            failed: &held_out.failed,
        }
    }
}

/// Makes the document of an answer.
pub fn document(answer: &GateAnswer) -> GateDocument<'_> {
    let all_recorded = answer.tasks.iter().all(|task| task.basis == Basis::Recorded);
    let basis = (!answer.tasks.is_empty()).then_some(if all_recorded { Basis::Recorded } else { Basis::Ran });
    GateDocument {
        gate_version: VERSION,
        decision: answer.decision,
        exit_code: exit_code::of(answer.exit),
        basis,
        tasks: &answer.tasks,
        causes: &answer.causes,
        causes_in_all: answer.causes_in_all.into(),
        contradictions: &answer.contradictions,
        held_out: answer.held_out.as_ref().map(HeldOutDocument::from),
        next: &answer.next,
        notes: answer.notes.iter().chain(&answer.reuse).map(String::as_str).collect(),
    }
}

/// Makes the document of a question that could not be asked: the specification is missing or wrong, or Referee itself
/// failed. It is BLOCKED, whatever the exit code.
pub fn refused<'answer>(causes: &'answer [Cause], next: &'answer str, exit_code: u8) -> GateDocument<'answer> {
    GateDocument {
        gate_version: VERSION,
        decision: Decision::Blocked,
        exit_code,
        basis: None,
        tasks: &[],
        causes_in_all: Count::of(causes.len()),
        causes,
        contradictions: &[],
        held_out: None,
        next,
        notes: Vec::new(),
    }
}
