//! The document of `referee gate --format json`: whether the work may be called done.

use std::collections::BTreeMap;

use referee_model::claim::Contradiction;
use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{Basis, Cause, GateAnswer, GateTask};
use referee_model::held_out::HeldOut;
use referee_model::verdict::Decision;

use referee_model::exit_code;
use referee_model::number::Count;

/// Version of this format.
const VERSION: &str = "1.0.0";

/// Answer of the gate.
#[document(nulls)]
#[cfg_attr(feature = "schema", schemars(title = "Referee gate answer"))]
pub struct GateDocument<'answer> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    gate_version: &'static str,
    /// Decision: only PASS means that the work may be called done. Held-out checks are included.
    decision: Decision,
    /// Exit code of the command.
    exit_code: u8,
    /// Origin of the answer: `recorded` where every task has a recorded verdict, and nothing that it rests on has
    /// changed since. Null: nothing was judged.
    basis: Option<Basis>,
    /// Tasks, in the order in which they ran.
    tasks: &'answer [GateTask],
    /// Causes that keep the work from being done, most important first.
    causes: &'answer [Cause],
    /// Number of distinct causes, listed or not.
    causes_in_all: Count,
    /// Claims of the agent that the run contradicts or does not support.
    contradictions: &'answer [Contradiction],
    /// Result of the checks that the agent never sees. Null: there are none.
    held_out: Option<HeldOutDocument<'answer>>,
    /// Next step, in one sentence.
    next: &'answer str,
    /// Further notes, one sentence each.
    notes: Vec<&'answer str>,
}

/// Result of held-out checks, as counts and categories only.
#[document]
struct HeldOutDocument<'answer> {
    /// Decision of the held-out checks together.
    decision: Decision,
    /// Number of held-out checks.
    checks: Count,
    /// Number of held-out checks that block.
    failures: Count,
    /// Number of held-out checks that block, by category.
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

pub fn document(answer: &GateAnswer) -> GateDocument<'_> {
    let basis = (!answer.tasks.is_empty()).then(|| super::basis(answer));
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

/// Returns the document where the gate could not answer, because the specification is missing or wrong or Referee
/// itself failed. The decision is BLOCKED, whatever the exit code.
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
