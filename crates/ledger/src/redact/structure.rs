//! Redacts secrets in structured data: values under a name for a secret completely, however deep, and every
//! other text as plain text.

use serde_json::{Map, Value};

use super::{Redactor, strict};

impl Redactor {
    /// Redacts possible secrets in data for others: each text as [`Redactor::text_strictly`] does, and every
    /// value under a name for a secret.
    pub fn data_strictly(&self, data: Value) -> Value {
        match data {
            Value::String(text) => Value::String(self.text_strictly(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.data_strictly(item)).collect(),
            Value::Object(members) => Value::Object(self.members(members)),
            other => other,
        }
    }

    fn members(&self, members: Map<String, Value>) -> Map<String, Value> {
        let cut = |(name, value): (String, Value)| {
            let value = if strict::is_a_name_for_a_secret(&name) { covered(value) } else { self.data_strictly(value) };
            // A name can be a secret itself, for example a token that is used as a key.
            (self.text_strictly(&name), value)
        };
        members.into_iter().map(cut).collect()
    }

    /// Redacts possible secrets in one line of a log: as JSON data if it is valid, otherwise as text.
    pub fn line_strictly(&self, line: &str) -> String {
        let is_data = line.trim_start().starts_with(['{', '[']);
        match is_data.then(|| serde_json::from_str::<Value>(line)) {
            Some(Ok(data)) => self.data_strictly(data).to_string(),
            _ => self.text_strictly(line),
        }
    }
}

/// Replaces every character of a secret value. Null and booleans reveal nothing and stay.
fn covered(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String("*".repeat(text.len())),
        Value::Number(number) => Value::String("*".repeat(number.to_string().len())),
        Value::Array(items) => items.into_iter().map(covered).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, covered(value))).collect())
        }
        other @ (Value::Null | Value::Bool(_)) => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whatever_stands_under_a_name_for_a_secret_goes() {
        let redactor = Redactor::new(Vec::new(), Vec::new());
        let data = json!({
            "password": {"value": "abc", "length": 3, "old": ["x", null, true]},
            "dbPassword": "abc",
            "api-key": 42,
            "Cookie": "a=b",
            "Authorization": {"scheme": "x"},
            "nested": [{"refreshToken": "abc", "count": 7, "text": "token=abc ok"}],
            "step": "import",
            "ghp_0123456789abcdef": 1,
        });
        let expected = json!({
            "password": {"value": "***", "length": "*", "old": ["*", null, true]},
            "dbPassword": "***",
            "api-key": "**",
            "Cookie": "***",
            "Authorization": {"scheme": "*"},
            "nested": [{"refreshToken": "***", "count": 7, "text": "token=*** ok"}],
            "step": "import",
            "********************": 1,
        });
        assert_eq!(redactor.data_strictly(data), expected);
    }

    #[test]
    fn a_line_of_data_is_cut_as_data_and_any_other_as_text() {
        let redactor = Redactor::new(Vec::new(), Vec::new());
        assert_eq!(
            redactor.line_strictly(r#"{"event":"login","password":{"plain":"abc"}}"#),
            r#"{"event":"login","password":{"plain":"***"}}"#
        );
        assert_eq!(redactor.line_strictly("{ password=abc"), "{ password=***");
    }
}
