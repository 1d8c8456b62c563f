//! Whole documents: what loads, what is complained about, and that the published schema says the same.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests make the files that they load")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use referee_model::plan::{Plan, Work};
use referee_spec::check::check;
use referee_spec::complaint::{Code, Complaint, Findings, Level, Stage, render_plain};
use referee_spec::error::SpecError;
use referee_spec::form::shape::Object;
use referee_spec::form::{FULL_FORM, SHORT_FORM};
use referee_spec::plan::{Loaded, Options, load};
use referee_syntax::tree::Node;

fn documents(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(directory);
    let mut files: Vec<PathBuf> = directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 5, "{} holds the documents", directory.display());
    files
}

fn name(file: &Path) -> String {
    file.file_name().unwrap().to_string_lossy().into_owned()
}

fn try_load(file: &Path) -> Result<Loaded, SpecError> {
    load(file, &Options::default())
}

fn load_text(text: impl AsRef<[u8]>) -> Result<Loaded, SpecError> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("referee.yaml");
    std::fs::write(&file, text).unwrap();
    try_load(&file)
}

fn complaints(result: Result<Loaded, SpecError>) -> Vec<Complaint> {
    match result {
        Ok(loaded) => loaded.warnings,
        Err(SpecError::Complaints(complaints)) => complaints,
        Err(other) => panic!("{other}"),
    }
}

fn rendered(complaints: &[Complaint]) -> String {
    let each = complaints.iter().map(|complaint| format!("{}at `{}`\n", render_plain(complaint), complaint.pointer));
    each.collect::<Vec<_>>().join("\n")
}

/// A plan without what differs from machine to machine.
fn shown(plan: &Plan) -> String {
    let text = format!("{plan:#?}");
    text.replace(&*plan.workspace.to_string_lossy(), "[workspace]").replace(env!("CARGO_MANIFEST_DIR"), "[crate]")
}

#[test]
fn valid_documents_load() {
    for file in documents("valid") {
        let loaded =
            try_load(&file).unwrap_or_else(|error| panic!("{}: {}", file.display(), rendered(&complaints(Err(error)))));
        assert!(loaded.warnings.iter().all(|complaint| complaint.level == Level::Warning));
        let text = format!(
            "{}\n{}",
            loaded.suite.tasks.iter().map(shown).collect::<Vec<_>>().join("\n"),
            rendered(&loaded.warnings)
        );
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("valid-{}", name(&file)), text);
        });
    }
}

#[test]
fn invalid_documents_are_complained_about() {
    let mut codes = BTreeSet::new();
    for file in documents("invalid") {
        let Err(SpecError::Complaints(complaints)) = try_load(&file) else { panic!("{} loads", file.display()) };
        assert!(complaints.iter().any(|complaint| complaint.level == Level::Error), "{}", file.display());
        codes.extend(complaints.iter().map(|complaint| complaint.code.id()));
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("invalid-{}", name(&file)), rendered(&complaints));
        });
    }
    for file in documents("valid") {
        codes.extend(complaints(try_load(&file)).iter().map(|complaint| complaint.code.id()));
    }
    // These need documents too large to lie in a directory; the tests below make them.
    let generated = [
        Code::TooLarge,
        Code::TooDeep,
        Code::TooManyValues,
        Code::TooManyActions,
        Code::TooManyTasks,
        Code::MoreComplaints,
    ];
    codes.extend(generated.map(Code::id));
    // Those of workflows have documents of their own.
    let of_specifications = Code::ALL.iter().filter(|code| code.stage() != Stage::Workflow);
    let missing: Vec<&str> = of_specifications.map(|code| code.id()).filter(|id| !codes.contains(id)).collect();
    assert!(missing.is_empty(), "no document for {missing:?}");
}

#[test]
fn the_schema_and_the_check_say_the_same() {
    let [short, full] = [referee_spec::form::schema(), referee_spec::form::full_schema()].map(|schema| {
        assert!(jsonschema::meta::is_valid(&schema));
        jsonschema::validator_for(&schema).unwrap()
    });
    for file in documents("valid").into_iter().chain(documents("invalid")) {
        let complaints = complaints(try_load(&file));
        let errors = || complaints.iter().filter(|complaint| complaint.level == Level::Error);
        // What cannot be read is no JSON value, and a document of another form is not meant for this schema.
        if errors().any(|complaint| complaint.code.stage() == Stage::Reading || complaint.code == Code::OtherForm) {
            continue;
        }
        let by_check = errors().all(|complaint| complaint.code.stage() != Stage::Shape);
        let validator = if name(&file).starts_with("full-") { &full } else { &short };
        let by_schema = validator.is_valid(&json(&tree(&file)));
        assert_eq!(by_check, by_schema, "{}: {}", file.display(), rendered(&complaints));
    }
}

