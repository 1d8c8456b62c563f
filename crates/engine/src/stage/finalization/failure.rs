//! Captures the error in a stage's handback as an incident (seed 3; contracts of errors, handback codes).

use std::collections::BTreeMap;

use referee_judge::stage::ending::class;
use referee_model::handback::{Handback, HandbackFault};
use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use referee_model::stage::log::StageChange;
use serde_json::{Value, json};

use super::{Ended, Turn};
use crate::incident::IncidentService;
use crate::incident::capture::{CaptureRequest, capture};
use crate::stage::{StageError, change};

/// Name of the capturing program in contexts.
const SCRIPT: &str = "referee stage finalize";

pub(super) enum Kept {
    /// The error was captured, with the incident and a sentence about the capture.
    Incident(Option<IncidentId>, String),
    /// The error was not captured, for this reason.
    None(&'static str),
    /// The capture failed, for this reason: the stage stays as it is.
    Lost(String),
    /// The error would be captured (dry run).
    Would,
}

impl Turn<'_> {
    /// Captures the error as an incident, then records it in the log. After a crash in between, a repeated command
    /// adds another occurrence to the same incident: the error is never lost, and never a second incident.
    pub(super) fn fail(
        &self,
        handback: &Handback,
        digest: Digest,
        incidents: impl FnOnce() -> Result<IncidentService, String>,
    ) -> Result<Ended, StageError> {
        let fault = handback.fault().ok_or_else(|| StageError::Internal("an error without one".to_owned()))?;
        let Some(class) = class(fault.code) else {
            let why = "somebody stopped the work: that is not an incident";
            if !self.dry_run {
                self.append(StageChange::Failed { handback: digest, incident: None })?;
            }
            return Ok(Ended::Failed(Kept::None(why)));
        };
        if self.dry_run {
            return Ok(Ended::Failed(Kept::Would));
        }
        let request = CaptureRequest {
            run_id: change::run_id(&self.opened.history)?.to_string(),
            step: format!("stage/{}", self.opened.stage),
            failure_class: Some(class.as_str().to_owned()),
            message: Some(fault.message.clone()),
            facts: self.facts(handback, fault),
            script: SCRIPT.to_owned(),
            ..CaptureRequest::default()
        };
        let captured = incidents().and_then(|service| {
            capture(service.context(self.workshop.by), &request).map_err(|error| error.to_string())
        });
        let captured = match captured {
            Ok(captured) => captured,
            // The attempt is not over: repeating the command captures the error once that is possible.
            Err(reason) => return Ok(Ended::Failed(Kept::Lost(reason))),
        };
        let incident = captured.id().map(ToString::to_string);
        self.append(StageChange::Failed { handback: digest, incident })?;
        Ok(Ended::Failed(Kept::Incident(captured.id().cloned(), captured.sentence())))
    }

    fn facts(&self, handback: &Handback, fault: &HandbackFault) -> BTreeMap<String, Value> {
        let context = fault.context.as_deref().and_then(|context| serde_json::from_str(context).ok());
        let facts = [
            // Used by plans.
            ("mode", json!("handback")),
            ("reason", json!(format!("{}: {}", fault.code.as_str(), fault.code.meaning()))),
            ("stage", json!(self.opened.stage)),
            ("attempt", json!(self.before.attempt)),
            ("run_dir", json!(self.opened.run.path().display().to_string())),
            ("handback_code", json!(fault.code.as_str())),
            ("handback_description", json!(handback.description)),
            ("handback_context", context.unwrap_or(Value::Null)),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
