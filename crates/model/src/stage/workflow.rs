//! Declaration of a workflow: its stages in order, with the inputs and outputs of each (seed 5, `wf.yaml`).

use super::id::StageId;
use super::path::{PathReference, StagePath};
use super::query::Query;

/// A declared workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    /// Version of the workflow, as `major.minor`.
    pub version: String,
    /// Name of the workflow.
    pub name: StageId,
    /// Purpose of the workflow, at least 10 characters.
    pub description: String,
    /// Author of the workflow.
    pub author: Option<String>,
    /// Stages in order: at least one, each id once.
    pub stages: Vec<Stage>,
    /// Files that are copied into every stage.
    pub shared: Vec<SharedTemplate>,
}

/// A file that is copied into every stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedTemplate {
    /// Path of the file in the workflow's directory.
    pub source: StagePath,
    /// Path of the copy in the stage's directory.
    pub target: StagePath,
}

/// Declaration of a stage. `stage-config.yaml` holds the same data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Id of the stage, which is also the name of its directory.
    pub id: StageId,
    /// Name of the stage, for people.
    pub name: String,
    /// Description of the stage.
    pub description: Option<String>,
    /// Required and optional input files, the required ones first.
    pub inputs: Vec<Input>,
    /// Parameters that come from earlier stages.
    pub parameters: Vec<Parameter>,
    /// Parameters that the stage publishes.
    pub output_parameters: Vec<OutputParameter>,
    /// Output files for people.
    pub files: Vec<Output>,
    /// Output files for programs.
    pub data: Vec<Output>,
    /// Prompts for the executor.
    pub prompt: Prompt,
    /// Specification that the stage must pass, as named by `x-referee`: a file that is copied from the
    /// workflow's directory into the stage's directory.
    pub specification: Option<PathReference>,
}

/// A file that a stage reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Name of the input.
    pub name: String,
    /// Path of the file in the stage's directory, below `inputs/`.
    pub path: PathReference,
    /// Description of the input.
    pub description: Option<String>,
    /// Whether the stage requires the input.
    pub is_required: bool,
    /// Stage that produces the file. None: a person supplies it.
    pub from: Option<InputSource>,
}

/// Source of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputSource {
    /// Stage that writes the file.
    pub stage: StageId,
    /// Path of the file in that stage, below `run/output-files/` or `run/output-data/`.
    pub path: PathReference,
}

/// A parameter that comes from an earlier stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name of the parameter in this stage.
    pub name: String,
    /// Description of the parameter.
    pub description: Option<String>,
    /// Stage that the value comes from.
    pub from_stage: StageId,
    /// Location of the value in that stage.
    pub value: ParameterValue,
}

/// Location of a parameter's value in an earlier stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterValue {
    /// Name under which the stage published the value.
    Published(String),
    /// The value is read from an output file.
    Queried {
        /// Path of the file, below `run/output-data/`.
        source: PathReference,
        /// Location of the value in the file.
        query: Query,
    },
}

/// A parameter that a stage publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputParameter {
    /// Name of the parameter.
    pub name: String,
    /// Description of the parameter.
    pub description: Option<String>,
    /// File that contains the value, below `run/output-data/`.
    pub source: PathReference,
    /// Location of the value in the file.
    pub query: Query,
}

/// A file that a stage writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Name of the output.
    pub name: String,
    /// Path of the file in the stage's directory.
    pub path: PathReference,
    /// Description of the output.
    pub description: Option<String>,
    /// JSON Schema that the file must be valid against. None: the content is not validated.
    pub schema: Option<PathReference>,
    /// Whether the stage requires the output to be complete.
    pub is_required: bool,
}

/// Prompts for the executor of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Prompt that explains how to work in a stage; the same for all stages.
    pub entry: PathReference,
    /// Prompt that states the task of this stage.
    pub main: PathReference,
}

impl Stage {
    /// Returns the outputs of the stage, those for people first.
    pub fn outputs(&self) -> impl Iterator<Item = &Output> {
        self.files.iter().chain(&self.data)
    }

    /// Returns the stages that this stage takes inputs or parameters from. A stage may occur several times.
    pub fn sources(&self) -> impl Iterator<Item = &StageId> {
        let of_inputs = self.inputs.iter().filter_map(|input| input.from.as_ref().map(|from| &from.stage));
        of_inputs.chain(self.parameters.iter().map(|parameter| &parameter.from_stage))
    }
}

impl Workflow {
    /// Returns the stage with this id.
    pub fn stage(&self, id: &StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == *id)
    }
}