fn tree(file: &Path) -> Node {
    let mut findings = Findings::default();
    let source = referee_spec::read::source("", &std::fs::read(file).unwrap(), &mut findings);
    referee_spec::read::tree(&source, &mut findings).unwrap()
}

fn json(node: &Node) -> serde_json::Value {
    referee_syntax::json::value(node, &mut Vec::new())
}

/// Changes one valid document of each form in every place, and asks schema and check about each.
#[test]
fn the_schema_and_the_check_say_the_same_of_every_value_exchanged() {
    let others = serde_json::json!([
        null, true, 0, -1, 2.5, "", "x", "60s", "T001", [], ["a"], [1], {}, { "run": "x" }, { "x-a": 1 }
    ]);
    for document in ["everything.yaml", "interactions.yaml"] {
        exchange(document, &SHORT_FORM, &referee_spec::form::schema(), others.as_array().unwrap());
    }
}

#[test]
fn the_schema_and_the_check_say_the_same_of_every_value_exchanged_in_the_full_form() {
    let others = serde_json::json!([
        null, true, 0, 2.5, "", "x", "STEP.1", "EXISTS", "HTTP_REQUEST", "TERMINAL_COMMAND", [], ["a"], {}, { "x-a": 1 },
        { "command": "x" }, { "port": 1 }
    ]);
    for document in ["full-everything.json", "full-interactions.json"] {
        exchange(document, &FULL_FORM, &referee_spec::form::full_schema(), others.as_array().unwrap());
    }
}

fn exchange(name: &str, form: &'static Object, schema: &serde_json::Value, others: &[serde_json::Value]) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid").join(name);
    let document = json(&tree(&root));
    let mut pointers = Vec::new();
    collect(&document, "", &mut pointers);
    // A long document has each of its values exchanged for a few of the others, in turn.
    let step = if pointers.len() > 200 { 5 } else { 1 };
    for (index, pointer) in pointers.iter().enumerate() {
        for other in others.iter().skip(index % step).step_by(step) {
            let mut changed = document.clone();
            *changed.pointer_mut(pointer).unwrap() = other.clone();
            let complaints = shape(&changed, form);
            // A schema cannot tell a misspelt key from one of the author's own, where both may stand.
            let by_check = complaints
                .iter()
                .all(|complaint| complaint.level == Level::Warning || complaint.code.stage() == Stage::Meaning);
            assert_eq!(by_check, validator.is_valid(&changed), "{pointer} is {other}: {}", rendered(&complaints));
        }
    }
}

/// Asks the check alone.
fn shape(document: &serde_json::Value, form: &'static Object) -> Vec<Complaint> {
    let mut findings = Findings::default();
    // Alone, `null` would be no document.
    let text = format!("[{document}]");
    let source = referee_spec::read::source("", text.as_bytes(), &mut findings);
    let tree = referee_spec::read::tree(&source, &mut findings).unwrap();
    check(&tree.elements()[0], form, &mut findings);
    findings.into_complaints(&source, |span| tree.pointer(span))
}

fn collect(value: &serde_json::Value, pointer: &str, pointers: &mut Vec<String>) {
    pointers.push(pointer.to_owned());
    let escape = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        serde_json::Value::Array(elements) => {
            elements
                .iter()
                .enumerate()
                .for_each(|(index, value)| collect(value, &format!("{pointer}/{index}"), pointers));
        }
        serde_json::Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| collect(value, &format!("{pointer}/{}", escape(key)), pointers));
        }
        _ => {}
    }
}

#[test]
fn the_schema_is_published_as_it_stands() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&referee_spec::form::schema()).unwrap());
    insta::assert_snapshot!(
        "the_full_schema_is_published_as_it_stands",
        serde_json::to_string_pretty(&referee_spec::form::full_schema()).unwrap()
    );
}

