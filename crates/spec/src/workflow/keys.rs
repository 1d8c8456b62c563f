//! Shape of `wf.yaml` and `stage-config.yaml`, declared once (seed 5). The published schemas are derived from
//! it, and the files are checked against it, so that the two cannot differ.

use serde_json::Value as Json;

use crate::form::keys::object;
use crate::form::schema::document;
use crate::form::shape::{Others, Shape, Text, Ways};
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

object!(pub WORKFLOW: Workflow {
    name: "workflow",
    what: "a workflow",
    doc: "Stages in an order, what goes into each and what comes out.",
    fields: &[
        version: required("Version of the workflow, such as `1.0.0`.", Shape::Text(VERSION)),
        metadata: required("Name, purpose and author of the workflow.", Shape::Object(&METADATA)),
        stages: required("The stages, in the order in which they are done.", STAGES),
        shared_templates = "shared_templates": optional("Files that every stage gets.", SHARED),
    ],
    others: Others::Warned,
});

const STAGES: Shape = Shape::List { item: &Shape::Object(&STAGE), min: 1 };
const SHARED: Shape = Shape::List { item: &Shape::Object(&SHARED_TEMPLATE), min: 0 };

object!(METADATA: Metadata {
    name: "metadata",
    what: "a workflow's metadata",
    doc: "What the workflow is.",
    fields: &[
        name: required("Name of the workflow, unique among workflows.", Shape::Text(NAME)),
        description: required("Purpose of the workflow, for people.", Shape::Text(DESCRIPTION)),
        author: optional("Author of the workflow; without effect.", Shape::Text(ANY_TEXT)),
    ],
    others: Others::Warned,
});

// A stage. The keys are in the order in which a stage's configuration is written.
object!(pub STAGE: Stage {
    name: "stage",
    what: "a stage",
    doc: "Work that is handed to an executor in a directory of its own.",
    fields: &[
        id: required("Its id, which names its directory.", Shape::Text(NAME)),
        name: required("Title of the stage, for people.", Shape::Text(LINE)),
        description: optional("Purpose of the stage, for people.", Shape::Text(ANY_TEXT)),
        inputs: required("Files and parameters that the stage reads.", Shape::Object(&INPUTS)),
        parameters: optional("Values that come from stages before it.", PARAMETERS),
        outputs: required("Files and parameters that the stage writes.", Shape::Object(&OUTPUTS)),
        prompt: required("What its executor is told.", Shape::Object(&PROMPT)),
        output_parameters = "output_parameters": optional(
            "Values that it publishes for stages after it.",
            OUTPUT_PARAMETERS,
        ),
        extension = EXTENSION: optional("What Referee adds to the format.", Shape::Object(&REFEREE)),
    ],
    others: Others::Warned,
});

const PARAMETERS: Shape =
    Shape::List { item: &Shape::Ways(&Ways { object: &PARAMETER, ways: PARAMETER_WAYS }), min: 0 };
const OUTPUT_PARAMETERS: Shape = Shape::List { item: &Shape::Object(&OUTPUT_PARAMETER), min: 0 };

object!(INPUTS: Inputs {
    name: "inputs",
    what: "a stage's inputs",
    doc: "Files that a stage reads.",
    fields: &[
        required: optional("Those that it cannot do without.", INPUT_LIST),
        optional: optional("Those that it may have.", INPUT_LIST),
    ],
    others: Others::Warned,
});

const INPUT_LIST: Shape = Shape::List { item: &Shape::Object(&INPUT), min: 0 };

object!(INPUT: Input {
    name: "input",
    what: "an input",
    doc: "A file that a stage reads. Without `from_stage` a person puts it there.",
    fields: &[
        name: required("Name of the input in the stage's directory.", Shape::Text(LINE)),
        path: required("Where it is in the stage's directory.", Shape::Text(INPUT_PATH)),
        description: optional("Content of the input, for people.", Shape::Text(ANY_TEXT)),
        from_stage = "from_stage": optional("The stage before that wrote it; needs `source`.", Shape::Text(NAME)),
        source: optional("Where it is in that stage's directory.", Shape::Text(OUTPUT_SOURCE)),
    ],
    others: Others::Warned,
});

