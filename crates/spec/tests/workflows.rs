//! Workflows: what loads, what is complained about, and that the published schema says the same.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests make the files that they load")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use referee_model::limit;
use referee_model::stage::path::{PathReference, StagePath};
use referee_spec::complaint::{Code, Complaint, Findings, Level, Stage, render_plain};
use referee_spec::workflow::{Template, WorkflowError, load, stage_config};
use referee_syntax::tree::Node;
use tempfile::TempDir;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/explore-specify").canonicalize().unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// A copy of the example, to be spoilt.
struct Directory(TempDir);

impl Directory {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        copy(&example(), directory.path());
        Self(directory)
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn remove(&self, name: &str) {
        let path = self.path().join(name);
        if path.is_dir() { std::fs::remove_dir_all(path).unwrap() } else { std::fs::remove_file(path).unwrap() }
    }

    fn replace(&self, name: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.path().join(name)).unwrap();
        assert!(text.contains(from), "{name} has no {from:?}");
        self.write(name, text.replacen(from, to, 1));
    }

    fn load(&self) -> Result<Template, WorkflowError> {
        load(&self.path(), &self.path())
    }

    /// Everything that stands against it, as text that is the same on every machine.
    fn wrong(&self) -> String {
        let error = self.load().expect_err("it loads");
        shown(&error).replace(&self.path().display().to_string(), "[directory]")
    }
}

fn shown(error: &WorkflowError) -> String {
    let mut text = String::new();
    for complaint in &error.complaints {
        writeln!(text, "{}at `{}`", render_plain(complaint), complaint.pointer).unwrap();
    }
    for fault in &error.faults {
        writeln!(text, "{}\n  Action: {}\n  See: {}", fault.cause, fault.action, fault.see.as_deref().unwrap_or("-"))
            .unwrap();
    }
    text
}

fn file<'template>(template: &'template Template, path: &str) -> &'template str {
    let bytes = template.files.get(&StagePath::parse(path).unwrap()).unwrap_or_else(|| panic!("no {path}"));
    std::str::from_utf8(bytes).unwrap()
}

fn config(text: impl AsRef<[u8]>) -> Result<referee_model::stage::workflow::Stage, String> {
    let complaints = stage_config("stage-config.yaml", text.as_ref());
    complaints.map_err(|complaints| complaints.iter().map(render_plain).collect::<Vec<_>>().join("\n"))
}

#[test]
fn the_example_loads_with_all_files_of_a_run() {
    let template = load(&example(), &example()).unwrap_or_else(|error| panic!("{}", shown(&error)));
    assert!(template.warnings.is_empty() && template.notices.is_empty());
    let names: Vec<&str> = template.files.keys().map(StagePath::as_str).collect();
    insta::assert_snapshot!(names.join("\n"));
    let written = file(&template, "stages/specify/stage-config.yaml");
    insta::assert_snapshot!("specify-stage-config", written.replace(&example().display().to_string(), "[example]"));
    for stage in &template.workflow.stages {
        let read = config(file(&template, &format!("stages/{}/stage-config.yaml", stage.id))).unwrap();
        assert_eq!(read, *stage);
    }
}

#[test]
fn what_stages_share_in_the_example_is_what_is_published() {
    for name in ["handback", "wf-result"] {
        let own = std::fs::read(example().join(format!("schemas/{name}.schema.json"))).unwrap();
        let own: serde_json::Value = serde_json::from_slice(&own).unwrap();
        assert_eq!(Some(own), referee_schema::published::schema(name), "{name}");
    }
    let codes: serde_json::Value =
        serde_json::from_slice(&std::fs::read(example().join("schemas/error-codes.json")).unwrap()).unwrap();
    let rendered = referee_model::stage::error_codes::render().unwrap();
    assert_eq!(codes, serde_json::from_slice::<serde_json::Value>(&rendered).unwrap());
}

