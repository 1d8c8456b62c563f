#![expect(clippy::disallowed_methods, reason = "tests read what is in a run")]

use std::collections::BTreeMap;
use std::path::Path;

use referee_ledger::redact::Redactor;
use referee_model::handback::{Handback, HandbackOutcome};
use referee_model::id::Digest;
use referee_model::stage::check::{CheckKind, CheckStatus, Checks};
use referee_model::stage::log::{StageChange, StageVerdict};
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::standing::{HandbackStanding, Objection, StandingName};
use referee_model::stage::workflow::{Output, Stage};
use serde_json::json;

use super::sample::{COMPOSED, Sample, WRITTEN, at, explore, output, publishes, stage};
use super::*;
use crate::stage::standing::{AcceptFound, HandbackFound};

/// Returns the failed checks: kind and path.
fn failed(outputs: &Outputs) -> Vec<(&'static str, String)> {
    outputs.checks.failed().map(|(check, _)| (check.kind.as_str(), check.path.clone())).collect()
}

fn outputs_of(sample: &Sample, stage: Stage) -> Outputs {
    outputs(&sample.of(stage)).unwrap()
}

fn workshop<'shop>(sample: &'shop Sample, redactor: &'shop Redactor) -> Workshop<'shop> {
    Workshop { state: Some(&sample.state), now: at(60), redactor, by: "cli" }
}

fn redactor() -> Redactor {
    Redactor::new(Vec::new(), Vec::new())
}

/// VA-01, VA-04.
#[test]
fn outputs_that_are_all_there_and_valid_are_eleven_checks_and_their_values_are_told() {
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    let outputs = outputs_of(&sample, explore());
    assert_eq!(outputs.checks.result_line(), "Result: PASS (11 checks, 0 errors)");
    assert_eq!(outputs.checks.warnings, Vec::<String>::new());
    assert_eq!(
        Value::Object(outputs.parameters),
        json!({
            "total_findings": 15, "critical_count": 2, "top_component": "auth/session.py", "complexity_score": "CS-3"
        })
    );
    let declared = WRITTEN.map(|(path, _)| path.trim_start_matches("stages/explore/"));
    assert_eq!(outputs.found, sample.digests("explore", &declared));
    assert!(!sample.path("stages/explore/run/output-data/output-params.json").exists(), "only finalize publishes");
}

/// VA-02.
#[test]
fn everything_that_is_wrong_with_outputs_is_told_at_once() {
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    sample.remove("stages/explore/run/output-files/research-dossier.md");
    sample.write("stages/explore/run/output-data/wf-result.json", "");
    sample.write("stages/explore/run/output-data/findings.json", r#"{"findings": [{"id": 1}]}"#);
    let outputs = outputs_of(&sample, explore());
    assert_eq!(outputs.checks.result_line(), "Result: FAIL (6 passed, 3 errors)");
    let expected = [
        ("file_exists", "run/output-files/research-dossier.md"),
        ("file_not_empty", "run/output-data/wf-result.json"),
        ("schema_valid", "run/output-data/findings.json"),
    ];
    assert_eq!(failed(&outputs), expected.map(|(check, path)| (check, path.to_owned())));
    let (_, schema) = outputs.checks.failed().last().unwrap();
    assert_eq!(schema.details.len(), 3, "{:?}", schema.details);
    assert_eq!(schema.schema.as_ref().unwrap().as_str(), "schemas/findings.schema.json");
    assert!(schema.json_path.is_some());
}

/// VA-01, VA-02 on the fixtures of the seed.
#[test]
fn the_fixtures_of_the_seed_give_its_counts() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/handback/fixtures");
    if !fixtures.is_dir() {
        println!("skipped: no ../shared");
        return;
    }
    let valid = Sample::bare();
    valid.copy(&fixtures.join("valid-stage/stages/explore"), "stages/explore");
    valid.write("stages/explore/run/output-files/research-dossier.md", "# IncidentView\n");
    let outputs = outputs_of(&valid, explore());
    assert_eq!(outputs.checks.result_line(), "Result: PASS (11 checks, 0 errors)");
    assert_eq!(outputs.parameters.len(), 4);
    assert_eq!(outputs.checks.warnings.len(), 1, "that there is no log is told: {:?}", outputs.checks.warnings);

    let invalid = Sample::bare();
    invalid.copy(&fixtures.join("invalid-stage/stages/explore"), "stages/explore");
    let outputs = outputs_of(&invalid, explore());
    assert_eq!(outputs.checks.result_line(), "Result: FAIL (6 passed, 3 errors)");
    assert_eq!(outputs.parameters.len(), 4, "what is valid can be told beside what is not");
}

