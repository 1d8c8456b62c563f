//! `accept.json` and `handback.json`: transfer of control to an executor and back (seed 5). Both are parsed
//! strictly, and all errors are reported at once. A handback is only a claim: nothing follows from it without
//! the results of the checks.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::document::{self, Distinct};
use crate::handback::{Handback, HandbackCode, HandbackFault, HandbackOutcome, HandbackReason, OrderedJson};
use crate::incident::id::IncidentId;
use crate::incident::seconds;
use crate::incident::status::IncidentStatus;
use crate::limit;
use crate::time::Timestamp;

/// File name of the document that says who has control, and since when.
pub const ACCEPT: &str = "accept.json";
/// File name of the document by which an executor hands control back.
pub const HANDBACK: &str = "handback.json";

/// Document that says who has control, and since when.
#[derive(Serialize)]
struct AcceptDocument {
    /// Holder of control: always `agent`.
    state: String,
    /// Time at which the holder took control.
    #[serde(with = "seconds")]
    timestamp: Timestamp,
}

/// Document by which an executor hands control back.
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
    /// Description of the result in the executor's words.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub description: String,
    /// Description of the error. Required if the reason is `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "FaultDocument"))]
    pub error: Option<FaultDocument>,
}

/// Error that a handback reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
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
    /// Further details of the error, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub context: Option<OrderedJson>,
}

/// Effect of a handback on an incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandbackResultDocument {
    /// Id of the incident.
    pub incident_id: IncidentId,
    /// Reason that the executor states: `success`, `error` or `question`.
    pub reason: String,
    /// Description in the executor's words, without secrets.
    pub description: String,
    /// Code of the error. Null: the handback names none.
    pub error_code: Option<String>,
    /// Meaning of the error code. Null: the handback names none.
    pub error_meaning: Option<String>,
    /// Error message, without secrets. Null: there is none.
    pub error_message: Option<String>,
    /// Status of the incident after the handback.
    pub status: IncidentStatus,
    /// Value of the claim, as a sentence: a claim of success proves nothing until the plan's checks have run.
    pub standing: String,
    /// Next step: a command, if there is one.
    pub next: String,
}

/// An error in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Location of the error as a JSON pointer. Empty: the document as a whole.
    pub pointer: String,
    /// Description of the error.
    pub problem: String,
}

/// Error for bytes that are not a valid document, with all complaints in the order of the document's keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot accept {document}: {}", said(complaints))]
pub struct HandbackError {
    /// Name of the document.
    pub document: &'static str,
    /// Errors in the document; never empty.
    pub complaints: Vec<Complaint>,
}

fn said(complaints: &[Complaint]) -> String {
    let one = |complaint: &Complaint| match complaint.pointer.as_str() {
        "" => complaint.problem.clone(),
        pointer => format!("{pointer}: {}", complaint.problem),
    };
    complaints.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Serializes an `accept.json` which says that an executor took control at this time.
///
/// # Errors
/// Fails only for values that JSON cannot represent.
pub fn render_accept(at: Timestamp) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(&AcceptDocument { state: AGENT.to_owned(), timestamp: at })
}

/// The only accepted state: an agent has control.
const AGENT: &str = "agent";

/// Parses an `accept.json`, and returns the time since which an executor has control.
///
/// # Errors
/// Fails for any other content.
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

/// Serializes a handback.
///
/// # Errors
/// Fails only for values that JSON cannot represent.
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

/// Parses a handback.
///
/// # Errors
/// Fails for bytes that are not a valid handback, with all errors.
pub fn read(bytes: &[u8]) -> Result<Handback, HandbackError> {
    let mut reading = Reading { context: context(bytes), ..Reading::default() };
    let handback = reading.object(HANDBACK, bytes).and_then(|object| reading.handback(&object));
    reading.result(HANDBACK, handback)
}

/// Returns the context of the error as written.
fn context(bytes: &[u8]) -> Option<OrderedJson> {
    let written = OrderedJson::parse(std::str::from_utf8(bytes.get(..limit::HANDBACK_BYTES).unwrap_or(bytes)).ok()?);
    let member = |of: &OrderedJson, key: &str| {
        of.members().iter().find(|(name, _)| name == key).map(|(_, member)| member.clone())
    };
    member(&member(&written.ok()?, "error")?, "context")
}

/// Explains why bytes are not JSON. The most frequent mistakes are named.
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

/// A document that is being parsed, with its errors so far.
#[derive(Default)]
struct Reading {
    complaints: Vec<Complaint>,
    /// Context of a handback's error, as written.
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

    /// Returns a text that is required and must not be empty.
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
