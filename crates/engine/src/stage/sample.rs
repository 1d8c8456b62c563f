//! A run of two stages in a directory of its own, for tests: `explore` writes, `specify` takes.
#![expect(clippy::disallowed_methods, reason = "the executor of a stage writes files, and so does whoever meddles")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use referee_exec::{Clock, Confines, Host};
use referee_ledger::State;
use referee_ledger::redact::Redactor;
use referee_ledger::stages::composition::compose;
use referee_ledger::stages::{Composition, StageRun};
use referee_model::handback::HandbackReason;
use referee_model::id::Digest;
use referee_model::stage::check::{Check, CheckFailure, CheckKind, Checks};
use referee_model::stage::id::StageId;
use referee_model::stage::log::StageLogLine;
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::query::Query;
use referee_model::stage::standing::{HandbackStanding, Objection, StandingName};
use referee_model::stage::workflow::{Input, InputSource, Output, Parameter, ParameterValue, Stage};
use referee_model::time::Timestamp;
use serde_json::{Value, json};

use super::history::History;
use super::judgement::Judged;
use super::outputs::Outputs;
use super::standing::{AcceptFound, HandbackFound, HandedBack, Verdict};
use super::{Configuration, Opened, StageError, Workshop, file_path, judgement};
use crate::incident::IncidentService;

/// A run, and the user's state directory beside it.
pub(super) struct StageFixture {
    directory: tempfile::TempDir,
    run: PathBuf,
    pub(super) state: State,
    redactor: Redactor,
}

pub(super) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millisecond(seconds * 1_000 + 123)
}

pub(super) fn id(name: &str) -> StageId {
    StageId::parse(name).unwrap()
}

fn input(name: &str, path: &str, is_required: bool, from: Option<&str>) -> Input {
    Input {
        name: name.to_owned(),
        path: PathReference::new(path),
        description: None,
        is_required,
        from: from.map(|source| InputSource { stage: id("explore"), path: PathReference::new(source) }),
    }
}

fn output(path: &str, is_required: bool) -> Output {
    Output { name: path.to_owned(), path: PathReference::new(path), description: None, schema: None, is_required }
}

fn stage(name: &str) -> Stage {
    let base = Stage {
        inputs: vec![input("topic", "inputs/topic.md", true, None)],
        files: vec![output("run/output-files/dossier.md", true)],
        data: vec![output("run/output-data/findings.json", true), output("run/output-data/extra.json", false)],
        ..super::validation::sample::stage(name)
    };
    if name == "explore" {
        return base;
    }
    let parameter =
        |name: &str, value| Parameter { name: name.to_owned(), description: None, from_stage: id("explore"), value };
    Stage {
        inputs: vec![
            input("dossier", "inputs/dossier.md", true, Some("run/output-files/dossier.md")),
            input("extra", "inputs/extra.json", false, Some("run/output-data/extra.json")),
        ],
        parameters: vec![
            parameter("total", ParameterValue::Published("total".to_owned())),
            parameter(
                "first",
                ParameterValue::Queried {
                    source: PathReference::new("run/output-data/findings.json"),
                    query: Query::parse("items[0].name").unwrap(),
                },
            ),
        ],
        files: vec![output("run/output-files/spec.md", true)],
        data: Vec::new(),
        ..base
    }
}

impl StageFixture {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().join("state")).unwrap();
        let path = |text: &str| StagePath::parse(text).unwrap();
        let files = ["explore", "specify"]
            .map(|stage| (path(&format!("stages/{stage}/stage-config.yaml")), format!("id: {stage}\n").into_bytes()));
        let composition = Composition {
            at: at(1),
            by: "cli".to_owned(),
            source: "workflow".to_owned(),
            name: "sample".to_owned(),
            version: "1.0".to_owned(),
            workspace: directory.path().to_path_buf(),
            stages: vec![id("explore"), id("specify")],
            files: BTreeMap::from(files),
            directories: Vec::new(),
        };
        let run = compose(&directory.path().join("runs"), &state, &composition).unwrap().path;
        let redactor = Redactor::new(vec![("TOKEN".to_owned(), "hunter2hunter2".to_owned())], Vec::new());
        Self { directory, run, state, redactor }
    }

    /// Returns the context of a change at a time in seconds.
    pub(super) fn workshop(&self, seconds: i64) -> Workshop<'_> {
        Workshop { state: Some(&self.state), now: at(seconds), redactor: &self.redactor, by: "ada" }
    }

    pub(super) fn open(&self, name: &str) -> Opened {
        let run = StageRun::open(&self.run).unwrap().unwrap();
        let history = History::of(&run.log(Some(&self.state)).unwrap());
        let configuration = Configuration::Read(Box::new(stage(name)));
        Opened { run, stage: id(name), configuration, configuration_digest: None, history }
    }

    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns the path of a file of the run.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.run.join(name)
    }

    pub(super) fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(super) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    pub(super) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name).unwrap()).unwrap()
    }

    /// Returns every file of the run and of the state directory, with its content.
    pub(super) fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut directories = vec![self.directory.path().to_path_buf()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    directories.push(path);
                } else {
                    let content = fs::read(&path).unwrap();
                    files.insert(path, content);
                }
            }
        }
        files
    }

    /// Returns the kinds of the log's lines.
    pub(super) fn operations(&self) -> Vec<String> {
        let word = |line: &StageLogLine| {
            let operation = serde_json::to_value(&line.operation).unwrap();
            operation.get("what").and_then(Value::as_str).unwrap().to_owned()
        };
        let run = StageRun::open(&self.run).unwrap().unwrap();
        run.log(Some(&self.state)).unwrap().lines.iter().map(word).collect()
    }

    /// Writes the outputs of `explore`.
    pub(super) fn explored(&self) {
        self.write("stages/explore/inputs/topic.md", "What is it?\n");
        self.write("stages/explore/run/output-files/dossier.md", "# IncidentView\n");
        let findings = json!({ "items": [{ "name": "gate" }], "total": 3 });
        self.write("stages/explore/run/output-data/findings.json", &findings.to_string());
    }

    pub(super) fn hand_back(&self, stage: &str, handback: &Value) {
        self.write(&format!("stages/{stage}/run/output-data/handback.json"), &handback.to_string());
    }

    pub(super) fn service(&self) -> IncidentService {
        let host = Host {
            environment: Vec::new(),
            shim: PathBuf::new(),
            controlling_terminal: false,
            clock: Clock::starting_at(at(100)),
            confines: Confines::default(),
        };
        IncidentService::open(&self.beside("reports"), self.state.clone(), host, Redactor::new(Vec::new(), Vec::new()))
            .unwrap()
    }
}