/// VA-03.
#[test]
fn no_path_and_no_link_leads_out_of_a_stages_directory() {
    let sample = Sample::bare();
    sample.write("outside.json", "{}");
    sample.write("stages/explore/run/output-data/a.json", "{}");
    sample.link("stages/explore/run/output-data/link.json", &sample.path("outside.json"));
    sample.link("stages/explore/run/output-files", &sample.run);
    sample.link("stages/explore/schemas/link.json", &sample.path("outside.json"));
    sample.write("stages/explore/run/output-data/folder.json/x", "");
    for (path, schema, expected) in [
        ("../../outside.json", None, ("path_security", "../../outside.json")),
        ("/etc/passwd", None, ("path_security", "/etc/passwd")),
        ("run/output-data/link.json", None, ("path_security", "run/output-data/link.json")),
        ("run/output-files/outside.json", None, ("path_security", "run/output-files/outside.json")),
        ("run/output-data/folder.json", None, ("path_security", "run/output-data/folder.json")),
        ("run/output-data/a.json", Some("../../outside.json"), ("schema_security", "../../outside.json")),
        ("run/output-data/a.json", Some("/etc/passwd"), ("schema_security", "/etc/passwd")),
        ("run/output-data/a.json", Some("schemas/link.json"), ("schema_security", "schemas/link.json")),
        ("run/output-data/a.json", Some("schemas/none.json"), ("schema_valid", "run/output-data/a.json")),
    ] {
        let outputs = outputs_of(&sample, Stage { data: vec![output(path, schema)], ..stage("explore") });
        assert_eq!(failed(&outputs), [(expected.0, expected.1.to_owned())], "{path} {schema:?}");
    }
}

#[test]
fn what_is_no_json_that_all_read_alike_is_no_output() {
    let sample = Sample::bare();
    sample.write("stages/explore/schemas/any.json", "true");
    let deep = format!("{}{}", "[".repeat(129), "]".repeat(129));
    for (bytes, says) in [
        (&b"{"[..], "line 1 column 1"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"{\"a\": NaN}", "line 1"),
        (b"{\"a\": 1, \"a\": 2}", "twice"),
        (b"\"\xff\"", "UTF-8"),
        (deep.as_bytes(), "recursion limit"),
    ] {
        sample.write("stages/explore/run/output-data/a.json", bytes);
        for schema in [None, Some("schemas/any.json")] {
            let stage = Stage { data: vec![output("run/output-data/a.json", schema)], ..stage("explore") };
            let outputs = outputs_of(&sample, stage);
            assert_eq!(failed(&outputs), [("schema_valid", "run/output-data/a.json".to_owned())]);
            let (_, failure) = outputs.checks.failed().next().unwrap();
            assert!(failure.details[0].contains(says), "{says}: {:?}", failure.details);
        }
    }
}

#[test]
fn a_schema_that_cannot_be_used_fails_what_it_is_for() {
    let sample = Sample::bare();
    sample.write("stages/explore/run/output-data/a.json", "{}");
    for schema in ["", "{", "[]", r#"{"type": 1}"#, r#"{"$ref": "other.json"}"#, r#"{"pattern": "("}"#] {
        sample.write("stages/explore/schemas/a.json", schema);
        let stage = Stage { data: vec![output("run/output-data/a.json", Some("schemas/a.json"))], ..stage("explore") };
        assert_eq!(
            failed(&outputs_of(&sample, stage)),
            [("schema_valid", "run/output-data/a.json".to_owned())],
            "{schema}"
        );
    }
}

#[test]
fn a_result_of_another_stage_is_none_of_this_one() {
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    let result = WRITTEN[1].1.replace("explore", "specify");
    sample.write("stages/explore/run/output-data/wf-result.json", result);
    let outputs = outputs_of(&sample, explore());
    assert_eq!(failed(&outputs), [("schema_valid", "run/output-data/wf-result.json".to_owned())]);
}

