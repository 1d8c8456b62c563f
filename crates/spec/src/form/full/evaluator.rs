//! The evaluator in the full form. Not part of the original schema.

use super::texts::PATH;
use super::{ACTION_DEADLINE, SHELL};
use crate::form::keys::variants;
use crate::form::shape::Shape;
use crate::form::terms::{ANY_TEXT, COMMAND_LINE, ENVIRONMENT, argv, optional, pipefail};

variants!(pub(super) EVALUATOR: Evaluator {
    name: "evaluator",
    what: "an evaluator",
    doc: "A program that is given the report of a judged task on standard input, and answers with one JSON object: \
          `status` (passed, failed, blocked), `summary`, `next` (done, planner), and perhaps `notes`.",
    kinds: &[
        command: optional("A command line, given to a shell.", Shape::Text(COMMAND_LINE)) => [
            shell: optional("The shell; without it there the command cannot start.", SHELL),
            pipefail: pipefail(),
        ],
        argv: argv() => [],
    ],
    shared: &[
        _description: optional("Purpose of the evaluator, for readers of the specification.", Shape::Text(ANY_TEXT)),
        timeout: optional("Milliseconds after which it is stopped, and is a fault. Default 60000.", ACTION_DEADLINE),
        working_directory: optional("Directory to run in. Default: the workspace.", Shape::Text(PATH)),
        environment: optional("Environment variables of the evaluator alone, by name.", ENVIRONMENT),
    ],
    also: &[grace: "grace"],
});
