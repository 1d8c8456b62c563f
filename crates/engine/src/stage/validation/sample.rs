//! Runs for tests: a directory with stages in it, with or without a log.
#![expect(clippy::disallowed_methods, reason = "tests lay out runs, and meddle with them")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use referee_ledger::State;
use referee_ledger::stages::{Composition, composition};
use referee_model::id::Digest;
use referee_model::stage::id::StageId;
use referee_model::stage::log::StageChange;
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::query::Query;
use referee_model::stage::workflow::{
    Input, InputSource, Output, OutputParameter, Parameter, ParameterValue, Prompt, Stage,
};
use referee_model::time::Timestamp;
use tempfile::TempDir;

use crate::stage::{Configuration, Opened};

/// A run in a temporary directory.
pub(in crate::stage) struct Sample {
    directory: TempDir,
    pub(in crate::stage) state: State,
    pub(in crate::stage) run: PathBuf,
}

pub(in crate::stage) fn id(text: &str) -> StageId {
    StageId::parse(text).unwrap()
}

pub(in crate::stage) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millisecond(1_795_251_924_000 + seconds * 1_000)
}

impl Sample {
    /// Creates a run that was not composed here: it has no log.
    pub(in crate::stage) fn bare() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().join("state")).unwrap();
        let run = directory.path().canonicalize().unwrap().join("run");
        fs::create_dir_all(run.join("stages/explore")).unwrap();
        Self { directory, state, run }
    }

    /// Creates a run with a log, composed of these files.
    pub(in crate::stage) fn composed(files: &[(&str, &str)]) -> Self {
        let mut sample = Self::bare();
        let composition = Composition {
            at: at(0),
            by: "cli".to_owned(),
            source: "workflow".to_owned(),
            name: "explore-specify".to_owned(),
            version: "1.0".to_owned(),
            workspace: PathBuf::from("/"),
            stages: vec![id("explore"), id("specify")],
            files: files
                .iter()
                .map(|(path, text)| (StagePath::parse(path).unwrap(), text.as_bytes().to_vec()))
                .collect(),
            directories: vec![StagePath::parse("stages/explore").unwrap(), StagePath::parse("stages/specify").unwrap()],
        };
        let output = sample.directory.path().join("runs");
        sample.run = composition::compose(&output, &sample.state, &composition).unwrap().path;
        sample
    }

    pub(in crate::stage) fn path(&self, path: &str) -> PathBuf {
        self.run.join(path)
    }

    pub(in crate::stage) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(in crate::stage) fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    pub(in crate::stage) fn link(&self, path: &str, target: &Path) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    pub(in crate::stage) fn copy(&self, from: &Path, to: &str) {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = format!("{to}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                self.copy(&entry.path(), &to);
            } else {
                self.write(&to, fs::read(entry.path()).unwrap());
            }
        }
    }

    pub(in crate::stage) fn log_lines(&self) -> usize {
        fs::read_to_string(self.path("wf-log.jsonl")).unwrap().lines().count()
    }

    pub(in crate::stage) fn log(&self, stage: &str, attempt: u32, operation: StageChange) {
        let opened = self.open(stage, Configuration::Absent);
        let held = opened.run.hold(&self.state).unwrap().unwrap();
        held.append(at(attempt.into()), Some(&id(stage)), attempt, "cli", operation).unwrap();
    }

    pub(in crate::stage) fn open(&self, stage: &str, configuration: Configuration) -> Opened {
        Opened::open(&self.run, id(stage), Some(&self.state), |_, _| configuration).unwrap()
    }

    pub(in crate::stage) fn of(&self, stage: Stage) -> Opened {
        let id = stage.id.as_str().to_owned();
        self.open(&id, Configuration::Read(Box::new(stage)))
    }

    /// Returns the digests of a stage's current files.
    pub(in crate::stage) fn digests(&self, stage: &str, paths: &[&str]) -> BTreeMap<String, referee_model::id::Digest> {
        let bytes = |path: &&str| fs::read(self.path(&format!("stages/{stage}/{path}"))).unwrap();
        paths.iter().map(|path| ((*path).to_owned(), Digest::of(bytes(path)))).collect()
    }
}

pub(in crate::stage) fn output(path: &str, schema: Option<&str>) -> Output {
    Output {
        name: path.rsplit('/').next().unwrap().to_owned(),
        path: PathReference::new(path),
        description: None,
        schema: schema.map(PathReference::new),
        is_required: true,
    }
}

pub(in crate::stage) fn publishes(name: &str, source: &str, query: &str) -> OutputParameter {
    OutputParameter {
        name: name.to_owned(),
        description: None,
        source: PathReference::new(source),
        query: Query::parse(query).unwrap(),
    }
}

