//! `error-codes.json`: the ten error codes of a handback, with their meanings (seed 5). Generated from the
//! table in the code, so the two cannot differ.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::handback::HandbackCode;

/// File name of the error codes, in the `schemas` directory of a stage.
pub const ERROR_CODES: &str = "error-codes.json";

/// Document that lists the error codes with their meanings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorCodesDocument {
    /// Meaning of each code, in the order of the seed.
    #[serde(rename = "ERROR_CODES", serialize_with = "in_order")]
    codes: [HandbackCode; 10],
}

fn in_order<S: Serializer>(codes: &[HandbackCode; 10], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(codes.iter().map(|code| (code.as_str(), code.meaning())))
}

/// Serializes the error codes.
///
/// # Errors
/// Fails only for values that JSON cannot represent.
pub fn render() -> Result<Vec<u8>, serde_json::Error> {
    crate::document::to_bytes(&ErrorCodesDocument { codes: HandbackCode::ALL })
}

/// Returns the problems of an `error-codes.json` that a workflow supplies: an unknown code, a missing code, or
/// a malformed document. The wording of the meanings is not compared.
pub fn complaints(bytes: &[u8]) -> Vec<String> {
    let document: Value = match serde_json::from_slice(bytes) {
        Ok(document) => document,
        Err(error) => return vec![format!("it is not JSON: {error}")],
    };
    let Some(codes) = document.get("ERROR_CODES").and_then(Value::as_object) else {
        return vec!["it has no object `ERROR_CODES`".to_owned()];
    };
    let known: BTreeSet<&str> = HandbackCode::ALL.map(HandbackCode::as_str).into();
    let missing = known.iter().filter(|code| !codes.contains_key(**code));
    let mut complaints: Vec<String> = missing.map(|code| format!("the code {code} is missing")).collect();
    for (code, meaning) in codes {
        if !known.contains(code.as_str()) {
            let shown: String = code.chars().take(80).collect();
            complaints.push(format!("the code {shown:?} is none of the ten"));
        } else if !meaning.is_string() {
            complaints.push(format!("what {code} means is not a text"));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_those_of_the_table_and_no_others_pass() {
        let bytes = render().unwrap();
        assert_eq!(complaints(&bytes), Vec::<String>::new());
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(complaints(text.replace("TIMEOUT", "TIME_OUT").as_bytes()).len(), 2);
        assert_eq!(complaints(b"{}").len(), 1);
        assert_eq!(complaints(b"{").len(), 1);
        assert_eq!(complaints(br#"{"ERROR_CODES": []}"#).len(), 1);
    }
}
