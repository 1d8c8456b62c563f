//! Redacts secrets in records before they are stored, reported and judged. One walk over the serialized value
//! visits every text in it, so fields that are added later are covered automatically.

use referee_model::record::{Record, ServiceRecord};
use serde::Serialize;
use serde::de::DeserializeOwned;
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
        self.document(record)
    }

    /// Redacts the secrets in every text of a service's record.
    ///
    /// # Errors
    /// Fails if the result is no valid service record any more. None of it may be stored then.
    pub fn service(&self, service: &ServiceRecord) -> Result<ServiceRecord, serde_json::Error> {
        self.document(service)
    }

    fn document<T: Clone + Serialize + DeserializeOwned>(&self, document: &T) -> Result<T, serde_json::Error> {
        let mut value = serde_json::to_value(document)?;
        if self.value(&mut value) { serde_json::from_value(value) } else { Ok(document.clone()) }
    }

    /// Redacts a value in place. Returns whether it changed.
    fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => self.redacted(text).is_some_and(|redacted| {
                *text = redacted;
                true
            }),
            Value::Array(items) => any(items.iter_mut().map(|item| self.value(item))),
            Value::Object(members) => any(members.iter_mut().map(|(key, value)| self.member(key, value))),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn member(&self, key: &str, value: &mut Value) -> bool {
        match (key, value) {
            (VARIABLES, Value::Object(variables)) => self.variables(variables),
            (HEADERS, Value::Array(headers)) => any(headers.iter_mut().map(|header| self.header(header))),
            (kept, _) if KEPT.contains(&kept) => false,
            (_, value) => self.value(value),
        }
    }

    /// Redacts values of variables with secret names completely, however short or plain they are.
    fn variables(&self, variables: &mut Map<String, Value>) -> bool {
        let is_secret = |name: &str, value: &Value| value.is_string() && looks_secret(name);
        let changed = any(variables.iter_mut().map(|(name, value)| match value {
            Value::String(text) if looks_secret(name) => hide(text),
            value => self.value(value),
        }));
        if !variables.iter().any(|(name, value)| !is_secret(name, value) && self.redacted(name).is_some()) {
            return changed;
        }
        let named = std::mem::take(variables).into_iter();
        let name = |name: String, value: &Value| if is_secret(&name, value) { name } else { self.text(&name) };
        variables.extend(named.map(|(called, value)| (name(called, &value), value)));
        true
    }

    /// Redacts a header, which is a pair of name and value.
    fn header(&self, header: &mut Value) -> bool {
        match header.as_array_mut().map(Vec::as_mut_slice) {
            Some([Value::String(name), Value::String(text)]) if looks_secret(name) || is_credential(name) => hide(text),
            _ => self.value(header),
        }
    }
}

/// Returns whether any of them changed; all are redacted.
fn any(changes: impl Iterator<Item = bool>) -> bool {
    changes.fold(false, |any, changed| any | changed)
}

fn hide(text: &mut String) -> bool {
    *text = "*".repeat(text.len());
    true
}

#[cfg(test)]
mod tests;
