//! What a stage wrote is judged: its outputs, and beside them its specification's verdict and what its executor says. Nothing is
//! published by it.

use referee_judge::stage::checks::configuration;
use referee_model::stage::check::Check;
use referee_report::stage::checks::StageChecksDocument;
use serde_json::Value;

use self::output::Reading;
use super::outputs::Outputs;
use super::standing::{HandedBack, Verdict};
use super::{Configuration, Opened, StageError, Workshop};

pub(super) mod observation;
mod output;
pub(super) mod validation_document;
mod validation_record;

/// What was found of a stage that was validated.
#[derive(Debug, Clone)]
pub struct Validation {
    /// All of it, without secrets.
    pub document: StageChecksDocument,
    /// What the command exits with: the outputs' code, or that of the verdict where it is the worse.
    pub exit: u8,
}

/// Judges a stage's outputs. Reads only.
///
/// What is in order with configuration and composition is not counted; the seed counts outputs alone (VA-01, VA-02).
///
/// # Errors
/// Fails where the system refuses.
pub fn outputs(opened: &Opened) -> Result<Outputs, StageError> {
    let scene = observation::scene(opened);
    let composition = observation::composition(opened, &scene)?;
    let wrong = configuration::checks(&scene, &observation::configuration(opened)).into_iter().filter(has_failed);
    let mut outputs = Outputs::default();
    outputs.checks.checks.extend(wrong.chain(composition.checks));
    outputs.checks.warnings = composition.warnings;
    let Configuration::Read(stage) = &opened.configuration else { return Ok(outputs) };
    if stage.id != opened.stage {
        return Ok(outputs);
    }
    let mut reading = Reading::new(opened, stage, &scene);
    for output in stage.outputs() {
        reading.take(output, &mut outputs)?;
    }
    reading.finish(&mut outputs);
    if stage.outputs().next().is_none() {
        outputs.checks.checks.push(configuration::nothing_declared());
    } else if outputs.found.is_empty() && outputs.checks.failed().next().is_none() {
        outputs.checks.checks.push(configuration::nothing_written(&scene));
    }
    Ok(outputs)
}

fn has_failed(check: &Check) -> bool {
    check.failure.is_some()
}

/// Says what all of it comes to. A handback stands beside the outputs and changes nothing of what they come to, but that one which
/// cannot be read fails.
pub fn judged(
    workshop: &Workshop<'_>,
    opened: &Opened,
    outputs: &Outputs,
    verdict: &Verdict,
    handed: &HandedBack,
) -> Validation {
    let checks = validation_document::closed(opened, outputs, verdict, handed);
    let mut document = validation_document::document(opened, workshop.redactor, &checks, &handed.accept);
    document.handback = Some(validation_document::handback(workshop.redactor, handed));
    document.verdict = match verdict {
        Verdict::Known(verdict) => Some(verdict.clone()),
        Verdict::NotAsked | Verdict::Unknown => None,
    };
    let shown = |(name, value): (&String, &Value)| (name.clone(), validation_document::shown(workshop.redactor, value));
    document.output_params = outputs.parameters.iter().map(shown).collect();
    Validation { document, exit: validation_document::exit(&checks, verdict) }
}

/// Writes what was found into the run's log, where that can be gone by and nobody else holds it. Returns why it was not written,
/// where that should be known: the answer stands all the same.
///
/// `before` is what was found before the specification ran: a verdict about other outputs than those that are there now is not kept.
pub fn record(
    workshop: &Workshop<'_>,
    opened: &Opened,
    (before, outputs): (&Outputs, &Outputs),
    verdict: &Verdict,
) -> Option<String> {
    if before.found != outputs.found {
        return Some(
            "outputs were changed while the stage was judged, so nothing is written into the run's log: judge it again"
                .to_owned(),
        );
    }
    validation_record::record(workshop, opened, outputs, verdict)
}

#[cfg(test)]
pub(super) mod sample;
#[cfg(test)]
mod tests;
