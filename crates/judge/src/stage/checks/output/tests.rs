use proptest::prelude::*;
use referee_model::stage::id::StageId;

use super::*;

fn scene() -> Scene {
    Scene { stage: StageId::parse("explore").unwrap(), run: "/run".to_owned() }
}

fn schema() -> StagePath {
    StagePath::parse("schemas/a.schema.json").unwrap()
}

fn held(count: u64) -> SchemaSeen {
    let listed = (0..count.min(3)).map(|place| format!("at /findings/{place}/id: it is wrong")).collect();
    SchemaSeen::Held { schema: schema(), listed, count }
}

fn output(is_required: bool, sight: Sight, document: DocumentSeen, schema: SchemaSeen) -> OutputSeen {
    OutputSeen { path: "run/output-data/a.json".to_owned(), is_required, sight, document, schema }
}

/// Returns the checks in short form: `+` for a passed one, `-` for a failed one.
fn short(output: &OutputSeen) -> String {
    let one = |check: &Check| format!("{}{}", if check.failure.is_none() { "+" } else { "-" }, check.kind.as_str());
    checks(&scene(), output).iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn an_output_comes_to_what_the_table_says() {
    use DocumentSeen::{Json, NotAsked, NotJson, OfAnotherStage, TooLarge};
    let (both, leads_out) = ("+file_exists +file_not_empty", StagePathFault::LeadsOut);
    let not_json = || NotJson("line 1".to_owned());
    for (seen, expected) in [
        (output(true, Sight::Absent, NotAsked, SchemaSeen::Idle(schema())), "-file_exists".to_owned()),
        (output(false, Sight::Absent, NotAsked, SchemaSeen::Idle(schema())), String::new()),
        (output(true, Sight::Empty, NotAsked, SchemaSeen::Idle(schema())), "+file_exists -file_not_empty".to_owned()),
        (output(false, Sight::Empty, NotAsked, SchemaSeen::None), "+file_exists -file_not_empty".to_owned()),
        (output(true, Sight::Holds, NotAsked, SchemaSeen::None), both.to_owned()),
        (output(true, Sight::Holds, Json, SchemaSeen::None), both.to_owned()),
        (output(true, Sight::Holds, not_json(), SchemaSeen::None), format!("{both} -schema_valid")),
        (output(true, Sight::Holds, not_json(), SchemaSeen::Idle(schema())), format!("{both} -schema_valid")),
        (output(true, Sight::Holds, TooLarge(1), SchemaSeen::Idle(schema())), format!("{both} -schema_valid")),
        (output(true, Sight::Holds, Json, held(0)), format!("{both} +schema_valid")),
        (output(true, Sight::Holds, Json, held(2)), format!("{both} -schema_valid")),
        (output(true, Sight::Holds, OfAnotherStage("b".to_owned()), held(0)), format!("{both} -schema_valid")),
        (output(true, Sight::Holds, OfAnotherStage("b".to_owned()), SchemaSeen::None), format!("{both} -schema_valid")),
        (output(true, Sight::Holds, Json, SchemaSeen::Idle(schema())), format!("{both} -schema_valid")),
        (output(true, Sight::Holds, NotAsked, held(0)), format!("{both} -schema_valid")),
        (
            output(true, Sight::Holds, Json, SchemaSeen::Unusable(schema(), "it is not there".to_owned())),
            format!("{both} -schema_valid"),
        ),
        (
            output(true, Sight::Holds, Json, SchemaSeen::Outside("../a".to_owned(), leads_out)),
            format!("{both} -schema_security"),
        ),
        (
            output(true, Sight::Holds, not_json(), SchemaSeen::NotAFile(schema())),
            format!("{both} -schema_security -schema_valid"),
        ),
        (output(true, Sight::Outside(leads_out), NotAsked, SchemaSeen::None), "-path_security".to_owned()),
        (output(false, Sight::NotAFile, NotAsked, SchemaSeen::Idle(schema())), "-path_security".to_owned()),
        (
            output(true, Sight::NotAFile, NotAsked, SchemaSeen::Outside("../a".to_owned(), leads_out)),
            "-path_security -schema_security".to_owned(),
        ),
        (output(true, Sight::Unreadable("denied".to_owned()), NotAsked, SchemaSeen::None), "-path_security".to_owned()),
    ] {
        assert_eq!(short(&seen), expected, "{seen:?}");
    }
}

#[test]
fn everything_that_breaks_a_schema_is_told_with_its_place_and_what_is_left_out_is_counted() {
    let seen = output(true, Sight::Holds, DocumentSeen::Json, held(5));
    let failure = checks(&scene(), &seen).pop().unwrap();
    insta::assert_debug_snapshot!(failure, @r#"
    Check {
        kind: SchemaValid,
        path: "run/output-data/a.json",
        message: "it breaks schemas/a.schema.json in 5 places",
        failure: Some(
            CheckFailure {
                action: "put /run/stages/explore/run/output-data/a.json right until it holds by /run/stages/explore/schemas/a.schema.json",
                schema: Some(
                    StagePath(
                        "schemas/a.schema.json",
                    ),
                ),
                json_path: Some(
                    "/findings/0/id",
                ),
                details: [
                    "at /findings/0/id: it is wrong",
                    "at /findings/1/id: it is wrong",
                    "at /findings/2/id: it is wrong",
                    "and 2 more",
                ],
            },
        ),
    }
    "#);
}

#[test]
fn a_place_is_a_pointer_or_none() {
    assert_eq!(pointer("at : it is not an object").as_deref(), Some(""));
    assert_eq!(pointer("at /a/b: no").as_deref(), Some("/a/b"));
    assert_eq!(pointer("line 1 column 2"), None);
    assert_eq!(pointer("at noon: no"), None);
}

proptest! {
    #[test]
    fn an_output_passes_only_where_it_is_there_holds_something_and_nothing_breaks_it(
        is_required in any::<bool>(),
        sight in prop::sample::select(vec![
            Sight::Absent, Sight::Empty, Sight::Holds, Sight::NotAFile, Sight::Outside(StagePathFault::Absolute),
        ]),
        document in prop::sample::select(vec![
            DocumentSeen::NotAsked, DocumentSeen::Json, DocumentSeen::NotJson(String::new()), DocumentSeen::TooLarge(9),
            DocumentSeen::OfAnotherStage("b".to_owned()),
        ]),
        schema in prop::sample::select(vec![
            SchemaSeen::None, SchemaSeen::Idle(schema()), SchemaSeen::NotAFile(schema()),
            SchemaSeen::Unusable(schema(), String::new()), held(0), held(1), held(9),
        ]),
    ) {
        let seen = output(is_required, sight.clone(), document.clone(), schema.clone());
        let checks = checks(&scene(), &seen);
        let passes = checks.iter().all(|check| check.failure.is_none());
        let may_pass = match sight {
            Sight::Absent => !is_required,
            Sight::Holds => match document {
                DocumentSeen::Json => matches!(schema, SchemaSeen::None | SchemaSeen::Held { count: 0, .. }),
                DocumentSeen::NotAsked => schema == SchemaSeen::None,
                _ => false,
            },
            _ => false,
        };
        // A schema that is not a file is wrong, whether or not there is a document to validate.
        let may_pass = may_pass && !matches!(schema, SchemaSeen::NotAFile(_));
        prop_assert_eq!(passes, may_pass, "{:?}", seen);
        prop_assert!(!seen.is_sound() || passes);
        for check in checks {
            prop_assert!(check.failure.is_none_or(|failure| !failure.action.is_empty()));
        }
    }
}

#[test]
fn a_complaint_about_the_whole_document_says_where_it_is() {
    let listed = vec!["at : \"a\" is a required property".to_owned(), "at /b: 1 is not a text".to_owned()];
    let held = SchemaSeen::Held { schema: schema(), listed, count: 3 };
    let checks = checks(&scene(), &output(true, Sight::Holds, DocumentSeen::Json, held));
    let failure = checks.into_iter().find_map(|check| check.failure).unwrap();
    assert_eq!(failure.details, ["at the top: \"a\" is a required property", "at /b: 1 is not a text", "and 1 more"]);
    assert_eq!(failure.json_path.as_deref(), Some(""));
}