#[test]
fn a_stage_names_a_specification_that_goes_along() {
    let directory = Directory::new();
    directory.write("checks/explore.yaml", "checks: { unit: npm test }\n");
    let at = "    name: \"Look into the code\"\n";
    directory.replace("wf.yaml", at, &format!("{at}    x-referee: {{ specification: checks/explore.yaml }}\n"));
    let template = directory.load().unwrap_or_else(|error| panic!("{}", shown(&error)));
    assert_eq!(file(&template, "stages/explore/specification/explore.yaml"), "checks: { unit: npm test }\n");
    let written = file(&template, "stages/explore/stage-config.yaml");
    assert!(written.ends_with("x-referee:\n  specification: specification/explore.yaml\n"), "{written}");
    let place = |path| Some(PathReference::new(path));
    assert_eq!(config(written).unwrap().specification, place("specification/explore.yaml"));
    assert_eq!(template.workflow.stages[0].specification, place("specification/explore.yaml"));
    assert_eq!(template.workflow.stages[1].specification, None);
}

#[test]
fn an_executor_is_told_of_handing_back_wherever_its_work_begins() {
    // WF-03.
    let directory = Directory::new();
    let section = "## Handback Protocol\n\nAlways hand back.\n";
    let told = directory.load().unwrap().with_protocol(section);
    for stage in ["explore", "specify"] {
        let prompt = file(&told, &format!("stages/{stage}/prompt/wf.md"));
        assert!(prompt.ends_with(section) && !prompt.contains("referee:handback-protocol"), "{prompt}");
    }
    directory.replace(
        "templates/wf.md",
        "<!-- referee:handback-protocol -->",
        "## Handback protocol\n\nOur own words.",
    );
    let own = directory.load().unwrap().with_protocol(section);
    assert!(!file(&own, "stages/explore/prompt/wf.md").contains("Always hand back."));
    assert_eq!(own.notices.len(), 2);
}

type Spoil = fn(&Directory);

