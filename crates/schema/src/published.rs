//! The published schemas (draft 2020-12), which other programs may rely on. Internal documents of Referee state a
//! version and have no published schema.

use serde_json::Value;

macro_rules! published {
    ($($name:literal)*) => {
        /// The schemas as text, by name.
        const SCHEMAS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../schemas/", $name, ".schema.json")))),*];
    };
}

published! {
    "specification"
    "specification-2.0.0"
    "wf"
    "stage-config"
    "handback"
    "wf-result"
    "execution-report"
    "suite-report"
    "build-error"
    "technical-debt"
    "diagnostics"
    "test-results"
    "incident"
    "remediation-plan"
    "planner-question"
    "planner-answer"
    "handoff"
    "incident-attempt"
    "gate"
    "event"
    "lock"
    "status"
    "attestation-verdict"
    "verification-policy"
}

/// The OpenAPI 3.1 description of the HTTP interface.
pub const OPENAPI: &str = include_str!("../../../schemas/openapi.json");

/// Returns the names of all schemas.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

/// Returns the text of the schema with this name.
pub fn text(name: &str) -> Option<&'static str> {
    SCHEMAS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the schema with this name.
pub fn schema(name: &str) -> Option<Value> {
    serde_json::from_str(text(name)?).ok()
}
