//! `accept.json` and `handback.json`: how control passes to an executor, and back (seed 5). Both are read strictly, and everything
//! that is wrong is told at once. What a handback says is a claim: nothing follows from it without what ran.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::document::{self, Distinct};
use crate::handback::{Handback, HandbackCode, HandbackFault, HandbackOutcome, HandbackReason, OrderedJson};
use crate::incident::id::IncidentId;
use crate::incident::seconds;
use crate::incident::status::IncidentStatus;
use crate::limit;
use crate::time::Timestamp;

/// Who has control, and since when.
pub const ACCEPT: &str = "accept.json";
/// How control is given back.
pub const HANDBACK: &str = "handback.json";

/// Who has control, and since when.
#[derive(Serialize)]
struct AcceptDocument {
    /// Who has control: always `agent`.
    state: String,
    /// Since when.
    #[serde(with = "seconds")]
    timestamp: Timestamp,
}

/// How control is given back.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(
    title = "Referee handback",
    deny_unknown_fields,
    extend(
        "if" = { "properties": { "reason": { "const": "error" } }, "required": ["reason"] },
        "then" = { "required": ["error"] },
    )
))]
pub struct HandbackDocument {
    /// How the stage ended: with success, with an error, or with a question.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["success", "error", "question"])))]
    pub reason: String,
    /// The same in the executor's words.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub description: String,
    /// What went wrong. Needed where the reason is `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "FaultDocument"))]
    pub error: Option<FaultDocument>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct FaultDocument {
    /// Code of the fault, from a closed set.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [
        "INPUT_MISSING", "INPUT_INVALID", "SCHEMA_VIOLATION", "EXTERNAL_FAILURE", "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED", "INTERNAL_ERROR", "TIMEOUT", "CANCELLED", "UNKNOWN",
    ])))]
    pub code: String,
    /// Description of the error, in the executor's words.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub message: String,
    /// Further details of the fault, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub context: Option<OrderedJson>,
}

/// What became of a handback of an incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandbackResultDocument {
    /// The incident.
    pub incident_id: IncidentId,
    /// What the executor says: `success`, `error` or `question`.
    pub reason: String,
    /// The same in its words, without secrets.
    pub description: String,
    /// The code of the error. Null: it names none.
    pub error_code: Option<String>,
    /// What the code means.
    pub error_meaning: Option<String>,
    /// What went wrong, without secrets.
    pub error_message: Option<String>,
    /// Where the incident stands since.
    pub status: IncidentStatus,
    /// What the claim is worth, in a sentence: that all is done proves nothing until the plan's checks ran.
    pub standing: String,
    /// What is to be done next: a command, where there is one.
    pub next: String,
}

/// Something that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Where, as a JSON pointer. Empty: the document as a whole.
    pub pointer: String,
    /// What.
    pub problem: String,
}

/// Why bytes are no such document: every complaint, in the order of the document's keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot accept {document}: {}", said(complaints))]
pub struct HandbackError {
    /// The document.
    pub document: &'static str,
    /// What is wrong with it; never empty.
    pub complaints: Vec<Complaint>,
}

fn said(complaints: &[Complaint]) -> String {
    let one = |complaint: &Complaint| match complaint.pointer.as_str() {
        "" => complaint.problem.clone(),
        pointer => format!("{pointer}: {}", complaint.problem),
    };
    complaints.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Lays out that an executor has control since this time.
///
/// # Errors
/// Fails only for what JSON cannot hold.
pub fn render_accept(at: Timestamp) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(&AcceptDocument { state: AGENT.to_owned(), timestamp: at })
}

/// The only state that can be accepted: an agent has control.
const AGENT: &str = "agent";

/// Reads since when an executor has control.
///
/// # Errors
/// Fails for bytes that say anything else.
pub fn read_accept(bytes: &[u8]) -> Result<Timestamp, HandbackError> {
    let mut reading = Reading::default();
    let time = reading.object(ACCEPT, bytes).and_then(|object| {
        reading.known(&object, "", &["state", "timestamp"]);
        if let Some(state) = reading.text(&object, "", "state")
            && state != AGENT
        {
            reading.wrong("/state", format!("{state:?} is not known: only \"{AGENT}\" is"));
        }
        let text = reading.text(&object, "", "timestamp")?;
        let time = Timestamp::parse(&text);
        time.map_err(|error| reading.wrong("/timestamp", error.to_string())).ok()
    });
    reading.result(ACCEPT, time)
}

/// Lays a handback out.
///
/// # Errors
/// Fails only for what JSON cannot hold.
pub fn render(handback: &Handback) -> Result<Vec<u8>, serde_json::Error> {
    let fault = |fault: &HandbackFault| -> Result<FaultDocument, serde_json::Error> {
        Ok(FaultDocument {
            code: fault.code.as_str().to_owned(),
            message: fault.message.clone(),
            context: fault.context.as_deref().map(OrderedJson::parse).transpose()?,
        })
    };
    document::to_bytes(&HandbackDocument {
        reason: handback.reason().as_str().to_owned(),
        description: handback.description.clone(),
        error: handback.fault().map(fault).transpose()?,
    })
}

/// Reads a handback.
///
/// # Errors
/// Fails for bytes that are none, with everything that is wrong.
pub fn read(bytes: &[u8]) -> Result<Handback, HandbackError> {
    let mut reading = Reading { context: context(bytes), ..Reading::default() };
    let handback = reading.object(HANDBACK, bytes).and_then(|object| reading.handback(&object));
    reading.result(HANDBACK, handback)
}

