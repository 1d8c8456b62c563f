//! A workflow as it is declared: stages in an order, what goes into each and what comes out (seed 5, `wf.yaml`).

use super::id::StageId;
use super::path::{PathReference, StagePath};
use super::query::Query;

/// A workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    /// Its version, `major.minor`.
    pub version: String,
    /// Its name.
    pub name: StageId,
    /// What it is for, 10 characters at least.
    pub description: String,
    /// Who made it.
    pub author: Option<String>,
    /// Its stages in their order; one at least, no id twice.
    pub stages: Vec<Stage>,
    /// Files that are copied into every stage.
    pub shared: Vec<SharedTemplate>,
}

/// A file that is copied into every stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedTemplate {
    /// Where it lies in the workflow's directory.
    pub source: StagePath,
    /// Where it goes in the stage's directory.
    pub target: StagePath,
}

/// A stage as it is declared. `stage-config.yaml` says the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Its id, which is the name of its directory.
    pub id: StageId,
    /// What people call it.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// Files that it needs, and files that it may have: those that are needed first.
    pub inputs: Vec<Input>,
    /// Values that come from stages before it.
    pub parameters: Vec<Parameter>,
    /// Values that it publishes.
    pub output_parameters: Vec<OutputParameter>,
    /// Files that it writes for people.
    pub files: Vec<Output>,
    /// Files that it writes for programs.
    pub data: Vec<Output>,
    /// What its executor is told.
    pub prompt: Prompt,
    /// The specification that it is held to, as `x-referee` names it: a file that lay in the workflow's directory, and lies in the
    /// stage's.
    pub specification: Option<PathReference>,
}

/// A file that a stage reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Where it lies in the stage's directory, below `inputs/`.
    pub path: PathReference,
    /// What it is.
    pub description: Option<String>,
    /// Whether the stage cannot do without it.
    pub is_required: bool,
    /// The stage that it comes from. None: a person puts it there.
    pub from: Option<InputSource>,
}

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputSource {
    /// The stage that wrote it.
    pub stage: StageId,
    /// Where it lies there, below `run/output-files/` or `run/output-data/`.
    pub path: PathReference,
}

/// A value that comes from a stage before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// What it is called in this stage.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// The stage that it comes from.
    pub from_stage: StageId,
    /// How it is found there.
    pub value: ParameterValue,
}

/// How a value of a stage before is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterValue {
    /// It was published under this name.
    Published(String),
    /// It stands in a file.
    Queried {
        /// The file, below `run/output-data/`.
        source: PathReference,
        /// Where in it.
        query: Query,
    },
}

/// A value that a stage publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputParameter {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// The file that it stands in, below `run/output-data/`.
    pub source: PathReference,
    /// Where in it.
    pub query: Query,
}

/// A file that a stage writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Where it lies in the stage's directory.
    pub path: PathReference,
    /// What it is.
    pub description: Option<String>,
    /// The JSON Schema that it is held against.
    pub schema: Option<PathReference>,
    /// Whether the stage is not done without it.
    pub is_required: bool,
}

/// What an executor is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// How work in a stage goes: the same for all.
    pub entry: PathReference,
    /// What is to be done in this one.
    pub main: PathReference,
}

impl Stage {
    /// Returns what it writes, for people first.
    pub fn outputs(&self) -> impl Iterator<Item = &Output> {
        self.files.iter().chain(&self.data)
    }

    /// Returns the stages that it takes something from; one may come several times.
    pub fn sources(&self) -> impl Iterator<Item = &StageId> {
        let of_inputs = self.inputs.iter().filter_map(|input| input.from.as_ref().map(|from| &from.stage));
        of_inputs.chain(self.parameters.iter().map(|parameter| &parameter.from_stage))
    }
}

impl Workflow {
    /// Returns a stage.
    pub fn stage(&self, id: &StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == *id)
    }
}
