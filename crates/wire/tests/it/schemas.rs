//! The published schemas: those in the repository are those that the code makes, and every document fits its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use referee_wire::schema;
use referee_wire::validator::{self, Validator};
use serde::Serialize;
use serde_json::Value;

/// Panics with every complaint where a document does not fit the schema of this name.
pub(crate) fn assert_fits(name: &str, document: &impl Serialize) {
    let document = serde_json::to_value(document).unwrap();
    let complaints = complaints(name, &document);
    assert!(complaints.is_empty(), "{name}: {complaints:#?}\n{document:#}");
}

/// Returns what a schema has to say against a document.
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

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "schemas are compared with the files that are published, and written there"
)]
fn published_schemas_are_those_that_the_code_makes() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let update = std::env::var_os("REFEREE_UPDATE_SCHEMAS").is_some_and(|value| value == "1");
    for name in schema::names() {
        let file = folder.join(format!("{name}.schema.json"));
        let made = serde_json::to_string_pretty(&schema::schema(name).unwrap()).unwrap() + "\n";
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &made).unwrap();
        }
        let published = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(made == published, "{} is out of date: run with REFEREE_UPDATE_SCHEMAS=1", file.display());
    }
}

#[test]
fn published_schemas_are_valid_and_say_what_they_are() {
    for name in schema::names() {
        let schema = schema::schema(name).unwrap();
        assert!(Validator::new(&schema).is_ok() && !validator::is_vacuous(&schema), "{name}");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        let major = match name {
            "execution-report" | "task-status-lock" | "plan" | "record" | "run" => 2,
            _ => 1,
        };
        assert_eq!(schema["$id"], format!("https://referee.dev/schema/{name}/{major}.json"));
        assert!(schema["title"].as_str().is_some_and(|title| title.starts_with("Referee")), "{name}");
    }
    assert_eq!(schema::schema("unheard-of"), None);
}