#[test]
fn documents_beyond_a_bound_are_refused_as_a_whole() {
    let deep = |open: &str, close: &str, depth: usize| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let many = |count: usize| {
        let checks: Vec<String> = (0..count).map(|index| format!("  c{index}: echo {index}")).collect();
        format!("checks:\n{}\n", checks.join("\n"))
    };
    let keys: Vec<String> = (0..2_000).map(|index| format!("k{index}: 1\n")).collect();
    let keys = keys.concat();
    let table: [(&str, String, Code); 10] = [
        ("a large file", "#".repeat(4 * 1024 * 1024 + 1), Code::TooLarge),
        ("deep JSON", deep("{\"a\":[", "]}", 40), Code::TooDeep),
        ("very deep JSON", "[".repeat(2_000_000), Code::TooDeep),
        ("deep YAML in brackets", format!("a: {}", deep("[", "]", 100)), Code::TooDeep),
        ("very deep YAML in brackets", format!("a: {}", "[".repeat(100_000)), Code::TooDeep),
        ("deep YAML in dashes", format!("a:\n{}", "- ".repeat(100_000)), Code::TooDeep),
        ("many values in JSON", format!("{{\"a\": [{}1]}}", "1,".repeat(300_000)), Code::TooManyValues),
        ("many values in YAML", format!("a: [{}1]", "1,".repeat(300_000)), Code::TooManyValues),
        ("many actions", many(10_001), Code::TooManyActions),
        ("many complaints", format!("{keys}checks: {{ a: 1 }}"), Code::MoreComplaints),
    ];
    for (what, text, code) in table {
        let complaints = complaints(load_text(&text));
        assert!(complaints.iter().any(|complaint| complaint.code == code), "{what}: {}", rendered(&complaints));
        assert!(complaints.iter().any(|complaint| complaint.level == Level::Error), "{what}");
        assert!(complaints.len() <= 501, "{what}");
    }
}

#[test]
fn complaints_that_are_not_shown_are_counted() {
    for (more, message) in [(1, "one more complaint is not shown"), (2, "2 more complaints are not shown")] {
        let keys: Vec<String> = (0..500 + more).map(|index| format!("k{index}: 1\n")).collect();
        let complaints = complaints(load_text(format!("{}checks: {{ a: echo }}", keys.concat())));
        assert_eq!(complaints.last().unwrap().message, message);
    }
}

#[test]
fn as_many_actions_as_a_task_may_have_load_in_a_chain() {
    let checks: Vec<String> =
        (0..10_000).map(|index| format!("  c{index}: {{ run: echo, needs: c{} }}", (index + 1).min(9_999))).collect();
    let text =
        format!("checks:\n{}\n", checks.join("\n")).replace("  c9999: { run: echo, needs: c9999 }", "  c9999: echo");
    let loaded = load_text(text).unwrap();
    let plan = &loaded.suite.tasks[0];
    assert_eq!(plan.actions.len(), 10_000);
    assert_eq!(plan.actions[0].id.as_str(), "STEP.10000");
}

#[test]
fn the_workspace_is_the_callers_then_the_files_then_its_directory() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("ci/inner")).unwrap();
    std::fs::create_dir_all(root.join("other")).unwrap();
    let file = root.join("ci/referee.yaml");
    for (named, given, workspace, specification) in [
        ("", None, "ci", "referee.yaml".to_owned()),
        ("workspace: ..", None, "", "ci/referee.yaml".to_owned()),
        ("workspace: inner", None, "ci/inner", file.to_string_lossy().into_owned()),
        ("workspace: missing", Some("other"), "other", file.to_string_lossy().into_owned()),
    ] {
        std::fs::write(&file, format!("{named}\nchecks: {{ a: echo, b: {{ file: \"${{WORKSPACE_ROOT}}/x\" }} }}"))
            .unwrap();
        let options = Options { workspace: given.map(|given| root.join("ci/..").join(given)) };
        let plan = load(&file, &options).unwrap().suite.tasks.remove(0);
        assert_eq!(plan.workspace, root.join(workspace), "{named}");
        assert_eq!(plan.evidence_root, plan.workspace.join("evidence"), "{named}");
        assert_eq!(plan.specification.file, specification, "{named}");
        let Work::File(check) = &plan.actions[1].work else { panic!("a file check") };
        assert_eq!(check.path.as_str(), "x");
    }
    let nowhere = Options { workspace: Some(root.join("nowhere")) };
    assert!(matches!(load(&file, &nowhere), Err(SpecError::Io { .. })));
    assert!(matches!(load(&root, &Options::default()), Err(SpecError::Io { .. })));
    assert!(matches!(load(&root.join("nothing.yaml"), &Options::default()), Err(SpecError::NoFile { .. })));
}

