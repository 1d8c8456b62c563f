//! The short form: what its keys come to, and what is said where they are wrong.
//!
//! Whole documents lie in `valid` and `invalid`; here is what does not show in a snapshot at a glance.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests make the files that they load")]

use referee_model::plan::http::{Assertion, JsonExpectation, TextExpectation};
use referee_model::plan::interaction::Transaction;
use referee_model::plan::service::{Port, Probe};
use referee_model::plan::{
    Action, FileContent, FileExpectation, HttpRequest, Interaction, Invocation, Plan, SchemaSource, Service, StepOrder,
    Work,
};
use referee_spec::complaint::{Complaint, Level, render_plain};
use referee_spec::error::SpecError;
use referee_spec::plan::{Loaded, Options, load};

fn load_text(text: &str) -> Result<Loaded, SpecError> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("referee.yaml");
    std::fs::write(&file, text).unwrap();
    load(&file, &Options::default())
}

fn loaded(text: &str) -> (Plan, Vec<Complaint>) {
    match load_text(text) {
        Ok(Loaded { mut suite, warnings }) => (suite.tasks.remove(0), warnings),
        Err(SpecError::Complaints(complaints)) => {
            panic!("{text}\n{}", complaints.iter().map(render_plain).collect::<String>())
        }
        Err(other) => panic!("{other}"),
    }
}

fn complaints(text: &str) -> Vec<Complaint> {
    match load_text(text) {
        Ok(loaded) => loaded.warnings,
        Err(SpecError::Complaints(complaints)) => complaints,
        Err(other) => panic!("{other}"),
    }
}

fn action<'a>(plan: &'a Plan, id: &str) -> &'a Action {
    plan.actions.iter().find(|action| action.id.as_str() == id).unwrap_or_else(|| panic!("{id} is there"))
}

fn needs(plan: &Plan, id: &str) -> Vec<String> {
    action(plan, id).needs.iter().map(ToString::to_string).collect()
}

fn request<'a>(plan: &'a Plan, id: &str) -> &'a HttpRequest {
    match &action(plan, id).work {
        Work::Http(request) => request,
        other => panic!("{id} is {other:?}"),
    }
}

fn service<'a>(plan: &'a Plan, id: &str) -> &'a Service {
    match &action(plan, id).work {
        Work::Service(service) => service,
        other => panic!("{id} is {other:?}"),
    }
}

