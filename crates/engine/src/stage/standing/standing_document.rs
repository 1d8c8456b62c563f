//! A handback and its standing as a document without secrets.

use referee_ledger::redact::Redactor;
use referee_ledger::stages::LogTrust;
use referee_model::handback::{FaultDocument, Handback, HandbackDocument, HandbackFault, HandbackReason, OrderedJson};
use referee_model::stage::standing::{Objection, StandingName};
use referee_model::time::Timestamp;
use referee_report::stage::handed_back::{
    AcceptShown, AcceptStatus, HandbackErrorShown, StageHandbackDocument, StandingShown,
};
use serde_json::Value;

use super::{AcceptFound, HandbackFound, HandedBack};
use crate::stage::Opened;

/// Builds the document. `run` is the run's directory, quoted for a shell.
pub fn document(opened: &Opened, handed_back: &HandedBack, redactor: &Redactor, run: &str) -> StageHandbackDocument {
    let is_sound = opened.history.is_sound();
    let history = opened.history.stage(&opened.stage);
    let (handback, complaints) = match &handed_back.document {
        HandbackFound::Missing => (None, Vec::new()),
        HandbackFound::Invalid(complaints) => {
            (None, complaints.iter().map(|told| redactor.text_strictly(told)).collect())
        }
        HandbackFound::Valid(handback, _) => (Some(handback.as_ref()), Vec::new()),
    };
    let reason = handed_back.standing.reason.map(|reason| reason.as_str().to_owned());
    let description = handback.map(|handback| redactor.text_strictly(&handback.description));
    let error = handback.and_then(Handback::fault).map(|fault| error(fault, redactor));
    let echo = reason.clone().zip(description.clone());
    StageHandbackDocument {
        stage_id: opened.stage.clone(),
        run_id: opened.history.composed.as_ref().filter(|_| is_sound).map(|composed| composed.run_id.clone()),
        attempt: if is_sound { history.attempt } else { 0 },
        handback: echo.map(|(reason, description)| HandbackDocument {
            reason,
            description,
            error: error.as_ref().map(|error| FaultDocument {
                code: error.code.clone(),
                message: error.message.clone(),
                context: error.context.clone(),
            }),
        }),
        reason,
        description,
        error,
        accept: accept(&handed_back.accept, redactor),
        accepted_at: if is_sound { history.accepted_at } else { handed_back.accept.given_at() }.and_then(writable),
        handed_back_at: handed_back.written_at.and_then(writable),
        standing: StandingShown {
            holds: handed_back.standing.holds(),
            objections: handed_back.standing.objections.iter().map(|objection| shown(objection, redactor)).collect(),
        },
        complaints,
        warnings: notes(opened, handed_back).iter().map(|note| redactor.text_strictly(note)).collect(),
        next: next(opened, handed_back, run),
    }
}

/// Returns notes on a handback that block nothing. They may contain text of the executor, which is not redacted.
pub fn notes(opened: &Opened, handed_back: &HandedBack) -> Vec<String> {
    let mut notes = Vec::new();
    if opened.history.trust == LogTrust::Absent {
        notes.push(
            "nothing vouches for this run: it has no wf-log.jsonl, so nobody can tell who had control, and it cannot be \
             finalized"
                .to_owned(),
        );
    }
    let HandbackFound::Valid(handback, _) = &handed_back.document else { return notes };
    if let (HandbackReason::Success | HandbackReason::Question, Some(fault)) = (handback.reason(), handback.fault()) {
        let (reason, code) = (handback.reason().as_str(), fault.code.as_str());
        notes.push(format!("it says {reason}, and names an error beside that: {code}: {}", fault.message));
    }
    notes
}

fn error(fault: &HandbackFault, redactor: &Redactor) -> HandbackErrorShown {
    HandbackErrorShown {
        code: fault.code.as_str().to_owned(),
        meaning: fault.code.meaning().to_owned(),
        message: redactor.text_strictly(&fault.message),
        context: fault.context.as_deref().and_then(|text| context(text, redactor)),
    }
}

/// Returns a context as it was written; if it contains a secret, without it and sorted by name.
fn context(text: &str, redactor: &Redactor) -> Option<OrderedJson> {
    let value: Value = serde_json::from_str(text).ok()?;
    let shown = redactor.data_strictly(value.clone());
    let written = if shown == value { OrderedJson::parse(text) } else { OrderedJson::parse(&shown.to_string()) };
    written.ok()
}

fn accept(found: &AcceptFound, redactor: &Redactor) -> AcceptShown {
    let (status, timestamp, complaints) = match found {
        AcceptFound::Absent => (AcceptStatus::Absent, None, Vec::new()),
        AcceptFound::Invalid(complaints) => {
            (AcceptStatus::Invalid, None, complaints.iter().map(|told| redactor.text_strictly(told)).collect())
        }
        AcceptFound::Present(at) => (AcceptStatus::Present, Some(*at), Vec::new()),
    };
    AcceptShown {
        status,
        state: timestamp.map(|_| "agent".to_owned()),
        timestamp: timestamp.and_then(writable),
        complaints,
    }
}

/// Returns a time if documents can represent it: files can have any time.
fn writable(time: Timestamp) -> Option<Timestamp> {
    /// 9999-12-31T23:59:59.999Z.
    const LAST: i64 = 253_402_300_799_999;
    (0..=LAST).contains(&time.as_millisecond()).then_some(time)
}

fn shown(objection: &Objection, redactor: &Redactor) -> Objection {
    Objection {
        name: objection.name,
        message: redactor.text_strictly(&objection.message),
        action: redactor.text(&objection.action),
    }
}

fn next(opened: &Opened, handed_back: &HandedBack, run: &str) -> String {
    let stage = &opened.stage;
    let names: Vec<StandingName> = handed_back.standing.objections.iter().map(|objection| objection.name).collect();
    match (names.as_slice(), &opened.history.trust) {
        ([], LogTrust::Absent) => {
            "the run has no log, and cannot be finalized: compose one with `referee stage compose`".to_owned()
        }
        ([] | [StandingName::Error], _) => format!("referee stage finalize {stage} --run-dir {run}"),
        ([StandingName::Question], _) => format!("referee stage answer {stage} --run-dir {run}"),
        (names, _) if names.contains(&StandingName::WithoutControl) => {
            format!("referee stage status {stage} --run-dir {run}")
        }
        ([StandingName::Missing | StandingName::Invalid, ..], _) => {
            format!("write run/output-data/handback.json, then `referee handback {stage} --run-dir {run}`")
        }
        _ => format!("fix what stands against it, then `referee handback {stage} --run-dir {run} --check`"),
    }
}