object!(OUTPUTS: Outputs {
    name: "outputs",
    what: "a stage's outputs",
    doc: "Files that a stage writes.",
    fields: &[
        files: optional("Output files that people read.", OUTPUT_LIST),
        data: optional("Output files that programs read.", OUTPUT_LIST),
    ],
    others: Others::Warned,
});

const OUTPUT_LIST: Shape = Shape::List { item: &Shape::Object(&OUTPUT), min: 0 };

object!(OUTPUT: Output {
    name: "output",
    what: "an output",
    doc: "A file that a stage writes.",
    fields: &[
        name: required("Name of the output in the stage's directory.", Shape::Text(LINE)),
        path: required("Where it is in the stage's directory.", Shape::Text(PATH)),
        description: optional("Content of the output, for people.", Shape::Text(ANY_TEXT)),
        schema: optional("The JSON Schema that it is validated against, in the stage's directory.", Shape::Text(PATH)),
        required: optional("Whether the stage is not done without it. Default true.", Shape::Boolean),
    ],
    others: Others::Warned,
});

object!(PARAMETER: Parameter {
    name: "parameter",
    what: "a parameter",
    doc: "A value that comes from a stage before: one that it publishes, or one that stands in a file of it.",
    fields: &[
        name: required("What it is called in this stage.", Shape::Text(LINE)),
        description: optional("Meaning of the parameter, for people.", Shape::Text(ANY_TEXT)),
        from_stage = "from_stage": required("The stage that it comes from.", Shape::Text(NAME)),
        output_parameter = "output_parameter": optional(
            "The name under which that stage publishes it.",
            Shape::Text(LINE),
        ),
        source: optional("The file of that stage that it stands in; needs `query`.", Shape::Text(DATA_SOURCE)),
        query: optional("Where in the file it stands.", Shape::Text(QUERY)),
    ],
    others: Others::Warned,
});

const PARAMETER_WAYS: &[&[&str]] = &[&["output_parameter"], &["source", "query"]];

object!(OUTPUT_PARAMETER: OutputParameter {
    name: "output_parameter",
    what: "an output parameter",
    doc: "A value that a stage publishes for stages after it.",
    fields: &[
        name: required("Name of the parameter.", Shape::Text(LINE)),
        description: optional("Meaning of the parameter, for people.", Shape::Text(ANY_TEXT)),
        source: required("The file of the stage that it stands in.", Shape::Text(DATA_SOURCE)),
        query: required("Where in the file it stands.", Shape::Text(QUERY)),
    ],
    others: Others::Warned,
});

object!(PROMPT: Prompt {
    name: "prompt",
    what: "a stage's prompt",
    doc: "What an executor is told.",
    fields: &[
        entry: required("How work in a stage goes: the same for all of them.", Shape::Text(PATH)),
        main: required("What is to be done in this one.", Shape::Text(PATH)),
    ],
    others: Others::Warned,
});

object!(REFEREE: Extension {
    name: EXTENSION,
    what: "`x-referee` of a stage",
    doc: "What Referee adds to the format.",
    fields: &[specification: required(
        "The specification that the stage's work is held to: in `wf.yaml` a file of the workflow's directory, in \
         `stage-config.yaml` one of the stage's.",
        Shape::Text(SPECIFICATION),
    )],
    others: Others::Refused,
});

object!(SHARED_TEMPLATE: SharedTemplate {
    name: "shared_template",
    what: "a shared template",
    doc: "A file that every stage gets.",
    fields: &[
        source: required("Where it is in the workflow's directory.", Shape::Text(PATH)),
        target: required("Where it goes in the stage's directory.", Shape::Text(PATH)),
    ],
    others: Others::Warned,
});

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
