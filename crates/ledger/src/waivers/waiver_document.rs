//! The signed content of a waiver: a person's approval that one named item does not block for a while (design, "Lock").
//!
//! It is the payload of a DSSE envelope in `.referee/waivers/<id>.json`. Its id is derived from its content, so
//! that no waiver can be stored under another's name. It contains no absolute paths, so that it applies in
//! every copy of a project.

use referee_model::id::Digest;
use referee_model::limit;
use referee_model::run_context::waiver::{WaiverScope, WaiverTerms};
use referee_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use referee_model::canonical::{self, CanonicalError};
use referee_model::document::{DocumentError, Kind};

const KIND: Kind = Kind { name: "the waiver", key: "waiverVersion", version: "1.0.0" };

/// Payload type in the envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.referee.waiver+json";

/// Number of hexadecimal digits of an id.
const ID_DIGITS: usize = 16;

/// Signed content of a waiver.
#[derive(Serialize)]
struct WaiverPayload<'terms> {
    /// Id of the waiver: `waiver-` and the first digits of the SHA-256 of the canonical form of all other keys except
    /// the version.
    id: String,
    #[serde(flatten)]
    terms: &'terms WaiverTerms,
}

/// Reason why a waiver cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WaiverError {
    #[error(transparent)]
    Content(#[from] DocumentError),
    /// The document cannot be hashed.
    #[error("cannot canonicalize the waiver: {0}")]
    Canonical(#[from] CanonicalError),
    /// The document cannot be serialized as JSON.
    #[error("cannot serialize the waiver: {0}")]
    Json(#[from] serde_json::Error),
}

/// Returns the id of a waiver with these terms.
pub fn id(terms: &WaiverTerms) -> Result<String, WaiverError> {
    let digest = canonical::bytes(terms).map(Digest::of)?.to_string();
    let digits = digest.get(..ID_DIGITS).unwrap_or(&digest);
    Ok(format!("waiver-{digits}"))
}

/// Renders the bytes to sign.
///
/// # Errors
/// Fails if the terms break a rule, as [`read`] would.
pub fn render(terms: &WaiverTerms) -> Result<Vec<u8>, WaiverError> {
    check(terms).map_err(|problem| KIND.content(problem))?;
    Ok(KIND.encode(&WaiverPayload { id: id(terms)?, terms })?)
}

/// Parses the signed bytes into the id and the terms.
///
/// # Errors
/// Fails if the bytes are not a waiver, break one of its rules, or have an id that does not match the terms.
pub fn read(bytes: &[u8]) -> Result<(String, WaiverTerms), WaiverError> {
    let keys: Keys = KIND.decode(bytes)?;
    let terms = WaiverTerms {
        scope: keys.scope,
        reason: keys.reason,
        person: keys.person,
        given: keys.given,
        until: keys.until,
    };
    check(&terms).map_err(|problem| KIND.content(problem))?;
    let own = id(&terms)?;
    if keys.id != own {
        return Err(KIND.content(format!("its id is {own}, and it says `{}`", keys.id)).into());
    }
    Ok((own, terms))
}

/// All keys of a waiver; unknown keys are rejected.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Keys {
    id: String,
    scope: WaiverScope,
    reason: String,
    person: String,
    given: Timestamp,
    until: Timestamp,
}

/// Returns an error for the rule that the terms break. A valid signature does not exempt a waiver from the rules.
fn check(terms: &WaiverTerms) -> Result<(), String> {
    let characters = terms.reason.trim().chars().count();
    if characters < limit::WAIVER_REASON_CHARACTERS {
        let least = limit::WAIVER_REASON_CHARACTERS;
        return Err(format!("a reason of at least {least} characters is needed, and it has {characters}"));
    }
    if terms.until <= terms.given {
        return Err("it ends before it begins".to_owned());
    }
    if terms.until.milliseconds_since(terms.given) > limit::WAIVER_MS_MAX {
        return Err("it holds for more than 90 days".to_owned());
    }
    let texts = match &terms.scope {
        WaiverScope::Action { task, action } => vec![task.as_deref().unwrap_or("-"), action],
        WaiverScope::Rule { tool, rule } => vec![tool.as_str(), rule],
        WaiverScope::File { path } => vec![path.as_str()],
        WaiverScope::Weakening { subject } => vec![subject.as_str()],
    };
    for text in texts.into_iter().chain([terms.person.as_str()]) {
        if text.trim().is_empty() {
            return Err("a name in it is empty".to_owned());
        }
    }
    let longest = [&terms.reason, &terms.person].into_iter().map(|text| text.chars().count()).max();
    if longest > Some(limit::WAIVER_TEXT_CHARACTERS) {
        return Err(format!("a text in it is longer than {} characters", limit::WAIVER_TEXT_CHARACTERS));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn terms() -> WaiverTerms {
        WaiverTerms {
            scope: WaiverScope::Action { task: None, action: "STEP.2".to_owned() },
            reason: "the registry is down until Monday".to_owned(),
            person: "Ada".to_owned(),
            given: Timestamp::parse("2026-11-22T06:00:00.000Z").unwrap(),
            until: Timestamp::parse("2026-11-29T06:00:00.000Z").unwrap(),
        }
    }

    #[test]
    fn a_waiver_is_read_as_it_was_written_and_its_id_follows_from_what_it_says() {
        let scopes = [
            WaiverScope::Action { task: Some("T001".to_owned()), action: "unit tests".to_owned() },
            WaiverScope::Rule { tool: "eslint".to_owned(), rule: "no-console".to_owned() },
            WaiverScope::File { path: "tests/a.py".to_owned() },
            WaiverScope::Weakening { subject: "types".to_owned() },
        ];
        let mut ids = vec![id(&terms()).unwrap()];
        for scope in scopes {
            let terms = WaiverTerms { scope, ..terms() };
            let (own, read) = read(&render(&terms).unwrap()).unwrap();
            assert_eq!((&read, &own), (&terms, &id(&terms).unwrap()));
            ids.push(own);
        }
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 5, "each has an id of its own");
    }

    #[test]
    fn a_waiver_that_breaks_a_rule_is_neither_written_nor_read() {
        let later = |milliseconds| terms().given.plus_milliseconds(milliseconds);
        let rows = [
            (WaiverTerms { reason: "too short".to_owned(), ..terms() }, "at least 10 characters"),
            (WaiverTerms { reason: "          x         ".to_owned(), ..terms() }, "and it has 1"),
            (WaiverTerms { until: later(0), ..terms() }, "ends before it begins"),
            (WaiverTerms { until: later(limit::WAIVER_MS_MAX + 1), ..terms() }, "more than 90 days"),
            (WaiverTerms { person: " ".to_owned(), ..terms() }, "a name in it is empty"),
            (WaiverTerms { person: "x".repeat(2_001), ..terms() }, "longer than 2000 characters"),
            (WaiverTerms { scope: WaiverScope::File { path: String::new() }, ..terms() }, "a name in it is empty"),
        ];
        for (terms, part) in rows {
            let written = render(&terms).unwrap_err().to_string();
            assert!(written.contains(part), "{written}");
            let payload = WaiverPayload { id: id(&terms).unwrap(), terms: &terms };
            let read = read(&KIND.encode(&payload).unwrap()).unwrap_err().to_string();
            assert!(read.contains(part), "{read}");
        }
        assert!(render(&WaiverTerms { until: later(limit::WAIVER_MS_MAX), ..terms() }).is_ok());
    }

    #[test]
    fn junk_and_a_changed_waiver_are_refused() {
        let with = |key: &str, value: Value| {
            let mut payload: Value = serde_json::from_slice(&render(&terms()).unwrap()).unwrap();
            payload[key] = value;
            payload.to_string()
        };
        for (text, part) in [
            (String::new(), "cannot read"),
            ("[]".to_owned(), "cannot read"),
            ("{}".to_owned(), "has no version"),
            (with("waiverVersion", json!("2.0.0")), "use a newer Referee"),
            (with("extra", json!(1)), "unknown field"),
            (with("scope", json!({ "kind": "everything" })), "unknown variant"),
            (with("reason", json!("another reason altogether")), "its id is"),
            (with("until", json!("2026-12-01T06:00:00.000Z")), "its id is"),
            (with("until", json!("soon")), "is not a time"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