#[test]
fn nothing_to_judge_is_no_pass() {
    let sample = Sample::bare();
    assert_eq!(failed(&outputs_of(&sample, stage("explore"))), [("config_valid", "stage-config.yaml".to_owned())]);
    let optional = Stage {
        files: vec![Output { is_required: false, ..output("run/output-files/a.md", None) }],
        ..stage("explore")
    };
    assert_eq!(failed(&outputs_of(&sample, optional.clone())), [("file_exists", "run".to_owned())]);
    sample.write("stages/explore/run/output-files/a.md", "a");
    assert!(outputs_of(&sample, optional).checks.is_pass());
    for configuration in [Configuration::Absent, Configuration::Broken(Vec::new())] {
        let outputs = outputs(&sample.open("explore", configuration)).unwrap();
        assert_eq!(failed(&outputs).len(), 1);
    }
    let other = sample.open("explore", Configuration::Read(Box::new(stage("specify"))));
    assert_eq!(failed(&outputs(&other).unwrap()), [("config_valid", "stage-config.yaml".to_owned())]);
}

#[test]
fn only_values_that_are_there_are_published_and_what_is_missing_is_told() {
    let sample = Sample::bare();
    sample.write("stages/explore/run/output-data/a.json", r#"{"null": null, "list": [1, 2], "text": "Grüße"}"#);
    sample.write("stages/explore/run/output-data/broken.json", "{");
    let (a, optional) = ("run/output-data/a.json", "run/output-data/optional.json");
    let stage = Stage {
        data: vec![
            output(a, None),
            Output { is_required: false, ..output(optional, None) },
            output("run/output-data/broken.json", None),
        ],
        output_parameters: vec![
            publishes("none", a, "null"),
            publishes("count", a, "list.length"),
            publishes("letters", a, "text.length"),
            publishes("nowhere", a, "no.such.thing"),
            publishes("absent", optional, "x"),
            publishes("broken", "run/output-data/broken.json", "x"),
            publishes("undeclared", "run/output-data/other.json", "x"),
            publishes("outside", "../x.json", "x"),
        ],
        ..stage("explore")
    };
    let outputs = outputs_of(&sample, stage);
    assert_eq!(Value::Object(outputs.parameters.clone()), json!({ "count": 2, "letters": 5 }));
    let expected = [
        ("schema_valid", "run/output-data/broken.json"),
        ("param_extracted", "undeclared"),
        ("path_security", "../x.json"),
    ];
    assert_eq!(failed(&outputs), expected.map(|(check, path)| (check, path.to_owned())));
    let told: Vec<&String> = outputs.checks.warnings.iter().filter(|warning| warning.contains("parameter")).collect();
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn no_more_is_published_than_is_kept() {
    let sample = Sample::bare();
    let text = "x".repeat(referee_model::limit::STAGE_PARAMETERS_BYTES - 100);
    sample.write("stages/explore/run/output-data/a.json", json!({ "text": text }).to_string());
    let a = "run/output-data/a.json";
    let stage = Stage {
        data: vec![output(a, None)],
        output_parameters: vec![publishes("one", a, "text"), publishes("two", a, "text")],
        ..stage("explore")
    };
    let outputs = outputs_of(&sample, stage);
    assert_eq!(failed(&outputs), [("param_extracted", "two".to_owned())]);
    assert_eq!(outputs.parameters.len(), 1);
}

#[test]
fn what_was_composed_counts_as_it_was_composed() {
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    sample.write("stages/explore/schemas/findings.schema.json", "true");
    let names: Vec<&str> = failed(&outputs_of(&sample, explore())).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["as_composed"]);
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    sample.remove("wf-log.jsonl");
    let names: Vec<&str> = failed(&outputs_of(&sample, explore())).into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"as_composed"), "a log that was there and is gone is not one that never was: {names:?}");
    assert!(!outputs_of(&sample, explore()).checks.is_pass());
}

