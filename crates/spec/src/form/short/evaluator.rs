//! The evaluator in the short form.

use super::{ACTION_DEADLINE, GRACE, PATH};
use crate::form::keys::variants;
use crate::form::shape::Shape;
use crate::form::terms::{ANY_TEXT, COMMAND_LINE, ENVIRONMENT, argv, optional, pipefail};

variants!(pub(super) EVALUATOR: Evaluator {
    name: "evaluator",
    what: "an evaluator",
    doc: "A program that is given the report of the judged run on standard input, and answers with one JSON object: \
          `status` (passed, failed, blocked), `summary`, `next` (done, planner), and perhaps `notes`.",
    kinds: &[
        run: optional("A command line, given to a shell.", Shape::Text(COMMAND_LINE)) => [
            pipefail: pipefail(),
        ],
        argv: argv() => [],
    ],
    shared: &[
        _description: optional("Purpose of the evaluator, for readers of the specification.", Shape::Text(ANY_TEXT)),
        timeout: optional("Time after which it is stopped, and is a fault. Default 60s.", ACTION_DEADLINE),
        grace: optional("Time between the polite signal and the final one. Default 2s.", GRACE),
        env: optional("Environment variables of the evaluator alone, by name.", ENVIRONMENT),
        cwd: optional("Directory to run in, relative to the workspace. Default: the workspace.", Shape::Text(PATH)),
    ],
});
