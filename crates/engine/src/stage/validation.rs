//! Validates the outputs of a stage, together with its specification's verdict and its executor's handback.
//! Publishes nothing.

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

/// The result of a stage's validation.
#[derive(Debug, Clone)]
pub struct Validation {
    /// The full result, without secrets.
    pub document: StageChecksDocument,
    /// Exit code of the command: that of the outputs, or that of the verdict if it is more severe.
    pub exit: u8,
}

/// Judges a stage's outputs. Reads only.
///
/// Checks of configuration and composition that pass are not counted; the seed counts outputs alone (VA-01, VA-02).
///
/// # Errors
/// Fails on an I/O error.
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

/// Returns the overall result. A handback is reported beside the outputs and does not affect their result, except
/// that an unreadable one fails.
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

/// Records the result in the run's log, if the log is reliable and the run is not locked. Returns a note on why it
/// was not recorded, if that matters: the result stands all the same.
///
/// `before` has the outputs before the specification ran: a verdict about outputs that have changed since is not
/// recorded.
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
