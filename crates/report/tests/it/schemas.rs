//! Every document conforms to its published schema.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use referee_schema::published as schema;
use referee_schema::validator::Validator;
use serde::Serialize;
use serde_json::Value;

/// Panics with all violations where a document does not conform to the schema of this name.
pub(crate) fn assert_fits(name: &str, document: &impl Serialize) {
    let document = serde_json::to_value(document).unwrap();
    let complaints = complaints(name, &document);
    assert!(complaints.is_empty(), "{name}: {complaints:#?}\n{document:#}");
}

/// Returns the violations of a schema by a document.
pub(crate) fn complaints(name: &str, document: &Value) -> Vec<String> {
    VALIDATORS[name].complaints(document, 100).0
}

static VALIDATORS: LazyLock<BTreeMap<&str, Validator>> = LazyLock::new(|| {
    let validator = |name: &'static str| {
        let schema = schema::schema(name).unwrap();
        (name, Validator::new(&schema).unwrap())
    };
    schema::names().map(validator).collect()
});
