//! Shape of `wf.yaml` and `stage-config.yaml`, declared once (seed 5). The published schemas are derived from
//! it, and the files are checked against it, so that the two cannot differ.

use serde_json::Value as Json;

use crate::form::keys::object;
use crate::form::schema::document;
use crate::form::shape::{Shape, Text, Ways};
use crate::form::terms::{ANY_TEXT, LINE, optional, required};

/// File name of a workflow in its directory.
pub const WF: &str = "wf.yaml";

/// Key of a stage for Referee's own extension.
pub const EXTENSION: &str = "x-referee";

/// Returns the JSON Schema of `wf.yaml`.
pub fn schema() -> Json {
    document(&WORKFLOW, "https://referee.dev/schema/wf/1.json", "Referee workflow")
}

/// Returns the JSON Schema of `stage-config.yaml`.
pub fn stage_schema() -> Json {
    document(&STAGE, "https://referee.dev/schema/stage-config/1.json", "Referee configuration of a stage")
}

object! {
    /// Stages in an order, what goes into each and what comes out.
    pub WORKFLOW: Workflow = "workflow", "a workflow", Warned {
        /// Version of the workflow, such as `1.0.0`.
        version: required(Shape::Text(VERSION)),
        /// Name, purpose and author of the workflow.
        metadata: required(Shape::Object(&METADATA)),
        /// The stages, in the order in which they are done.
        stages: required(STAGES),
        /// Files that every stage gets.
        shared_templates = "shared_templates": optional(SHARED),
    }
}

const STAGES: Shape = Shape::List { item: &Shape::Object(&STAGE), min: 1 };
const SHARED: Shape = Shape::List { item: &Shape::Object(&SHARED_TEMPLATE), min: 0 };

object! {
    /// What the workflow is.
    METADATA: Metadata = "metadata", "a workflow's metadata", Warned {
        /// Name of the workflow, unique among workflows.
        name: required(Shape::Text(NAME)),
        /// Purpose of the workflow, for people.
        description: required(Shape::Text(DESCRIPTION)),
        /// Author of the workflow; without effect.
        author: optional(Shape::Text(ANY_TEXT)),
    }
}

// A stage. The keys are in the order in which a stage's configuration is written.
object! {
    /// Work that is handed to an executor in a directory of its own.
    pub STAGE: Stage = "stage", "a stage", Warned {
        /// Its id, which names its directory.
        id: required(Shape::Text(NAME)),
        /// Title of the stage, for people.
        name: required(Shape::Text(LINE)),
        /// Purpose of the stage, for people.
        description: optional(Shape::Text(ANY_TEXT)),
        /// Files and parameters that the stage reads.
        inputs: required(Shape::Object(&INPUTS)),
        /// Values that come from stages before it.
        parameters: optional(PARAMETERS),
        /// Files and parameters that the stage writes.
        outputs: required(Shape::Object(&OUTPUTS)),
        /// What its executor is told.
        prompt: required(Shape::Object(&PROMPT)),
        /// Values that it publishes for stages after it.
        output_parameters = "output_parameters": optional(OUTPUT_PARAMETERS),
        /// What Referee adds to the format.
        extension = EXTENSION: optional(Shape::Object(&REFEREE)),
    }
}

const PARAMETERS: Shape =
    Shape::List { item: &Shape::Ways(&Ways { object: &PARAMETER, ways: PARAMETER_WAYS }), min: 0 };
const OUTPUT_PARAMETERS: Shape = Shape::List { item: &Shape::Object(&OUTPUT_PARAMETER), min: 0 };

object! {
    /// Files that a stage reads.
    INPUTS: Inputs = "inputs", "a stage's inputs", Warned {
        /// Those that it cannot do without.
        required: optional(INPUT_LIST),
        /// Those that it may have.
        optional: optional(INPUT_LIST),
    }
}

const INPUT_LIST: Shape = Shape::List { item: &Shape::Object(&INPUT), min: 0 };

object! {
    /// A file that a stage reads. Without `from_stage` a person puts it there.
    INPUT: Input = "input", "an input", Warned {
        /// Name of the input in the stage's directory.
        name: required(Shape::Text(LINE)),
        /// Where it is in the stage's directory.
        path: required(Shape::Text(INPUT_PATH)),
        /// Content of the input, for people.
        description: optional(Shape::Text(ANY_TEXT)),
        /// The stage before that wrote it; needs `source`.
        from_stage = "from_stage": optional(Shape::Text(NAME)),
        /// Where it is in that stage's directory.
        source: optional(Shape::Text(OUTPUT_SOURCE)),
    }
}

