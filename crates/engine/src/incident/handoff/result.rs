//! The result of an executor's handback.

use referee_judge::incident::transition::next;
use referee_ledger::redact::Redactor;
use referee_model::handback::{Handback, HandbackFault, HandbackOutcome, HandbackResultDocument};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::{Illegal, IncidentEvent, IncidentStatus};

use super::super::IncidentError;

/// Returns the status of an incident after a handback.
///
/// # Errors
/// Fails if that status cannot follow the current one.
pub(super) fn status_after(from: IncidentStatus, said: &Handback) -> Result<IncidentStatus, Illegal> {
    match said.outcome {
        HandbackOutcome::Error(_) => next(from, IncidentEvent::Escalated),
        // The loop's event for staying: nothing is decided.
        HandbackOutcome::Success { .. } | HandbackOutcome::Question { .. } => next(from, IncidentEvent::TurnTaken),
    }
}

/// Returns the note of the event for a handback.
pub(super) fn note(said: &Handback) -> String {
    match &said.outcome {
        HandbackOutcome::Success { .. } => format!("success is claimed, and not checked: {}", said.description),
        HandbackOutcome::Question { .. } => format!("a question: {}", said.description),
        HandbackOutcome::Error(fault) => format!("{}: {}", fault.code.as_str(), fault.message),
    }
}

/// Returns the result of a handback, as it is reported.
pub(super) fn result(id: &IncidentId, said: &Handback, status: IncidentStatus) -> HandbackResultDocument {
    let (standing, next) = match said.outcome {
        HandbackOutcome::Success { .. } => {
            ("a claim: nothing that ran shows it yet", format!("referee incident run {id} --single-iteration"))
        }
        HandbackOutcome::Question { .. } => {
            ("a question: it is kept with the incident, and a person answers", format!("referee incident show {id}"))
        }
        HandbackOutcome::Error(_) => (
            "the executor gave up: the incident is left to a person",
            format!("referee incident reopen {id} --reason TEXT"),
        ),
    };
    let fault = said.fault();
    HandbackResultDocument {
        incident_id: id.clone(),
        reason: said.reason().as_str().to_owned(),
        description: said.description.clone(),
        error_code: fault.map(|fault| fault.code.as_str().to_owned()),
        error_meaning: fault.map(|fault| fault.code.meaning().to_owned()),
        error_message: fault.map(|fault| fault.message.clone()),
        status,
        standing: standing.to_owned(),
        next,
    }
}

/// Removes secrets from a handback.
pub(super) fn without_secrets(redactor: &Redactor, said: Handback) -> Result<Handback, IncidentError> {
    let fault = |fault: HandbackFault| -> Result<HandbackFault, IncidentError> {
        let context = fault
            .context
            .map(|text| Ok::<_, IncidentError>(redactor.data_strictly(serde_json::from_str(&text)?).to_string()));
        let message = redactor.text_strictly(&fault.message);
        Ok(HandbackFault { code: fault.code, message, context: context.transpose()? })
    };
    let outcome = match said.outcome {
        HandbackOutcome::Error(error) => HandbackOutcome::Error(fault(error)?),
        HandbackOutcome::Success { beside } => HandbackOutcome::Success { beside: beside.map(fault).transpose()? },
        HandbackOutcome::Question { beside } => HandbackOutcome::Question { beside: beside.map(fault).transpose()? },
    };
    Ok(Handback { outcome, description: redactor.text_strictly(&said.description) })
}
