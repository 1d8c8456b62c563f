//! The evaluator, in the short form.

use super::{ACTION_DEADLINE, GRACE, PATH};
use crate::specification::shape::{Kind, Shape, Variants};
use crate::specification::terms::{ANY_TEXT, COMMAND_LINE, ENVIRONMENT, optional};

pub(super) static EVALUATOR: Variants = Variants {
    name: "evaluator",
    what: "an evaluator",
    doc: "A program that is given the report of the judged run on standard input, and answers with one JSON object: \
          `status` (passed, failed, blocked), `summary`, `next` (done, planner), and perhaps `notes`.",
    kinds: &[
        Kind {
            tag: optional("run", "A command line, given to a shell.", Shape::Text(COMMAND_LINE)),
            fields: &[&[optional(
                "pipefail",
                "Whether a failing command inside a pipe fails the line. Default true.",
                Shape::Boolean,
            )]],
        },
        Kind {
            tag: optional(
                "argv",
                "A program and its arguments, run as they are.",
                Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 },
            ),
            fields: &[],
        },
    ],
    shared: &[
        optional("description", "What it is for.", Shape::Text(ANY_TEXT)),
        optional("timeout", "Time after which it is stopped, and is a fault. Default 60s.", ACTION_DEADLINE),
        optional("grace", "Time between the polite signal and the final one. Default 2s.", GRACE),
        optional("env", "Variables for it alone.", ENVIRONMENT),
        optional("cwd", "Folder to run in, relative to the workspace. Default: the workspace.", Shape::Text(PATH)),
    ],
};