object! {
    /// Files that a stage writes.
    OUTPUTS: Outputs = "outputs", "a stage's outputs", Warned {
        /// Output files that people read.
        files: optional(OUTPUT_LIST),
        /// Output files that programs read.
        data: optional(OUTPUT_LIST),
    }
}

const OUTPUT_LIST: Shape = Shape::List { item: &Shape::Object(&OUTPUT), min: 0 };

object! {
    /// A file that a stage writes.
    OUTPUT: Output = "output", "an output", Warned {
        /// Name of the output in the stage's directory.
        name: required(Shape::Text(LINE)),
        /// Where it is in the stage's directory.
        path: required(Shape::Text(PATH)),
        /// Content of the output, for people.
        description: optional(Shape::Text(ANY_TEXT)),
        /// The JSON Schema that it is validated against, in the stage's directory.
        schema: optional(Shape::Text(PATH)),
        /// Whether the stage is not done without it. Default true.
        required: optional(Shape::Boolean),
    }
}

object! {
    /// A value that comes from a stage before: one that it publishes, or one that stands in a file of it.
    PARAMETER: Parameter = "parameter", "a parameter", Warned {
        /// What it is called in this stage.
        name: required(Shape::Text(LINE)),
        /// Meaning of the parameter, for people.
        description: optional(Shape::Text(ANY_TEXT)),
        /// The stage that it comes from.
        from_stage = "from_stage": required(Shape::Text(NAME)),
        /// The name under which that stage publishes it.
        output_parameter = "output_parameter": optional(Shape::Text(LINE)),
        /// The file of that stage that it stands in; needs `query`.
        source: optional(Shape::Text(DATA_SOURCE)),
        /// Where in the file it stands.
        query: optional(Shape::Text(QUERY)),
    }
}

const PARAMETER_WAYS: &[&[&str]] = &[&["output_parameter"], &["source", "query"]];

object! {
    /// A value that a stage publishes for stages after it.
    OUTPUT_PARAMETER: OutputParameter = "output_parameter", "an output parameter", Warned {
        /// Name of the parameter.
        name: required(Shape::Text(LINE)),
        /// Meaning of the parameter, for people.
        description: optional(Shape::Text(ANY_TEXT)),
        /// The file of the stage that it stands in.
        source: required(Shape::Text(DATA_SOURCE)),
        /// Where in the file it stands.
        query: required(Shape::Text(QUERY)),
    }
}

object! {
    /// What an executor is told.
    PROMPT: Prompt = "prompt", "a stage's prompt", Warned {
        /// How work in a stage goes: the same for all of them.
        entry: required(Shape::Text(PATH)),
        /// What is to be done in this one.
        main: required(Shape::Text(PATH)),
    }
}

object! {
    /// What Referee adds to the format.
    REFEREE: Extension = EXTENSION, "`x-referee` of a stage" {
        /// The specification that the stage's work is held to: in `wf.yaml` a file of the workflow's directory, in
        /// `stage-config.yaml` one of the stage's.
        specification: required(Shape::Text(SPECIFICATION)),
    }
}

object! {
    /// A file that every stage gets.
    SHARED_TEMPLATE: SharedTemplate = "shared_template", "a shared template", Warned {
        /// Where it is in the workflow's directory.
        source: required(Shape::Text(PATH)),
        /// Where it goes in the stage's directory.
        target: required(Shape::Text(PATH)),
    }
}

const VERSION: Text = Text { what: "a version in quotes such as \"1.0\"", pattern: Some(r"^[0-9]+\.[0-9]+$") };
const NAME: Text = Text {
    what: "a name of at most 64 lower-case letters, digits and hyphens that begins with a letter",
    pattern: Some("^[a-z][a-z0-9-]{0,63}$"),
};
const DESCRIPTION: Text = Text { what: "a text of 10 characters or more", pattern: Some(r"^[^\x00]{10,}$") };
const PATH: Text = Text { what: "a relative path", pattern: Some(r"^[^\x00]+$") };
const INPUT_PATH: Text = Text { what: "a path below `inputs/`", pattern: Some("^inputs/") };
const OUTPUT_SOURCE: Text = Text {
    what: "a path below `run/output-files/` or `run/output-data/`",
    pattern: Some("^run/(output-files|output-data)/"),
};
const DATA_SOURCE: Text =
    Text { what: "a path of a JSON file below `run/output-data/`", pattern: Some(r"^run/output-data/.*\.json$") };
const QUERY: Text = Text { what: "a query such as `components[0].name`", pattern: Some(r"^[^\x00]+$") };
const SPECIFICATION: Text =
    Text { what: "a path that ends with `.yaml` or `.json`", pattern: Some(r"^[^\x00]+\.(json|yaml)$") };