#[test]
fn the_digest_is_that_of_the_bytes_as_they_are() {
    let plain = load_text("checks: { a: echo }").unwrap().suite.specification.digest;
    let marked = load_text("\u{feff}checks: { a: echo }").unwrap().suite.specification.digest;
    assert_ne!(plain, marked);
    assert_eq!(plain.to_string(), "5b2b5133f3dfc7153038d62460333ec7edfab1eb22cedb9cd955c8316171ffd7");
}

#[test]
fn the_examples_load_without_a_warning() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut loaded = 0;
    for directory in examples.read_dir().unwrap() {
        let file = directory.unwrap().path().join("referee.yaml");
        if file.is_file() {
            let warnings = complaints(try_load(&file));
            assert!(warnings.is_empty(), "{}: {}", file.display(), rendered(&warnings));
            loaded += 1;
        }
    }
    assert!(loaded > 0);
}

#[test]
fn what_a_script_hides_is_warned_of() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("referee.yaml");
    std::fs::write(
        directory.path().join("package.json"),
        r#"{ "scripts": { "test": "jest || true", "ci": "tsc; jest", "log": "jest | tee log" } }"#,
    )
    .unwrap();
    std::fs::write(directory.path().join("Makefile"), "lint:\n\t-eslint .\n").unwrap();
    std::fs::write(&file, "checks: { unit: npm test, lint: make lint, ci: npm run ci -s, log: npm run log }").unwrap();
    let loaded = try_load(&file).unwrap();
    let messages: Vec<&str> = loaded.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "this runs `jest || true`, where `|| true` hides a failure",
            "this runs `eslint .`, whose failure make is told to ignore",
            "this runs `tsc; jest`, where a failure of `tsc` is lost, because another command comes after it",
            "this runs `jest | tee log`, where a failure of `jest` is lost, because only the end of the pipe counts",
        ]
    );
    let Work::Command(command) = &loaded.suite.tasks[0].actions[0].work else { panic!("a command") };
    assert_eq!(command.seen_through, ["jest || true"]);
}

#[test]
fn every_error_of_the_shape_names_its_rule_in_the_published_schema() {
    let schemas = [referee_spec::form::schema(), referee_spec::form::full_schema()];
    let mut rules = 0;
    let mut look = |what: &str, text: &[u8]| {
        let result = referee_spec::load_text(Path::new("/nowhere/referee.yaml"), text, &Options::default());
        let Err(SpecError::Complaints(complaints)) = result else { return };
        let of_shape =
            |complaint: &&Complaint| complaint.code.stage() == Stage::Shape && complaint.level == Level::Error;
        for complaint in complaints.iter().filter(of_shape) {
            let told = format!("{what}: {}", render_plain(complaint));
            let rule = complaint.rule.as_ref().unwrap_or_else(|| panic!("no rule: {told}"));
            let pointer = rule.path.strip_prefix('#').unwrap();
            // Both forms have definitions of some names.
            let mut found = schemas.iter().filter_map(|schema| schema.pointer(pointer)).peekable();
            assert!(found.peek().is_some(), "{} is not there: {told}", rule.path);
            let has = |words: &serde_json::Value| {
                let words = words.as_array().map(Vec::as_slice).unwrap_or_default();
                rule.allowed.iter().all(|word| words.contains(&word.as_str().into()))
            };
            assert!(rule.allowed.is_empty() || found.any(has), "{told}");
            rules += 1;
        }
    };
    for file in documents("invalid") {
        look(&name(&file), &std::fs::read(&file).unwrap());
    }
    for document in ["everything.yaml", "interactions.yaml", "full-everything.json", "full-interactions.json"] {
        let document = json(&tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid").join(document)));
        let others = [
            serde_json::json!(null),
            "nonsense".into(),
            (-7).into(),
            serde_json::json!([1]),
            serde_json::json!({ "nonsense": 1 }),
        ];
        let mut pointers = Vec::new();
        collect(&document, "", &mut pointers);
        for (index, pointer) in pointers.iter().enumerate() {
            let mut changed = document.clone();
            changed.pointer_mut(pointer).unwrap().clone_from(&others[index % others.len()]);
            look(pointer, changed.to_string().as_bytes());
        }
    }
    assert!(rules > 200, "{rules}");
}