/// Returns a stage that declares only prompts.
pub(in crate::stage) fn stage(name: &str) -> Stage {
    Stage {
        id: id(name),
        name: name.to_owned(),
        description: None,
        inputs: Vec::new(),
        parameters: Vec::new(),
        output_parameters: Vec::new(),
        files: Vec::new(),
        data: Vec::new(),
        prompt: Prompt { entry: PathReference::new("prompt/wf.md"), main: PathReference::new("prompt/main.md") },
        specification: None,
    }
}

pub(in crate::stage) fn explore() -> Stage {
    let metrics = "run/output-data/explore-metrics.json";
    Stage {
        inputs: vec![Input {
            name: "user-description.md".to_owned(),
            path: PathReference::new("inputs/user-description.md"),
            description: None,
            is_required: true,
            from: None,
        }],
        files: vec![output("run/output-files/research-dossier.md", None)],
        data: vec![
            output("run/output-data/wf-result.json", Some("schemas/wf-result.schema.json")),
            output("run/output-data/findings.json", Some("schemas/findings.schema.json")),
            output(metrics, Some("schemas/explore-metrics.schema.json")),
        ],
        output_parameters: vec![
            publishes("total_findings", metrics, "summary.total_findings"),
            publishes("critical_count", metrics, "summary.by_impact.critical"),
            publishes("top_component", metrics, "components[0].name"),
            publishes("complexity_score", metrics, "recommendations.complexity.suggested_score"),
        ],
        ..stage("explore")
    }
}

/// Returns the seed's second stage, with the inputs that it takes from the first.
pub(in crate::stage) fn specify() -> Stage {
    let from = |path: &str| Some(InputSource { stage: id("explore"), path: PathReference::new(path) });
    let input = |name: &str, from, is_required| Input {
        name: name.to_owned(),
        path: PathReference::new(&format!("inputs/{name}")),
        description: None,
        is_required,
        from,
    };
    let parameter =
        |name: &str, value| Parameter { name: name.to_owned(), description: None, from_stage: id("explore"), value };
    Stage {
        inputs: vec![
            input("research-dossier.md", from("run/output-files/research-dossier.md"), true),
            input("findings.json", from("run/output-data/findings.json"), true),
            input("user-description.md", None, false),
        ],
        parameters: vec![
            parameter("total", ParameterValue::Published("total_findings".to_owned())),
            parameter(
                "first",
                ParameterValue::Queried {
                    source: PathReference::new("run/output-data/findings.json"),
                    query: Query::parse("findings[0].id").unwrap(),
                },
            ),
        ],
        files: vec![output("run/output-files/spec.md", None)],
        ..stage("specify")
    }
}

const RESULT_SCHEMA: &str = r#"{"type": "object", "required": ["status", "completed_at", "stage_id", "error", "metrics"],
    "properties": {"status": {"enum": ["success", "failure", "partial"]}, "completed_at": {"type": "string", "format": "date-time"}}}"#;
const FINDINGS_SCHEMA: &str = r#"{"type": "object", "required": ["findings", "summary"], "properties": {"findings": {"type": "array",
    "items": {"type": "object", "required": ["id", "title"], "properties": {"id": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{2}$"}}}}}}"#;
const METRICS_SCHEMA: &str = r#"{"type": "object", "required": ["summary", "components"]}"#;

/// The files from which the seed's two stages are composed.
pub(in crate::stage) const COMPOSED: [(&str, &str); 8] = [
    ("stages/explore/stage-config.yaml", "id: explore\n"),
    ("stages/explore/prompt/wf.md", "how\n"),
    ("stages/explore/prompt/main.md", "what\n"),
    ("stages/explore/schemas/wf-result.schema.json", RESULT_SCHEMA),
    ("stages/explore/schemas/findings.schema.json", FINDINGS_SCHEMA),
    ("stages/explore/schemas/explore-metrics.schema.json", METRICS_SCHEMA),
    ("stages/specify/prompt/wf.md", "how\n"),
    ("stages/specify/prompt/main.md", "what\n"),
];

/// Outputs of the seed's first stage that pass.
pub(in crate::stage) const WRITTEN: [(&str, &str); 4] = [
    ("stages/explore/run/output-files/research-dossier.md", "# What is there\n"),
    (
        "stages/explore/run/output-data/wf-result.json",
        r#"{"status": "success", "completed_at": "2026-01-18T12:00:00Z", "stage_id": "explore", "error": null, "metrics": {}}"#,
    ),
    (
        "stages/explore/run/output-data/findings.json",
        r#"{"findings": [{"id": "IA-01", "title": "one"}], "summary": {"total": 1}}"#,
    ),
    (
        "stages/explore/run/output-data/explore-metrics.json",
        r#"{"summary": {"total_findings": 15, "by_impact": {"critical": 2}}, "components": [{"name": "auth/session.py"}],
            "recommendations": {"complexity": {"suggested_score": "CS-3"}}}"#,
    ),
];

impl Sample {
    pub(in crate::stage) fn with(self, files: &[(&str, &str)]) -> Self {
        for (path, text) in files {
            self.write(path, text);
        }
        self
    }
}