/// WF-02: what may be wrong with a workflow, one thing at a time.
const WRONG: &[(&str, Spoil)] = &[
    ("no wf.yaml", |directory| directory.remove("wf.yaml")),
    ("a directory for wf.yaml", |directory| {
        directory.remove("wf.yaml");
        directory.write("wf.yaml/a", "");
    }),
    ("empty", |directory| directory.write("wf.yaml", "# nothing\n")),
    ("no YAML", |directory| directory.write("wf.yaml", "version: [\n")),
    ("a list", |directory| directory.write("wf.yaml", "- a\n")),
    ("two documents", |directory| directory.write("wf.yaml", "version: \"1.0\"\n---\na: b\n")),
    ("nothing of it", |directory| directory.write("wf.yaml", "a: b\n")),
    ("wrong forms", |directory| {
        directory.write(
            "wf.yaml",
            "version: 1.0\nmetadata: { name: A_b, description: short }\nstages: []\nshared_templates: {}\n",
        );
    }),
    ("not UTF-8", |directory| directory.write("wf.yaml", b"version: \"\xff\"\n")),
    ("a key twice", |directory| directory.replace("wf.yaml", "version: \"1.0\"", "version: \"1.0\"\nversion: \"1.0\"")),
    ("a stage twice", |directory| directory.replace("wf.yaml", "- id: \"specify\"", "- id: \"explore\"")),
    ("a stage that leads out", |directory| directory.replace("wf.yaml", "- id: \"explore\"", "- id: \"../explore\"")),
    ("no source", |directory| {
        directory.replace("wf.yaml", "          source: \"run/output-files/research-dossier.md\"\n", "");
    }),
    ("no from_stage", |directory| directory.replace("wf.yaml", "          from_stage: \"explore\"\n", "")),
    ("an unknown stage", |directory| directory.replace("wf.yaml", "from_stage: \"explore\"", "from_stage: \"explor\"")),
    ("a stage itself", |directory| directory.replace("wf.yaml", "from_stage: \"explore\"", "from_stage: \"specify\"")),
    ("a later stage", |directory| {
        let text = std::fs::read_to_string(directory.path().join("wf.yaml")).unwrap();
        let (head, rest) = text.split_once("  - id: \"explore\"").unwrap();
        let (explore, rest) = rest.split_once("  - id: \"specify\"").unwrap();
        let (specify, tail) = rest.split_once("# Every stage").unwrap();
        directory.write(
            "wf.yaml",
            format!("{head}  - id: \"specify\"{specify}  - id: \"explore\"{explore}# Every stage{tail}"),
        );
    }),
    ("an output that is none", |directory| {
        directory.replace(
            "wf.yaml",
            "source: \"run/output-data/findings.json\"",
            "source: \"run/output-data/finding.json\"",
        );
    }),
    ("an output parameter that is none", |directory| {
        directory.replace("wf.yaml", "output_parameter: \"top_component\"", "output_parameter: \"top_components\"");
    }),
    ("a parameter of a file that the stage does not write", |directory| {
        let from = "source: \"run/output-data/explore-metrics.json\"\n        query: \"summary.total_findings\"";
        directory.replace("wf.yaml", from, "source: \"run/output-data/metrics.json\"\n        query: \"a\"");
    }),
    ("a parameter with both", |directory| {
        let from = "output_parameter: \"top_component\"";
        let both = format!("{from}\n        source: \"run/output-data/findings.json\"\n        query: \"a\"");
        directory.replace("wf.yaml", from, &both);
    }),
    ("a parameter with neither", |directory| {
        directory.replace("wf.yaml", "        output_parameter: \"top_component\"\n", "");
    }),
    ("a query that is none", |directory| directory.replace("wf.yaml", "\"components[0].name\"", "\"components[x]\"")),
    ("names and paths twice", |directory| {
        let more = "      data:\n        - { name: \"research-dossier.md\", path: \"run/output-files/research-dossier.md\" }\n";
        directory.replace("wf.yaml", "      data:\n", more);
    }),
    ("paths that lead out", |directory| {
        directory.replace(
            "wf.yaml",
            "path: \"inputs/user-description.md\"",
            "path: \"inputs/../../user-description.md\"",
        );
        directory.replace("wf.yaml", "path: \"run/output-files/spec.md\"", "path: \"/etc/spec.md\"");
        directory.replace("wf.yaml", "schema: \"schemas/findings.schema.json\"", "schema: \"../x.json\"");
        directory.replace("wf.yaml", "source: \"templates/wf.md\"", "source: \"../wf.md\"");
        directory.replace("wf.yaml", "target: \"prompt/wf.md\"", "target: \"prompt/../../wf.md\"");
    }),
    ("where Referee writes", |directory| {
        directory.replace("wf.yaml", "path: \"inputs/user-description.md\"", "path: \"inputs/params.json\"");
        directory.replace("wf.yaml", "path: \"run/output-files/spec.md\"", "path: \"run/output-data/accept.json\"");
        directory.replace("wf.yaml", "path: \"run/output-data/spec-metadata.json\"", "path: \"prompt/main.md\"");
        directory.replace("wf.yaml", "target: \"schemas/error-codes.json\"", "target: \"stage-config.yaml\"");
        directory.replace("wf.yaml", "target: \"schemas/accept.schema.json\"", "target: \"run/accept.json\"");
    }),
    ("one target twice", |directory| {
        directory.replace("wf.yaml", "target: \"schemas/accept.schema.json\"", "target: \"prompt/wf.md\"");
        directory.replace("wf.yaml", "target: \"schemas/handback.schema.json\"", "target: \"prompt\"");
    }),
    ("an extension with more in it", |directory| {
        let at = "    name: \"Look into the code\"\n";
        directory.replace(
            "wf.yaml",
            at,
            &format!("{at}    x-referee: {{ specification: a.txt, specifications: b }}\n"),
        );
    }),
    ("an extension in the wrong place", |directory| {
        directory.replace("wf.yaml", "metadata:\n", "metadata:\n  x-referee: { specification: a.yaml }\n");
    }),
    ("everything missing in the directory", |directory| {
        directory.remove("templates/wf.md");
        directory.remove("schemas/wf-result.schema.json");
        directory.remove("stages/specify");
        directory.remove("stages/explore/prompt/main.md");
        directory.remove("stages/explore/schemas/findings.schema.json");
        let at = "    name: \"Look into the code\"\n";
        directory.replace("wf.yaml", at, &format!("{at}    x-referee: {{ specification: checks.yaml }}\n"));
    }),
    ("wrong files", |directory| {
        directory.write("templates/wf.md", b"\xff");
        directory.write("stages/explore/prompt/main.md", " \n");
        directory.write("stages/explore/schemas/findings.schema.json", "{");
        directory.write("stages/explore/schemas/explore-metrics.schema.json", r#"{"type": "objekt"}"#);
        directory
            .write("stages/specify/schemas/spec-metadata.schema.json", r#"{"$ref": "https://example.com/a.json"}"#);
        directory.write("schemas/error-codes.json", r#"{"ERROR_CODES": {"TIMEOUT": 1, "TIRED": "x"}}"#);
        directory.write("schemas/handback.schema.json", r#"{"properties": {"reason": {"enum": ["success"]}}}"#);
        directory.write("schemas/accept.schema.json", r#"{"required": ["who"]}"#);
        directory.write("stages/explore/stage-config.yaml", "id: other\n");
        directory.write("stages/explore/run/output-data/handback.json", "{}");
        directory.write("stages/explore/schemas/wf-result.schema.json", "{}");
    }),
    ("a specification that is wrong", |directory| {
        directory.write("checks.yaml", "check: {}\n");
        let at = "    name: \"Look into the code\"\n";
        directory.replace("wf.yaml", at, &format!("{at}    x-referee: {{ specification: checks.yaml }}\n"));
    }),
    ("wf.yaml and the directory", |directory| {
        directory.remove("templates/wf.md");
        directory.replace("wf.yaml", "version: \"1.0\"", "version: \"one\"");
    }),
    ("files where others go", |directory| {
        directory.write("stages/specify/inputs/findings.json", "{}");
        directory.write("stages/specify/run.md", "");
        directory.replace("wf.yaml", "path: \"run/output-files/spec.md\"", "path: \"run.md\"");
        directory.write("stages/specify/prompt/wf.md/a", "");
    }),
    ("links", |directory| {
        directory.remove("templates/wf.md");
        std::os::unix::fs::symlink("/etc/hostname", directory.path().join("templates/wf.md")).unwrap();
        directory.remove("stages/explore/prompt/main.md");
        std::os::unix::fs::symlink("/etc/hostname", directory.path().join("stages/explore/prompt/main.md")).unwrap();
        directory.remove("stages/specify");
        std::os::unix::fs::symlink("/etc", directory.path().join("stages/specify")).unwrap();
    }),
];

#[test]
fn whatever_is_wrong_is_said_with_its_remedy() {
    let mut text = String::new();
    let mut codes = BTreeSet::new();
    for (name, spoil) in WRONG {
        let directory = Directory::new();
        spoil(&directory);
        codes.extend(directory.load().unwrap_err().complaints.iter().map(|complaint| complaint.code));
        writeln!(text, "### {name}\n{}", directory.wrong()).unwrap();
    }
    insta::assert_snapshot!(text);
    // These need documents that are made; another test makes them.
    codes.insert(Code::TooManyItems);
    let missing: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| code.stage() == Stage::Workflow && !codes.contains(code))
        .map(|code| code.id())
        .collect();
    assert!(missing.is_empty(), "no workflow for {missing:?}");
}

#[test]
fn what_is_not_known_is_warned_of() {
    let directory = Directory::new();
    let at = "    name: \"Look into the code\"\n";
    let more = "    output_paramters: []\n    x-refere: {}\n    x-mine: 1\n    notes: a\n";
    directory.replace("wf.yaml", at, &format!("{at}{more}"));
    directory.write("stages/specify/schemas/spec-metadata.schema.json", r#"{"title": "anything"}"#);
    let template = directory.load().unwrap_or_else(|error| panic!("{}", shown(&error)));
    assert!(template.warnings.iter().all(|complaint| complaint.level == Level::Warning));
    let warnings: Vec<String> = template.warnings.iter().map(render_plain).collect();
    insta::assert_snapshot!(format!("{}\n{:#?}", warnings.join("\n"), template.notices));
    assert!(!file(&template, "stages/explore/stage-config.yaml").contains("x-mine"));
}

fn errors(complaints: &[Complaint]) -> impl Iterator<Item = &Complaint> {
    complaints.iter().filter(|complaint| complaint.level == Level::Error)
}

#[test]
fn the_schema_and_the_check_say_the_same() {
    let schema = referee_schema::published::schema("wf").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut judged = 0;
    for (name, spoil) in WRONG.iter().chain([&("the example", (|_| {}) as Spoil)]) {
        let directory = Directory::new();
        spoil(&directory);
        let path = directory.path().join("wf.yaml");
        if !path.is_file() {
            continue;
        }
        let complaints = match directory.load() {
            Ok(template) => template.warnings,
            Err(error) => error.complaints,
        };
        let complaints: Vec<Complaint> = complaints.into_iter().filter(|one| one.file == "wf.yaml").collect();
        if errors(&complaints).any(|complaint| complaint.code.stage() == Stage::Reading) {
            continue;
        }
        // A path that leads out is said to, and not that it has the wrong form too.
        if *name == "paths that lead out" {
            continue;
        }
        let by_check = errors(&complaints).all(|complaint| complaint.code.stage() != Stage::Shape);
        let text = std::fs::read_to_string(&path).unwrap();
        let source = referee_spec::source::Source::new("wf.yaml", text);
        let tree = referee_spec::read::tree(&source, &mut Findings::default()).unwrap();
        assert_eq!(by_check, validator.is_valid(&json(&tree)), "{name}");
        judged += 1;
    }
    assert!(judged > 20, "{judged}");
}

fn json(node: &Node) -> serde_json::Value {
    referee_syntax::json::value(node, &mut Vec::new())
}

#[test]
fn hostile_files_are_refused_in_bounds() {
    let stage = |number: usize| {
        format!(
            "  - {{ id: s{number}, name: a, inputs: {{}}, outputs: {{}}, prompt: {{ entry: prompt/a, main: prompt/b }} }}\n"
        )
    };
    let head = "version: \"1.0\"\nmetadata: { name: a, description: ten letters }\nstages:\n";
    let stages: String = (0..1_000).map(stage).collect();
    let items = "        - { name: a, path: inputs/a }\n".repeat(limit::STAGE_ITEMS + 1);
    let bomb = (1..30).fold("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, number| {
        let before = format!("*a{}, ", number - 1).repeat(10);
        format!("{text}a{number}: &a{number} [{before}]\n")
    });
    let cases = [
        (format!("{head}{stages}"), Code::TooManyItems),
        (
            format!(
                "{head}  - id: a\n    name: a\n    outputs: {{}}\n    prompt: {{ entry: a, main: b }}\n    inputs:\n      required:\n{items}"
            ),
            Code::TooManyItems,
        ),
        (bomb, Code::AliasExpansion),
        (format!("a: {}{}\n", "[".repeat(10_000), "]".repeat(10_000)), Code::TooDeep),
        (" ".repeat(5 * 1024 * 1024), Code::TooLarge),
    ];
    for (text, code) in cases {
        let directory = Directory::new();
        directory.write("wf.yaml", text);
        let error = directory.load().unwrap_err();
        assert!(error.complaints.iter().any(|complaint| complaint.code == code), "{code:?}: {}", shown(&error));
    }
    let directory = Directory::new();
    let file = std::fs::File::create(directory.path().join("wf.yaml")).unwrap();
    file.set_len(limit::STAGE_FILE_BYTES + 1).unwrap();
    assert!(directory.wrong().contains("is larger than"), "{}", directory.wrong());
    // Each stage would get a copy, and all of them together are too much.
    let directory = Directory::new();
    let stages: String = (0..150).map(stage).collect();
    directory.write("wf.yaml", format!("{head}{stages}shared_templates: [{{ source: big, target: prompt/a }}]\n"));
    directory.write("big", "a".repeat(2 * 1024 * 1024));
    for number in 0..150 {
        directory.write(&format!("stages/s{number}/prompt/b"), "b");
    }
    assert!(directory.wrong().contains("a run would have more than"), "{}", directory.wrong());
}

const CONFIG: &str = "id: explore\nname: Explore\ninputs:\n  required:\n  - { name: a.md, path: inputs/a.md }\noutputs:\n  files:\n  - { name: b.md, path: run/output-files/b.md }\nprompt: { entry: prompt/wf.md, main: prompt/main.md }\n";

#[test]
fn a_configuration_keeps_paths_that_lead_out_and_refuses_what_is_broken() {
    assert!(config(CONFIG).is_ok());
    // PF-03: whoever would open it says so.
    for bad in ["../../etc/passwd", "/etc/passwd", "inputs/../../x", ""] {
        let stage = config(CONFIG.replace("inputs/a.md", &format!("{bad:?}"))).unwrap();
        assert!(stage.inputs[0].path.inside().is_none(), "{bad}");
        let stage = config(CONFIG.replace("run/output-files/b.md", &format!("{bad:?}"))).unwrap();
        assert!(stage.files[0].path.inside().is_none(), "{bad}");
    }
    // PF-04.
    for broken in ["", "# a\n", "id: [\n", "- a\n", "id: explore\n", "\u{0}", "id: explore\n---\nid: b\n"] {
        let message = config(broken).unwrap_err();
        assert!(!message.is_empty() && !message.contains("specification"), "{broken:?}: {message}");
    }
    for wrong in [
        CONFIG.replace("inputs/a.md", "elsewhere/a.md"),
        CONFIG.replace("run/output-files/b.md", "stage-config.yaml"),
        CONFIG.replace("id: explore", "id: ../explore"),
        CONFIG.replace("prompt: {", "prompts: {"),
        CONFIG.replace("a.md }", "a.md, from_stage: explore, source: run/output-files/b.md }"),
    ] {
        assert!(config(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_workflow_of_the_reference_composes_and_gives_its_configuration() {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/handback/wf-spec");
    if !reference.is_dir() {
        eprintln!("skipped: no ../shared");
        return;
    }
    let directory = Directory(tempfile::tempdir().unwrap());
    copy(&reference, &directory.path());
    // What the sample lacks.
    directory.write("templates/wf.md", "# How work goes\n");
    directory.write("stages/explore/prompt/main.md", "# Explore\n");
    directory.write("stages/specify/prompt/main.md", "# Specify\n");
    let template = directory.load().unwrap_or_else(|error| panic!("{}", shown(&error)));
    assert!(template.warnings.is_empty() && template.notices.is_empty(), "{:?}", template.notices);
    let without_source = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with("# Source: ")).map(str::to_owned).collect()
    };
    let sample = std::fs::read_to_string(reference.join("stage-config.yaml")).unwrap();
    assert_eq!(without_source(file(&template, "stages/explore/stage-config.yaml")), without_source(&sample));
    let stage = config(&sample).unwrap();
    assert_eq!(stage, template.workflow.stages[0]);
    // Wherever their schema takes a workflow, ours does, and the other way round where both say the same.
    let theirs: serde_json::Value =
        serde_json::from_slice(&std::fs::read(reference.join("schemas/wf.schema.json")).unwrap()).unwrap();
    let theirs = jsonschema::validator_for(&theirs).unwrap();
    let text = std::fs::read_to_string(example().join("wf.yaml")).unwrap();
    let source = referee_spec::source::Source::new("wf.yaml", text);
    let tree = referee_spec::read::tree(&source, &mut Findings::default()).unwrap();
    assert!(theirs.is_valid(&json(&tree)), "our example is one of theirs");
}