/// Returns the context of the error as it was written.
fn context(bytes: &[u8]) -> Option<OrderedJson> {
    let written = OrderedJson::parse(std::str::from_utf8(bytes.get(..limit::HANDBACK_BYTES).unwrap_or(bytes)).ok()?);
    let member = |of: &OrderedJson, key: &str| {
        of.members().iter().find(|(name, _)| name == key).map(|(_, member)| member.clone())
    };
    member(&member(&written.ok()?, "error")?, "context")
}

/// Says why bytes are no JSON. What programs write instead of it most often is named.
fn no_json(bytes: &[u8], error: &serde_json::Error) -> String {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    if bytes.trim_ascii().is_empty() {
        "it is empty".to_owned()
    } else if bytes.starts_with(BYTE_ORDER_MARK) {
        "it begins with a byte order mark, which JSON does not allow: save it as UTF-8 without one".to_owned()
    } else if error.is_data() {
        format!("it says a key twice, or what no document may: {error}")
    } else {
        format!("it is not JSON: {error}")
    }
}

/// A document that is being read, and what is wrong with it so far.
#[derive(Default)]
struct Reading {
    complaints: Vec<Complaint>,
    /// The context of a handback's error, as it was written.
    pub context: Option<OrderedJson>,
}

impl Reading {
    fn wrong(&mut self, pointer: &str, problem: impl Into<String>) {
        self.complaints.push(Complaint { pointer: pointer.to_owned(), problem: problem.into() });
    }

    fn result<T>(mut self, document: &'static str, read: Option<T>) -> Result<T, HandbackError> {
        match read {
            Some(read) if self.complaints.is_empty() => Ok(read),
            _ => {
                self.complaints.truncate(limit::HANDBACK_COMPLAINTS);
                Err(HandbackError { document, complaints: self.complaints })
            }
        }
    }

    fn object(&mut self, document: &str, bytes: &[u8]) -> Option<Map<String, Value>> {
        if bytes.len() > limit::HANDBACK_BYTES {
            self.wrong("", format!("it is larger than {} bytes", limit::HANDBACK_BYTES));
            return None;
        }
        match serde_json::from_slice(bytes) {
            Ok(Distinct(Value::Object(object))) => Some(object),
            Ok(Distinct(other)) => {
                self.wrong("", format!("it is {}, and {document} is an object", kind(&other)));
                None
            }
            Err(error) => {
                self.wrong("", no_json(bytes, &error));
                None
            }
        }
    }

    fn known(&mut self, object: &Map<String, Value>, place: &str, keys: &[&str]) {
        for key in object.keys().filter(|key| !keys.contains(&key.as_str())) {
            let shown: String = key.chars().take(80).collect();
            self.wrong(place, format!("the key {shown:?} is not known: there are {}", keys.join(", ")));
        }
    }

    /// Returns a text that must be there and must not be empty.
    fn text(&mut self, object: &Map<String, Value>, place: &str, key: &str) -> Option<String> {
        let pointer = format!("{place}/{key}");
        match object.get(key) {
            Some(Value::String(text)) if !text.is_empty() => return Some(text.clone()),
            Some(Value::String(_)) => self.wrong(&pointer, "it is empty"),
            Some(other) => self.wrong(&pointer, format!("expected a string, found {}", kind(other))),
            None => self.wrong(place, format!("`{key}` is missing")),
        }
        None
    }

    fn handback(&mut self, object: &Map<String, Value>) -> Option<Handback> {
        self.known(object, "", &["reason", "description", "error"]);
        let reason = self.text(object, "", "reason").and_then(|text| {
            let reason = HandbackReason::parse(&text);
            if reason.is_none() {
                self.wrong(
                    "/reason",
                    format!("{text:?} is not known: {}", words(HandbackReason::ALL.map(HandbackReason::as_str))),
                );
            }
            reason
        });
        let description = self.text(object, "", "description");
        let fault = object.get("error").and_then(|error| self.fault(error));
        let outcome = match (reason?, fault) {
            (HandbackReason::Success, beside) => HandbackOutcome::Success { beside },
            (HandbackReason::Question, beside) => HandbackOutcome::Question { beside },
            (HandbackReason::Error, Some(fault)) => HandbackOutcome::Error(fault),
            (HandbackReason::Error, None) => {
                if !object.contains_key("error") {
                    self.wrong("", "`error` is missing: the reason is \"error\"");
                }
                return None;
            }
        };
        Some(Handback { outcome, description: description? })
    }

    fn fault(&mut self, error: &Value) -> Option<HandbackFault> {
        let Value::Object(object) = error else {
            self.wrong("/error", format!("expected an object, found {}", kind(error)));
            return None;
        };
        self.known(object, "/error", &["code", "message", "context"]);
        let code = self.text(object, "/error", "code").and_then(|text| {
            let code = HandbackCode::parse(&text);
            if code.is_none() {
                self.wrong(
                    "/error/code",
                    format!("{text:?} is not known: {}", words(HandbackCode::ALL.map(HandbackCode::as_str))),
                );
            }
            code
        });
        let message = self.text(object, "/error", "message");
        let context = object.get("context");
        if let Some(other) = context.filter(|context| !context.is_object()) {
            self.wrong("/error/context", format!("expected an object, found {}", kind(other)));
        }
        let written = self.context.take().filter(|_| context.is_some());
        Some(HandbackFault { code: code?, message: message?, context: written.map(|written| written.to_string()) })
    }
}

fn words<const COUNT: usize>(words: [&str; COUNT]) -> String {
    format!("there are {}", words.join(", "))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;
