//! The evaluator, in the full form. It is none of the original schema's.

use super::texts::PATH;
use super::{ACTION_DEADLINE, SHELL};
use crate::specification::shape::{Kind, Shape, Variants};
use crate::specification::terms::{ANY_TEXT, COMMAND_LINE, ENVIRONMENT, optional};

pub(super) static EVALUATOR: Variants = Variants {
    name: "evaluator",
    what: "an evaluator",
    doc: "A program that is given the report of a judged task on standard input, and answers with one JSON object: \
          `status` (passed, failed, blocked), `summary`, `next` (done, planner), and perhaps `notes`.",
    kinds: &[
        Kind {
            tag: optional("command", "A command line, given to a shell.", Shape::Text(COMMAND_LINE)),
            fields: &[&[
                optional("shell", "The shell; without it there the command cannot start.", SHELL),
                optional(
                    "pipefail",
                    "Whether a failing command inside a pipe fails the line. Default true.",
                    Shape::Boolean,
                ),
            ]],
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
        optional("timeout", "Milliseconds after which it is stopped, and is a fault. Default 60000.", ACTION_DEADLINE),
        optional("workingDirectory", "Folder to run in. Default: the workspace.", Shape::Text(PATH)),
        optional("environment", "Variables for it alone.", ENVIRONMENT),
    ],
};