#[test]
fn a_thousand_outputs_are_judged() {
    let sample = Sample::bare();
    sample.write("stages/explore/schemas/a.json", r#"{"type": "object", "required": ["number"]}"#);
    let mut data = Vec::new();
    for number in 0..1_000 {
        let path = format!("run/output-data/{number}.json");
        sample.write(&format!("stages/explore/{path}"), format!("{{\"number\": {number}}}"));
        data.push(output(&path, Some("schemas/a.json")));
    }
    let outputs = outputs_of(&sample, Stage { data, ..stage("explore") });
    assert_eq!(outputs.checks.result_line(), "Result: PASS (3000 checks, 0 errors)");
    assert_eq!(outputs.found.len(), 1_000);
}

fn handed(document: HandbackFound, objections: Vec<Objection>) -> HandedBack {
    let standing = HandbackStanding { reason: None, objections };
    HandedBack { document, accept: AcceptFound::Absent, written_at: None, standing }
}

fn verdict(decision: &str, exit: u8) -> Verdict {
    Verdict::Known(StageVerdict {
        decision: decision.to_owned(),
        exit,
        reason: "a test failed".to_owned(),
        evidence: Some("stages/explore/evidence/T001".to_owned()),
        tree: None,
    })
}

/// HB-04 to HB-07, as far as they concern a validation.
#[test]
fn a_handback_changes_nothing_of_what_outputs_come_to_unless_it_cannot_be_read() {
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    let redactor = redactor();
    let opened = sample.of(explore());
    let outputs = outputs(&opened).unwrap();
    let judged = |handed: &HandedBack| {
        super::judged(&workshop(&sample, &redactor), &opened, &outputs, &Verdict::NotAsked, handed)
    };
    let missing = judged(&handed(HandbackFound::Missing, Vec::new()));
    assert_eq!((missing.exit, missing.document.status), (0, CheckStatus::Pass));
    assert!(missing.document.warnings[0].contains("handback.json"));
    assert_eq!(missing.document.summary.result, "Result: PASS (11 checks, 0 errors)");

    let said = Handback { outcome: HandbackOutcome::Success { beside: None }, description: "done".to_owned() };
    let objection = Objection {
        name: StandingName::ResultContradicts,
        message: "one says this and the other that".to_owned(),
        action: "write one of them again".to_owned(),
    };
    let digest = Digest::of(b"");
    let contradicted = judged(&handed(HandbackFound::Valid(Box::new(said), digest), vec![objection]));
    assert_eq!((contradicted.exit, contradicted.document.status), (0, CheckStatus::Pass));
    assert_eq!(contradicted.document.handback.unwrap().objections[0].name, StandingName::ResultContradicts);

    let invalid = judged(&handed(HandbackFound::Invalid(vec!["it is a list".to_owned()]), Vec::new()));
    assert_eq!((invalid.exit, invalid.document.status), (1, CheckStatus::Fail));
    assert_eq!(invalid.document.checks.failed().next().unwrap().0.kind, CheckKind::HandbackValid);
    assert_eq!(invalid.document.summary.result, "Result: FAIL (11 passed, 1 errors)");
}

#[test]
fn only_a_verdict_of_pass_passes_and_the_worse_code_wins() {
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    let redactor = redactor();
    let specified = || Stage { specification: Some(PathReference::new("specification/referee.yaml")), ..explore() };
    let exit = |verdict: &Verdict, breaks: bool| {
        let opened = sample.of(specified());
        let mut outputs = outputs(&opened).unwrap();
        if breaks {
            outputs.checks.checks.push(configuration::nothing_declared());
        }
        let handed = handed(HandbackFound::Missing, Vec::new());
        let judged = super::judged(&workshop(&sample, &redactor), &opened, &outputs, verdict, &handed);
        assert_eq!(judged.exit == 0, judged.document.status == CheckStatus::Pass);
        judged.exit
    };
    assert_eq!(exit(&verdict("PASS", 0), false), 0);
    assert_eq!(exit(&verdict("PASS", 0), true), 1);
    for (decision, code) in
        [("FAIL", 1), ("BLOCKED", 3), ("BLOCKED", 4), ("FAIL", 7), ("BLOCKED", 74), ("BLOCKED", 130)]
    {
        assert_eq!(exit(&verdict(decision, code), true), if code == 4 { 1 } else { code }, "{decision} {code}");
    }
    // Nothing ran although the stage asks for it, or decision and exit code disagree: no pass.
    for verdict in [Verdict::NotAsked, Verdict::Unknown, verdict("FAIL", 0), verdict("PASS", 1)] {
        assert_eq!(exit(&verdict, false), 1, "{verdict:?}");
    }
}

#[test]
fn what_was_found_is_in_the_log_once() {
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    let redactor = redactor();
    let found = |sample: &Sample| {
        let opened = sample.of(explore());
        let outputs = outputs(&opened).unwrap();
        record(&workshop(sample, &redactor), &opened, (&outputs, &outputs), &Verdict::NotAsked)
    };
    assert_eq!(found(&sample), None);
    assert_eq!(found(&sample), None);
    assert_eq!(sample.log_lines(), 2, "the same again is not written again");
    let opened = sample.of(explore());
    let kept = opened.history.stage(&opened.stage).validated.unwrap();
    assert!(kept.passed);
    assert_eq!(kept.outputs, outputs(&opened).unwrap().found);
    sample.remove("stages/explore/run/output-files/research-dossier.md");
    assert_eq!(found(&sample), None);
    assert_eq!(sample.log_lines(), 3);

    let before = outputs(&opened).unwrap();
    sample.write("stages/explore/run/output-data/findings.json", "{}");
    let after = outputs(&opened).unwrap();
    let told = record(&workshop(&sample, &redactor), &opened, (&before, &after), &verdict("PASS", 0));
    assert!(told.unwrap().contains("changed while"));
    assert_eq!(sample.log_lines(), 3, "a verdict about other outputs is not kept");
}

#[test]
fn what_cannot_be_written_is_told_and_the_answer_stands() {
    let redactor = redactor();
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    let opened = sample.of(explore());
    let outputs = outputs(&opened).unwrap();
    let told =
        |workshop: &Workshop<'_>, opened: &Opened| record(workshop, opened, (&outputs, &outputs), &Verdict::NotAsked);
    let stateless = Workshop { state: None, ..workshop(&sample, &redactor) };
    assert!(told(&stateless, &opened).unwrap().contains("state directory"));
    // The stage was changed after it was opened.
    sample.log("explore", 1, StageChange::Accepted { inputs: BTreeMap::new(), repeated: false });
    assert!(told(&workshop(&sample, &redactor), &opened).unwrap().contains("changed while"));
    let unknown = Opened::open(&sample.run, opened.stage.clone(), None, |_, _| Configuration::Absent).unwrap();
    assert!(told(&workshop(&sample, &redactor), &unknown).unwrap().contains("cannot be used"));
    let bare = Sample::bare();
    assert_eq!(told(&workshop(&bare, &redactor), &bare.of(explore())), None, "it is told with the checks");
}

#[test]
fn no_secret_is_told() {
    let secret = "hunter2-hunter2-hunter2";
    let redactor = Redactor::new(vec![("API_TOKEN".to_owned(), secret.to_owned())], Vec::new());
    let sample = Sample::bare();
    sample.write("stages/explore/schemas/a.json", r#"{"properties": {"id": {"type": "integer"}}}"#);
    sample.write("stages/explore/run/output-data/a.json", json!({ "id": secret }).to_string());
    sample.write("stages/explore/run/output-data/b.json", json!({ "deep": [{ "id": secret }] }).to_string());
    let stage = Stage {
        data: vec![output("run/output-data/a.json", Some("schemas/a.json")), output("run/output-data/b.json", None)],
        output_parameters: vec![publishes("deep", "run/output-data/b.json", "deep")],
        ..stage("explore")
    };
    let opened = sample.of(stage);
    let outputs = outputs(&opened).unwrap();
    let handed = handed(HandbackFound::Invalid(vec![format!("{secret:?} is not known")]), Vec::new());
    let judged = super::judged(&workshop(&sample, &redactor), &opened, &outputs, &Verdict::NotAsked, &handed);
    let text = serde_json::to_string(&judged.document).unwrap();
    assert!(!text.contains(secret), "{text}");
    assert_eq!(judged.document.checks.failed().count(), 2);
}

#[test]
fn a_schema_that_was_another_one_when_it_was_read_fails() {
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN);
    let (opened, stage) = (sample.of(explore()), explore());
    let scene = observation::scene(&opened);
    let reading = Reading::new(&opened, &stage, &scene);
    let path = StagePath::parse("schemas/findings.schema.json").unwrap();
    let composed = std::fs::read(sample.path("stages/explore/schemas/findings.schema.json")).unwrap();
    let mut checks = Checks::default();
    reading.hold_to_composition(&path, &composed, &mut checks);
    assert_eq!(checks.checks.len(), 0);
    for _ in 0..2 {
        reading.hold_to_composition(&path, b"true", &mut checks);
    }
    assert_eq!(checks.failed().map(|(check, _)| check.kind).collect::<Vec<_>>(), [CheckKind::AsComposed]);
}