fn late(plan: &Plan, id: &str) -> Vec<(String, String)> {
    let environment = match &action(plan, id).work {
        Work::Command(command) => &command.late_environment,
        Work::Service(service) => &service.command.as_ref().unwrap().late_environment,
        other => panic!("{id} is {other:?}"),
    };
    environment.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn what_is_expected_is_filled_in_wherever_the_full_form_fills_it_in() {
    let (plan, warnings) = loaded(
        r#"
env: { V: 2 }
checks:
  a:
    http: "http://localhost/v${V}"
    json: { $.a: "v${V}", $.b: { matches: "^[$]{2}${V}" }, $.c: { equals: [{ x: "${V}" }] } }
    header: { X: { contains: "${V}" } }
    contains: "=${V}"
    matches: "v${V}[$][{]NAME}$"
    schema: { enum: ["${V}"] }
  b: { file: a.txt, contains: "v${V}", matches: "^v${V}$", schema: { const: "${V}" } }
"#,
    );
    assert!(warnings.is_empty());
    let expected = FileContent {
        contains: vec!["v2".to_owned()],
        matches: vec!["^v2$".to_owned()],
        schema: Some(SchemaSource::Inline(r#"{"const":"2"}"#.to_owned())),
        ..FileContent::default()
    };
    let Work::File(file) = &action(&plan, "STEP.2").work else { panic!("it is a file") };
    assert_eq!(file.expectation, FileExpectation::Present(expected));
    let request = request(&plan, "STEP.1");
    assert_eq!(request.url.as_plain(), Some("http://localhost/v2"));
    assert_eq!(
        request.assertions,
        [
            Assertion::JsonPath { path: "$.a".to_owned(), expectation: JsonExpectation::Equals("\"v2\"".to_owned()) },
            Assertion::JsonPath {
                path: "$.b".to_owned(),
                expectation: JsonExpectation::Matches("^[$]{2}2".to_owned())
            },
            Assertion::JsonPath {
                path: "$.c".to_owned(),
                expectation: JsonExpectation::Equals(r#"[{"x":"2"}]"#.to_owned()),
            },
            Assertion::Header { name: "X".to_owned(), expectation: TextExpectation::Contains("2".to_owned()) },
            Assertion::ContainsText("=2".to_owned()),
            Assertion::MatchesRegex("v2[$][{]NAME}$".to_owned()),
            Assertion::JsonSchema(SchemaSource::Inline(r#"{"enum":["2"]}"#.to_owned())),
        ]
    );
}

#[test]
fn a_body_is_json_in_the_order_in_which_it_is_written_or_text() {
    for (written, sent) in [
        (r#"{ b: "${V}", a: [1, 2.50, null] }"#, r#"{"b":"a\"b","a":[1,2.5,null]}"#),
        ("[]", "[]"),
        (r#""say ${V}""#, "say a\"b"),
        ("''", ""),
    ] {
        let text =
            format!("env: {{ V: 'a\"b' }}\nchecks: {{ a: {{ http: \"http://a\", method: POST, body: {written} }} }}");
        let (plan, _) = loaded(&text);
        let body = request(&plan, "STEP.1").body.clone().unwrap();
        assert_eq!(body.content.as_plain(), Some(sent), "{written}");
    }
}

#[test]
fn who_uses_a_captured_value_needs_who_captures_it() {
    let (plan, warnings) = loaded(
        r#"
prerequisites:
  login: { http: "http://a/login", capture: { token: $.token } }
checks:
  make: { http: "http://a/make", headers: { A: "${token}" }, capture: { id: $.id } }
  read: { http: "http://a/${id}" }
  body: { http: "http://a/", method: POST, body: { a: ["${id}"] } }
  env: { argv: [x], env: { ID: "${id}", URL: "a/${ID}" } }
  line: 'x "$id" "${token:-}"'
  none: 'x $ids'
cleanup:
  remove: { http: "http://a/${id}", method: DELETE }
"#,
    );
    assert!(warnings.is_empty());
    for (id, expected) in [
        ("PREREQ.1", vec![]),
        ("STEP.1", vec!["PREREQ.1"]),
        ("STEP.2", vec!["STEP.1"]),
        ("STEP.3", vec!["STEP.1"]),
        ("STEP.4", vec!["STEP.1"]),
        ("STEP.5", vec!["STEP.1", "PREREQ.1"]),
        ("STEP.6", vec![]),
        ("CLEANUP.1", vec!["STEP.1"]),
    ] {
        let mut needs = needs(&plan, id);
        let mut expected = expected;
        needs.sort();
        expected.sort_unstable();
        assert_eq!(needs, expected, "{id}");
    }
    assert_eq!(late(&plan, "STEP.4"), [pair("ID", "${id}"), pair("URL", "a/${id}")]);
    assert_eq!(late(&plan, "STEP.5"), [pair("id", "${id}"), pair("token", "${token}")]);
    assert_eq!(late(&plan, "STEP.6"), []);
    let body = request(&plan, "STEP.3").body.as_ref().unwrap();
    assert_eq!(body.content.to_string(), r#"{"a":["${id}"]}"#);
    assert!(request(&plan, "PREREQ.1").captures[0].secret);
    assert!(!request(&plan, "STEP.1").captures[0].secret);
    assert_eq!(plan.step_order, StepOrder::Free);
}

#[test]
fn a_check_of_the_same_name_between_the_two_is_not_taken_for_the_one_that_captures() {
    let (plan, _) = loaded(
        r#"
prerequisites: { login: { http: "http://a/login", capture: { t: $.t } } }
checks: { login: { http: "http://a/${t}" }, use: { http: "http://a/${t}" } }
"#,
    );
    assert_eq!(needs(&plan, "STEP.1"), Vec::<String>::new());
    assert_eq!(needs(&plan, "STEP.2"), Vec::<String>::new());
}

#[test]
fn a_free_port_has_a_long_name_and_a_short_one_where_it_is_the_only_one() {
    let (plan, warnings) = loaded(
        r#"
services:
  web: { run: 'serve --port $PORT', port: auto, ready: "http://localhost:${PORT}/", env: { SELF: "http://localhost:${PORT}" } }
checks:
  short: { http: "http://localhost:${PORT}/" }
  long: { http: "http://localhost:${services.web.port}/" }
  line: curl localhost:$PORT
  other: curl localhost
  argv: { argv: [x], env: { URL: "http://localhost:${PORT}" } }
"#,
    );
    assert!(warnings.is_empty());
    let web = service(&plan, "SERVICE.1");
    assert!(matches!(&web.port, Some(Port::Auto(name)) if name.as_str() == "services.web.port"));
    assert!(
        matches!(&web.ready[..], [Probe::Url { url, .. }] if url.to_string() == "http://localhost:${services.web.port}/")
    );
    assert_eq!(needs(&plan, "SERVICE.1"), Vec::<String>::new());
    for id in ["STEP.1", "STEP.2"] {
        assert_eq!(request(&plan, id).url.to_string(), "http://localhost:${services.web.port}/");
        assert_eq!(needs(&plan, id), ["SERVICE.1"]);
    }
    assert_eq!(late(&plan, "STEP.3"), [pair("PORT", "${services.web.port}")]);
    assert_eq!(late(&plan, "STEP.4"), []);
    assert_eq!(late(&plan, "STEP.5"), [pair("URL", "http://localhost:${services.web.port}")]);
    assert_eq!(needs(&plan, "STEP.5"), ["SERVICE.1"]);
}

#[test]
fn a_variable_called_port_is_not_taken_away() {
    let (plan, _) = loaded(
        r#"
env: { PORT: 9 }
services:
  web: { run: serve, port: auto, ready: "http://localhost:${PORT}/" }
checks: { a: { http: "http://localhost:${PORT}/" }, b: "curl localhost:$PORT" }
"#,
    );
    let ready = &service(&plan, "SERVICE.1").ready;
    assert!(matches!(&ready[..], [Probe::Url { url, .. }] if url.captured().count() == 1));
    assert_eq!(request(&plan, "STEP.1").url.as_plain(), Some("http://localhost:9/"));
    assert_eq!(late(&plan, "STEP.2"), []);
}

#[test]
fn the_port_of_a_service_is_told_from_what_is_said_of_it() {
    for (written, port, ready, external, warnings) in [
        ("run: x, ready: \"http://localhost:3000/h\"", Some(3000), 1, false, 0),
        ("run: x, ready: \"http://other.test:3000/h\"", None, 1, false, 0),
        ("run: x, ready: { port: 3000 }", Some(3000), 1, false, 0),
        ("run: x, ready: { port: 3000, host: other.test }", None, 1, false, 0),
        ("run: x, ready: { port: 3000, host: 127.0.0.1 }", Some(3000), 1, false, 0),
        ("run: x, ready: [{ output: up }, \"http://[::1]:3000/h\"]", Some(3000), 2, false, 0),
        ("run: x, port: 4000, ready: \"http://localhost:3000/h\"", Some(4000), 1, false, 0),
        ("run: x, port: 4000", Some(4000), 1, false, 0),
        ("run: x, port: 4000, external: true", Some(4000), 1, true, 0),
        ("run: x", None, 0, false, 1),
        ("ready: \"http://localhost:3000/h\"", None, 1, true, 0),
        ("port: 3000", None, 1, true, 0),
    ] {
        let (plan, found) = loaded(&format!("services: {{ web: {{ {written} }} }}\nchecks: {{ a: echo }}"));
        let web = service(&plan, "SERVICE.1");
        assert_eq!(web.port, port.map(Port::Fixed), "{written}");
        assert_eq!((web.ready.len(), web.external, found.len()), (ready, external, warnings), "{written}");
        assert_eq!(web.command.is_some(), written.starts_with("run"), "{written}");
        assert_eq!(action(&plan, "SERVICE.1").timeout_ms, 30_000);
    }
}

#[test]
fn conditions_name_checks_by_name_before_tools() {
    let (plan, _) = loaded(
        r"
prerequisites: { unit: echo }
services: { web: { run: x, port: 1 } }
checks: { unit: npx jest, eslint: npx eslint . }
conditions:
  - unit.exitCode === 0
  - { condition: eslint.errorCount === 0 && tsc.errorCount === 0, description: clean }
  - exitCode === 0
  - web.success
",
    );
    let shown: Vec<(&str, &str)> = plan
        .criteria
        .success
        .iter()
        .map(|condition| (condition.text.as_str(), condition.description.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            ("STEP.1.exitCode === 0", "unit.exitCode === 0"),
            ("STEP.2.errorCount === 0 && tsc.errorCount === 0", "clean"),
            ("exitCode === 0", "exitCode === 0"),
            ("SERVICE.1.success", "web.success"),
        ]
    );
    for condition in &plan.criteria.success {
        assert_eq!(referee_model::condition::parse(&condition.text).as_ref(), Ok(&condition.expression));
    }
}

#[test]
fn a_path_with_the_characters_of_a_pattern_is_one_unless_it_is_said_otherwise() {
    for (written, glob) in [
        ("file: dist/a.js", false),
        ("file: 'dist/*.js'", true),
        ("file: 'app/[id]/page.tsx'", true),
        ("file: 'app/[id]/page.tsx', glob: false", false),
        ("file: '{a,b}.txt', glob: true", true),
    ] {
        let (plan, _) = loaded(&format!("checks: {{ a: {{ {written} }} }}"));
        let Work::File(check) = &action(&plan, "STEP.1").work else { panic!("a file check") };
        assert_eq!(check.glob, glob, "{written}");
    }
}

#[test]
fn evidence_that_is_turned_off_is_not_required() {
    for (written, required) in [
        ("a: npm test", 1),
        ("a: { run: npm test, evidence: { stdout: false } }", 1),
        ("a: { run: npm test, evidence: { stdout: false, stderr: false } }", 0),
        ("a: { http: 'http://a' }", 0),
    ] {
        let (plan, _) = loaded(&format!("checks: {{ {written} }}"));
        assert_eq!(plan.completion.required_evidence.len(), required, "{written}");
    }
}

#[test]
fn a_shell_line_is_left_as_it_is() {
    let line = "echo ${token} ${A:-b} $PORT";
    let (plan, _) = loaded(&format!("checks: {{ a: {{ http: 'http://a', capture: {{ token: $.t }} }}, b: '{line}' }}"));
    let Work::Command(command) = &action(&plan, "STEP.2").work else { panic!("a command") };
    assert!(matches!(&command.invocation, Invocation::Shell { line: found, .. } if found == line));
    assert_eq!(late(&plan, "STEP.2"), [pair("token", "${token}")]);
}

#[test]
fn a_shell_is_given_the_built_ins_that_its_line_mentions() {
    let text = r#"
checks:
  root: test ! -e "${WORKSPACE_ROOT}/bad.txt"
  base: curl $API_BASE_URL/a
  own: { run: 'ls $WORKSPACE_ROOT', env: { WORKSPACE_ROOT: /elsewhere } }
  default: curl ${API_BASE_URL:-http://localhost:4000}
  none: echo WORKSPACE_ROOT
"#;
    let (plan, _) = loaded(text);
    let given = |id: &str| match &action(&plan, id).work {
        Work::Command(command) => command.environment.clone().into_iter().collect::<Vec<_>>(),
        other => panic!("{id} is {other:?}"),
    };
    let workspace = plan.workspace.to_string_lossy();
    assert_eq!(given("STEP.1"), [pair("WORKSPACE_ROOT", &workspace)]);
    assert_eq!(given("STEP.2"), [pair("API_BASE_URL", "http://localhost:3000")]);
    assert_eq!(given("STEP.3"), [pair("WORKSPACE_ROOT", "/elsewhere")]);
    assert_eq!(given("STEP.4"), []);
    assert_eq!(given("STEP.5"), []);
}

#[test]
fn the_output_that_tells_that_a_service_is_ready_is_not_any_output() {
    for (pattern, errors) in [("ready", 0), ("(ready)?", 1), (".*", 1)] {
        let found = complaints(&format!(
            "checks: {{ a: echo }}\nservices: {{ web: {{ run: serve, ready: {{ output: '{pattern}' }} }} }}"
        ));
        assert_eq!(found.len(), errors, "{pattern}: {found:?}");
    }
}

#[test]
fn exit_codes_are_for_roles_that_count_them() {
    for (role, warnings) in [("lint", 1), ("typecheck", 1), ("format", 1), ("compile", 1), ("test", 0), ("other", 0)] {
        let text = format!("checks: {{ a: {{ run: x, role: {role}, expectedExitCodes: [1] }} }}");
        assert_eq!(loaded(&text).1.len(), warnings, "{role}");
    }
    assert_eq!(loaded("checks: { a: { run: npx eslint ., expectedExitCodes: [1] } }").1, []);
}

#[test]
fn many_captures_and_many_users_load() {
    let mut text = String::from("checks:\n");
    for index in 0..2_000 {
        use std::fmt::Write as _;
        writeln!(text, "  a{index}: {{ http: 'http://a', capture: {{ v{index}: $.a }} }}").unwrap();
        writeln!(text, "  b{index}: {{ http: 'http://a/${{v{index}}}', needs: a0 }}").unwrap();
    }
    let (plan, _) = loaded(&text);
    assert_eq!(plan.actions.len(), 4_000);
    assert_eq!(needs(&plan, "STEP.4000"), ["STEP.1", "STEP.3999"]);
}

#[test]
fn what_runs_on_is_declared_elsewhere() {
    let complaints =
        complaints("checks: { a: { run: npm start, background: true }, b: { run: x, background: false } }");
    let [complaint] = &complaints[..] else { panic!("{complaints:?}") };
    assert_eq!(complaint.suggestion.as_deref(), Some("declare it under `services`"));
    assert_eq!(complaint.pointer, "/checks/a/background");
}

#[test]
fn reports_are_files_of_the_workspace_and_no_inputs() {
    let reports = |text: &str| {
        let suite = load_text(text).unwrap().suite;
        let outputs = suite.tasks[0].guard.outputs.clone();
        let reports = suite.reports.into_iter().map(|report| (report.format, report.path.as_str().to_owned()));
        (reports.collect::<Vec<_>>(), outputs)
    };
    let (written, outputs) =
        reports("checks: { a: 'true' }\noutputs: [dist]\nreport: { junit: ./out/junit.xml, html: report.html }\n");
    assert_eq!(written, [pair("junit", "out/junit.xml"), pair("html", "report.html")]);
    assert_eq!(outputs, ["dist", "out/junit.xml", "report.html"]);
    let (written, _) = reports("checks: { a: 'true' }\nreport: [{ tap: a.tap }, { tap: b.tap, json: c.json }]\n");
    assert_eq!(written, [pair("tap", "a.tap"), pair("tap", "b.tap"), pair("json", "c.json")]);
    assert_eq!(reports("checks: { a: 'true' }\n"), (Vec::new(), Vec::new()));

    for (report, code) in [
        ("{ junit: ../junit.xml }", "leaves-workspace"),
        ("{ junit: /tmp/junit.xml }", "leaves-workspace"),
        ("{ junit: . }", "leaves-workspace"),
        ("{ junit: evidence }", "evidence-directory"),
        ("{ junit: ./evidence/T001/junit.xml }", "evidence-directory"),
        ("{ junit: .git/config }", "evidence-directory"),
        ("{ junit: .referee/waivers/x.json }", "evidence-directory"),
        ("{ junit: a.xml, html: ./a.xml }", "duplicate-name"),
        ("{ pdf: a.pdf }", "wrong-name"),
        ("{ junit: '*.xml' }", "wrong-text"),
        ("{ junit: '' }", "wrong-text"),
        ("{ junit: [a.xml] }", "wrong-type"),
        ("{}", "too-few"),
        ("[]", "too-few"),
        ("[{}]", "too-few"),
        ("junit.xml", "wrong-type"),
    ] {
        let text = format!("checks: {{ a: 'true' }}\nreport: {report}\n");
        let complaints = complaints(&text);
        let codes: Vec<&str> = complaints.iter().map(|complaint| complaint.code.id()).collect();
        assert_eq!(codes, [code], "{report}: {}", complaints.iter().map(render_plain).collect::<String>());
    }
    // What only begins like the evidence directory is not in it.
    assert_eq!(reports("checks: { a: 'true' }\nreport: { junit: evidence.xml }\n").0, [pair("junit", "evidence.xml")]);
}

#[test]
fn a_check_in_a_browser_is_one_action_whatever_its_steps() {
    let (plan, warnings) = loaded(
        r##"
checks:
  page: { browser: "http://a/", steps: [{ click: "#a" }, { see: b, timeout: 2s }], stepTimeout: 1s, timeout: 9s }
  bare: { browser: "http://a/" }
"##,
    );
    assert!(warnings.is_empty());
    assert_eq!(plan.actions.len(), 2);
    let (page, bare) = (action(&plan, "STEP.1"), action(&plan, "STEP.2"));
    assert_eq!((page.name.as_str(), page.timeout_ms), ("page", 9_000));
    let commands = |action: &Action| -> Vec<(String, u64)> {
        let Work::Interaction(interaction) = &action.work else { panic!("it is an interaction") };
        let Interaction::Browser(browser) = interaction.as_ref() else { panic!("it is a browser") };
        browser.commands.iter().map(|command| (command.operation.as_line(), command.wait_ms)).collect()
    };
    let told = |line: &str, wait_ms| (line.to_owned(), wait_ms);
    assert_eq!(commands(page), [told("open http://a/", 1_000), told("click #a", 1_000), told("see \"b\"", 2_000)]);
    assert_eq!(commands(bare), [told("open http://a/", 30_000)]);
}

#[test]
fn the_time_of_a_query_is_that_of_its_statement_and_changes_are_undone_unless_it_reads_or_says_otherwise() {
    for (written, statement_ms, action_ms, transaction) in [
        ("sql: SELECT 1", 30_000, 300_000, Transaction::ReadOnly),
        ("sql: with a as (select 1) select * from a, timeout: 2s", 2_000, 2_000, Transaction::ReadOnly),
        ("sql: DELETE FROM a, timeout: 10m", 600_000, 600_000, Transaction::Rollback),
        ("sql: DELETE FROM a, mode: commit", 30_000, 300_000, Transaction::Commit),
        ("sqlFile: a.sql", 30_000, 300_000, Transaction::Rollback),
        ("sqlFile: a.sql, mode: read-only", 30_000, 300_000, Transaction::ReadOnly),
    ] {
        let (plan, warnings) = loaded(&format!("checks: {{ a: {{ {written}, database: \"sqlite:a.db\" }} }}"));
        assert!(warnings.is_empty(), "{written}");
        let asked = action(&plan, "STEP.1");
        let Work::Interaction(interaction) = &asked.work else { panic!("{written}") };
        let Interaction::Query(query) = interaction.as_ref() else { panic!("{written}") };
        assert_eq!((query.statement_timeout_ms, asked.timeout_ms), (statement_ms, action_ms), "{written}");
        assert_eq!((query.transaction, query.connect_timeout_ms), (transaction, 5_000), "{written}");
    }
}

#[test]
fn a_captured_value_goes_into_statements_and_pages_and_into_no_container() {
    let captured = |check: &str| {
        format!("checks:\n  make: {{ http: \"http://a/\", capture: {{ id: $.id }} }}\n  use: {{ {check} }}\n")
    };
    for check in [
        r#"sql: "SELECT ${id}", database: "sqlite:a.db""#,
        r#"sql: SELECT 1, database: "postgres://localhost/${id}""#,
        r#"browser: "http://a/${id}""#,
        r#"browser: "http://a/", steps: [{ see: "no ${id}" }]"#,
        r##"browser: "http://a/", steps: [{ fill: { "#a": "${id}" } }]"##,
        r#"browser: "http://a/", steps: [{ evaluate: "f(${id})" }]"#,
    ] {
        let (plan, warnings) = loaded(&captured(check));
        assert!(warnings.is_empty(), "{check}");
        assert_eq!(needs(&plan, "STEP.2"), ["STEP.1"], "{check}");
    }
    for check in [
        r#"docker: run, image: "${id}""#,
        r#"docker: run, image: a, env: { ID: "${id}" }"#,
        r#"docker: run, image: a, command: ["${id}"]"#,
        r#"browser: "http://a/", steps: [{ click: "${id}" }]"#,
        r#"sql: SELECT 1, database: "sqlite:a.db", contains: "${id}""#,
        r#"sqlFile: "${id}.sql", database: "sqlite:a.db""#,
    ] {
        let complaints = complaints(&captured(check));
        assert!(complaints.iter().any(|complaint| complaint.level == Level::Error), "{check}");
    }
}
