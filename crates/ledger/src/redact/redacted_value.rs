//! Secrets in what the program itself has to say: records, before they are stored, told of and judged. One walk over the
//! value as it is written meets every text in it, so a field that is added later is covered without anybody's doing.

use referee_model::record::{Record, ServiceRecord};
use serde_json::{Map, Value};

use super::{Redactor, is_credential, looks_secret};

/// Keys under which no text of a command, a server or a file stands: ids, words of a closed set, times, digests, and what
/// was captured and redacted before. A text that were cut here could not be read any more, or would name another file.
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

/// Keys of maps and lists whose values belong to names that somebody gave.
const VARIABLES: &str = "environment";
const HEADERS: &str = "headerLines";

impl Redactor {
    /// Cuts the secrets out of every text of a record.
    ///
    /// # Errors
    /// Fails where what is left is no record any more. Nothing of it may be stored then.
    pub fn record(&self, record: &Record) -> Result<Record, serde_json::Error> {
        serde_json::from_value(self.value(serde_json::to_value(record)?))
    }

    /// Cuts the secrets out of every text of what became of a service.
    ///
    /// # Errors
    /// Fails where what is left tells of no service any more. Nothing of it may be stored then.
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

    /// Values of variables that are secret by their name are hidden whole, however short or plain they are.
    fn variables(&self, variables: Map<String, Value>) -> Map<String, Value> {
        let cut = |(name, value): (String, Value)| match value {
            Value::String(text) if looks_secret(&name) => (name, hidden(&text)),
            value => (self.text(&name), self.value(value)),
        };
        variables.into_iter().map(cut).collect()
    }

    /// A header is its name and its value.
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
