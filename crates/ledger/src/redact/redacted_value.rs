//! Redacts secrets in records before they are stored, reported and judged. One walk over the serialized value
//! visits every text in it, so fields that are added later are covered automatically.

use referee_model::record::{Record, ServiceRecord};
use serde_json::{Map, Value};

use super::{Redactor, is_credential, looks_secret};

/// Keys whose values contain no text of a command, a server or a file: ids, words of a closed set, times,
/// digests, and captured data that was redacted before. Redacting them would make the record unreadable, or
/// name another file.
const KEPT: [&str; 13] = [
    "actionId",
    "captures",
    "cause",
    "code",
    "endTime",
    "execution",
    "file",
    "kind",
    "modified",
    "redactions",
    "sha256",
    "startTime",
    "streamMap",
];

/// Keys of maps and lists of named values: environment variables and headers.
const VARIABLES: &str = "environment";
const HEADERS: &str = "headerLines";

impl Redactor {
    /// Redacts the secrets in every text of a record.
    ///
    /// # Errors
    /// Fails if the result is no valid record any more. None of it may be stored then.
    pub fn record(&self, record: &Record) -> Result<Record, serde_json::Error> {
        serde_json::from_value(self.value(serde_json::to_value(record)?))
    }

    /// Redacts the secrets in every text of a service's record.
    ///
    /// # Errors
    /// Fails if the result is no valid service record any more. None of it may be stored then.
    pub fn service(&self, service: &ServiceRecord) -> Result<ServiceRecord, serde_json::Error> {
        serde_json::from_value(self.value(serde_json::to_value(service)?))
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => members.into_iter().map(|(key, value)| self.member(key, value)).collect(),
            other => other,
        }
    }

    fn member(&self, key: String, value: Value) -> (String, Value) {
        let value = match (key.as_str(), value) {
            (VARIABLES, Value::Object(variables)) => Value::Object(self.variables(variables)),
            (HEADERS, Value::Array(headers)) => headers.into_iter().map(|header| self.header(header)).collect(),
            (kept, value) if KEPT.contains(&kept) => value,
            (_, value) => self.value(value),
        };
        (key, value)
    }

    /// Redacts values of variables with secret names completely, however short or plain they are.
    fn variables(&self, variables: Map<String, Value>) -> Map<String, Value> {
        let cut = |(name, value): (String, Value)| match value {
            Value::String(text) if looks_secret(&name) => (name, hidden(&text)),
            value => (self.text(&name), self.value(value)),
        };
        variables.into_iter().map(cut).collect()
    }

    /// Redacts a header, which is a pair of name and value.
    fn header(&self, header: Value) -> Value {
        match header.as_array().map(Vec::as_slice) {
            Some([Value::String(name), Value::String(text)]) if looks_secret(name) || is_credential(name) => {
                Value::Array(vec![name.clone().into(), hidden(text)])
            }
            _ => self.value(header),
        }
    }
}

fn hidden(text: &str) -> Value {
    Value::String("*".repeat(text.len()))
}

#[cfg(test)]
mod tests;
