//! Everything that decides the result of a stage, inspected at once.

use referee_judge::stage::ending::{Ending, Facts, Lying, SpecificationVerdict, decide};
use referee_model::handback::HandbackReason;
use referee_model::id::Digest;
use referee_model::stage::life::StageState;
use referee_model::stage::standing::Objection;

use super::outputs::Outputs;
use super::standing::{self, HandbackFound, HandedBack, Verdict};
use super::{Configuration, Opened, StageError, change, validation};

/// The only decision that supports a success.
const PASS: &str = "PASS";

#[derive(Debug, Clone)]
pub(super) struct Judged {
    /// Objections to the run itself.
    pub(super) against: Vec<Objection>,
    pub(super) outputs: Outputs,
    pub(super) verdict: Verdict,
    pub(super) handed: HandedBack,
}

/// Inspects everything. Without a verdict, uses the one that the log has for these outputs. Reads only.
pub(super) fn look(opened: &Opened, verdict: Option<Verdict>) -> Result<Judged, StageError> {
    let outputs = validation::outputs(opened)?;
    let verdict = match verdict {
        _ if !names_specification(opened) => Verdict::NotAsked,
        // It names a specification: one that was not run did not pass.
        Some(Verdict::NotAsked) => Verdict::Unknown,
        Some(verdict) => verdict,
        None => standing::recorded_verdict(opened, &outputs),
    };
    let handed = standing::look(opened, &outputs, &verdict)?;
    Ok(Judged { against: change::against_run(opened)?, outputs, verdict, handed })
}

fn names_specification(opened: &Opened) -> bool {
    match &opened.configuration {
        Configuration::Read(stage) => stage.specification.is_some(),
        Configuration::Absent | Configuration::Broken(_) => false,
    }
}

impl Judged {
    /// Decides the ending of the stage.
    pub(super) fn ending(&self, state: StageState, without_handback: bool) -> Ending {
        let verdict = match &self.verdict {
            Verdict::NotAsked => SpecificationVerdict::NotAsked,
            Verdict::Unknown => SpecificationVerdict::NotPassed("it did not run for what is there now"),
            Verdict::Known(verdict) if verdict.decision == PASS && verdict.exit == 0 => SpecificationVerdict::Passed,
            Verdict::Known(verdict) => SpecificationVerdict::NotPassed(&verdict.reason),
        };
        let handback = match &self.handed.document {
            HandbackFound::Missing => Lying::Nothing { waived: without_handback },
            HandbackFound::Invalid(_) => Lying::Junk,
            HandbackFound::Valid(..) => Lying::Handback,
        };
        decide(&Facts {
            state,
            contradictions: &self.against,
            outputs: &self.outputs.checks,
            verdict,
            handback,
            standing: &self.handed.standing,
        })
    }

    /// Whether the outputs decide, because success is claimed by the handback or by a person.
    pub(super) fn claims_success(&self, without_handback: bool) -> bool {
        match &self.handed.document {
            HandbackFound::Valid(handback, _) => handback.reason() == HandbackReason::Success,
            HandbackFound::Missing => without_handback,
            HandbackFound::Invalid(_) => false,
        }
    }

    /// Returns the digest of the handback. `None` if there is no valid one.
    pub(super) fn handback(&self) -> Option<Digest> {
        match &self.handed.document {
            HandbackFound::Valid(_, digest) => Some(*digest),
            HandbackFound::Missing | HandbackFound::Invalid(_) => None,
        }
    }
}
