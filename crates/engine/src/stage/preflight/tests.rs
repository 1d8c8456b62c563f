use std::collections::BTreeMap;

use referee_model::stage::log::StageChange;
use referee_model::stage::path::PathReference;

use super::*;
use crate::stage::validation::sample::{COMPOSED, Sample, WRITTEN, explore, id, specify, stage};

fn checks_of(opened: &Opened) -> Checks {
    look(opened).unwrap().checks
}

/// Returns the failed checks: kind and path.
fn failed(checks: &Checks) -> Vec<(&'static str, &str)> {
    checks.failed().map(|(check, _)| (check.kind.as_str(), check.path.as_str())).collect()
}

const DESCRIPTION: (&str, &str) = ("stages/explore/inputs/user-description.md", "find out\n");

/// Returns a sample whose first stage is completed, with the second prepared from it.
fn prepared() -> Sample {
    let sample = Sample::composed(&COMPOSED).with(&WRITTEN).with(&[DESCRIPTION]);
    sample.write(
        "stages/explore/run/output-data/output-params.json",
        r#"{"stage_id": "explore", "published_at": "2026-01-19T05:31:48+00:00", "parameters": {"total_findings": 15}}"#,
    );
    finalize(&sample, 1);
    sample.write("stages/specify/inputs/research-dossier.md", WRITTEN[0].1);
    sample.write("stages/specify/inputs/findings.json", WRITTEN[2].1);
    sample.write("stages/specify/inputs/params.json", r#"{"total": 15, "first": "IA-01"}"#);
    prepare(&sample, 1);
    sample
}

const PUBLISHED: [&str; 3] =
    ["run/output-files/research-dossier.md", "run/output-data/findings.json", "run/output-data/output-params.json"];

fn finalize(sample: &Sample, attempt: u32) {
    let inputs = sample.digests("explore", &["inputs/user-description.md"]);
    sample.log("explore", attempt, StageChange::Accepted { inputs, repeated: attempt > 1 });
    let outputs = sample.digests("explore", &PUBLISHED);
    sample.log("explore", attempt, StageChange::Finalized { handback: None, outputs });
}

fn prepare(sample: &Sample, attempt: u32) {
    let inputs = sample.digests("specify", &["inputs/research-dossier.md", "inputs/findings.json"]);
    let sources = BTreeMap::from([(id("explore"), attempt)]);
    sample.log("specify", 0, StageChange::Prepared { sources, inputs });
}

/// PF-01.
#[test]
fn a_stage_that_has_all_it_needs_passes() {
    let sample = Sample::composed(&COMPOSED).with(&[DESCRIPTION]);
    let checks = checks_of(&sample.of(explore()));
    let names: Vec<&str> = checks.checks.iter().map(|check| check.kind.as_str()).collect();
    assert_eq!(
        names,
        [
            "config_exists",
            "config_valid",
            "path_security",
            "path_security",
            "path_security",
            "prompt_exists",
            "prompt_not_empty",
            "prompt_exists",
            "prompt_not_empty",
            "input_exists",
            "input_not_empty",
            "accept_present",
        ]
    );
    assert_eq!(checks.result_line(), "Result: PASS (12 checks, 0 errors)");
    assert_eq!(checks.warnings, Vec::<String>::new());

    let sample = prepared();
    let checks = checks_of(&sample.of(specify()));
    assert_eq!(failed(&checks), []);
    let last: Vec<&str> = checks.checks.iter().rev().take(6).rev().map(|check| check.kind.as_str()).collect();
    assert_eq!(
        last,
        [
            "source_finalized",
            "input_source_exists",
            "input_source_exists",
            "param_resolved",
            "param_resolved",
            "accept_present"
        ]
    );
}

/// PF-02, PF-03, PF-05.
#[test]
fn everything_that_is_wrong_in_the_stages_own_directory_is_told_at_once() {
    let sample = Sample::bare().with(&[("stages/explore/prompt/wf.md", ""), ("stages/explore/inputs/empty.md", "")]);
    let mut explore = explore();
    let mut input = |path: &str| {
        explore.inputs.push(Input { path: PathReference::new(path), ..explore.inputs[0].clone() });
    };
    input("inputs/empty.md");
    input("../../secret");
    let checks = checks_of(&sample.of(explore));
    assert_eq!(
        failed(&checks),
        [
            ("path_security", "../../secret"),
            ("prompt_not_empty", "prompt/wf.md"),
            ("prompt_exists", "prompt/main.md"),
            ("input_exists", "inputs/user-description.md"),
            ("input_not_empty", "inputs/empty.md"),
        ]
    );
    assert!(checks.failed().all(|(_, failure)| !failure.action.is_empty()));
}

/// PF-04.
#[test]
fn without_a_configuration_nothing_passes() {
    let sample = Sample::bare();
    for (configuration, expected) in [
        (Configuration::Absent, "config_exists"),
        (Configuration::Broken(Vec::new()), "config_valid"),
        (Configuration::Read(Box::new(stage("specify"))), "config_valid"),
    ] {
        let checks = checks_of(&sample.open("explore", configuration));
        assert_eq!(failed(&checks), [(expected, "stage-config.yaml")]);
    }
}

#[test]
fn a_link_out_of_the_directory_is_no_input_and_no_prompt() {
    let sample = Sample::bare().with(&[DESCRIPTION, ("stages/explore/prompt/wf.md", "how"), ("secret", "x")]);
    sample.link("stages/explore/prompt/main.md", &sample.path("secret"));
    let checks = checks_of(&sample.of(explore()));
    assert_eq!(failed(&checks), [("path_security", "prompt/main.md")]);
}

/// PF-06.
#[test]
fn a_source_that_is_not_done_by_the_log_is_none() {
    let sample = prepared();
    sample.log("explore", 2, StageChange::Accepted { inputs: BTreeMap::new(), repeated: true });
    assert_eq!(failed(&checks_of(&sample.of(specify()))), [("source_finalized", "explore")]);
    finalize_again(&sample);
    let checks = checks_of(&sample.of(specify()));
    assert_eq!(failed(&checks), [("source_finalized", "explore")], "prepared from the attempt before");
    prepare(&sample, 2);
    assert_eq!(failed(&checks_of(&sample.of(specify()))), []);

    // The same files without a log: whether the source is completed is unknown.
    let sample = Sample::bare().with(&[
        ("stages/specify/prompt/wf.md", "how"),
        ("stages/specify/prompt/main.md", "what"),
        ("stages/specify/inputs/research-dossier.md", "x"),
        ("stages/specify/inputs/findings.json", "{}"),
    ]);
    let checks = checks_of(&sample.of(specify()));
    assert_eq!(failed(&checks), [("source_finalized", "explore")]);
    assert!(checks.failed().next().unwrap().0.message.contains("wf-log.jsonl"));
}

fn finalize_again(sample: &Sample) {
    let outputs = sample.digests("explore", &PUBLISHED);
    sample.log("explore", 2, StageChange::Finalized { handback: None, outputs });
}

/// PF-07.
#[test]
fn what_was_published_must_be_there_as_it_was_published_and_taken() {
    type Meddle = fn(&Sample);
    let cases: [(Meddle, &[(&str, &str)]); 7] = [
        (
            |sample| sample.remove("stages/explore/run/output-files/research-dossier.md"),
            &[("input_source_exists", "inputs/research-dossier.md")],
        ),
        (
            |sample| sample.write("stages/explore/run/output-data/findings.json", "{}"),
            &[("input_source_exists", "inputs/findings.json"), ("param_resolved", "first")],
        ),
        (
            |sample| sample.write("stages/specify/inputs/findings.json", "{}"),
            &[("input_source_exists", "inputs/findings.json")],
        ),
        (|sample| sample.remove("stages/explore/run/output-data/output-params.json"), &[("param_resolved", "total")]),
        (
            |sample| sample.write("stages/specify/inputs/params.json", r#"{"total": 16}"#),
            &[("param_resolved", "total"), ("param_resolved", "first")],
        ),
        (
            |sample| sample.write("stages/specify/inputs/params.json", "[]"),
            &[("param_resolved", "total"), ("param_resolved", "first")],
        ),
        (
            |sample| sample.remove("stages/specify/inputs/params.json"),
            &[("param_resolved", "total"), ("param_resolved", "first")],
        ),
    ];
    for (number, (meddle, expected)) in cases.into_iter().enumerate() {
        let sample = prepared();
        meddle(&sample);
        let checks = checks_of(&sample.of(specify()));
        assert_eq!(failed(&checks), expected, "case {number}");
    }
}

#[test]
fn inputs_stay_what_they_were_while_an_executor_has_control() {
    let sample = Sample::composed(&COMPOSED).with(&[DESCRIPTION]);
    let inputs = sample.digests("explore", &["inputs/user-description.md"]);
    sample.log("explore", 1, StageChange::Accepted { inputs, repeated: false });
    assert_eq!(failed(&checks_of(&sample.of(explore()))), []);
    sample.write(DESCRIPTION.0, "something else\n");
    assert_eq!(failed(&checks_of(&sample.of(explore()))), [("input_exists", "inputs/user-description.md")]);
    sample.log("explore", 1, StageChange::Finalized { handback: None, outputs: BTreeMap::new() });
    assert_eq!(failed(&checks_of(&sample.of(explore()))), [], "for another attempt they may be others");
}

#[test]
fn who_has_control_is_told_and_in_nobodys_way() {
    let sample = Sample::composed(&COMPOSED).with(&[DESCRIPTION]);
    let accept = "stages/explore/run/output-data/accept.json";
    let found = || {
        let found = look(&sample.of(explore())).unwrap();
        assert!(found.checks.is_pass());
        found.accept
    };
    assert_eq!(found(), AcceptFound::Absent);
    sample.write(accept, r#"{"state": "agent", "timestamp": "2026-01-19T05:31:48Z"}"#);
    assert!(matches!(found(), AcceptFound::Present(_)));
    for junk in ["", "[]", r#"{"state": "nobody", "timestamp": "2026-01-19T05:31:48Z"}"#] {
        sample.write(accept, junk);
        assert!(matches!(found(), AcceptFound::Invalid(_)), "{junk}");
    }
}