/// Returns the digests of those files that exist.
pub(super) fn digests<'path>(
    opened: &Opened,
    paths: impl IntoIterator<Item = &'path StagePath>,
) -> BTreeMap<String, Digest> {
    let seen = |path: &StagePath| Some((path.to_string(), opened.run.look(&opened.stage, path).unwrap()?.digest));
    paths.into_iter().filter_map(seen).collect()
}

/// Judges a stage without other checks: existing outputs pass, and a handback is trusted.
pub(super) fn look(opened: &Opened, verdict: Option<Verdict>) -> Result<Judged, StageError> {
    let Configuration::Read(stage) = &opened.configuration else { unreachable!() };
    let paths: Vec<&StagePath> = stage.outputs().filter_map(|output| output.path.inside()).collect();
    let found = digests(opened, paths);
    let check = |output: &Output| Check {
        kind: CheckKind::FileExists,
        path: output.path.as_str().to_owned(),
        message: "looked for".to_owned(),
        failure: (!found.contains_key(output.path.as_str())).then(|| CheckFailure {
            action: "write it".to_owned(),
            schema: None,
            details: Vec::new(),
            json_path: None,
        }),
    };
    let checks = stage.outputs().filter(|output| output.is_required).map(check).collect();
    let total = opened.run.path().join("stages").join(opened.stage.as_str()).join("run/output-data/findings.json");
    let total: Option<Value> = fs::read(total).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let parameters = total.map(|total| json!({ "total": total["total"] }));
    let outputs = Outputs {
        checks: Checks { checks, warnings: Vec::new() },
        found,
        parameters: parameters.and_then(|parameters| parameters.as_object().cloned()).unwrap_or_default(),
    };
    let handback = file_path::output_data("handback.json")?;
    let document = match opened.run.read(&opened.stage, &handback)? {
        referee_ledger::stages::FileContent::Bytes(bytes) => match referee_model::handback::read(&bytes) {
            Ok(handback) => HandbackFound::Valid(Box::new(handback), Digest::of(&bytes)),
            Err(error) => HandbackFound::Invalid(vec![error.to_string()]),
        },
        _ => HandbackFound::Missing,
    };
    let told = |name| Objection { name, message: "it is".to_owned(), action: "see to it".to_owned() };
    let (reason, objections) = match &document {
        HandbackFound::Missing => (None, vec![told(StandingName::Missing)]),
        HandbackFound::Invalid(_) => (None, vec![told(StandingName::Invalid)]),
        HandbackFound::Valid(handback, _) => match handback.reason() {
            HandbackReason::Success => (Some(HandbackReason::Success), Vec::new()),
            HandbackReason::Error => (Some(HandbackReason::Error), vec![told(StandingName::Error)]),
            HandbackReason::Question => (Some(HandbackReason::Question), vec![told(StandingName::Question)]),
        },
    };
    let handed = HandedBack {
        document,
        accept: AcceptFound::Absent,
        written_at: None,
        standing: HandbackStanding { reason, objections },
    };
    let real = judgement::look(opened, None)?;
    Ok(Judged { against: real.against, outputs, verdict: verdict.unwrap_or(real.verdict), handed })
}

pub(super) fn success() -> Value {
    json!({ "reason": "success", "description": "All is done." })
}

pub(super) fn question() -> Value {
    json!({ "reason": "question", "description": "Which of both? token hunter2hunter2" })
}

pub(super) fn error(code: &str) -> Value {
    json!({ "reason": "error", "description": "It broke.",
            "error": { "code": code, "message": "The index cannot be read", "context": { "file": "a.db" } } })
}
