//! The evaluator in the short form.

use super::{ACTION_DEADLINE, GRACE, PATH};
use crate::form::keys::variants;
use crate::form::shape::Shape;
use crate::form::terms::{ANY_TEXT, COMMAND_LINE, ENVIRONMENT, argv, optional, pipefail};

variants! {
    /// A program that is given the report of the judged run on standard input, and answers with one JSON object:
    /// `status` (passed, failed, blocked), `summary`, `next` (done, planner), and perhaps `notes`.
    pub(super) EVALUATOR: Evaluator = "evaluator", "an evaluator" {
        /// A command line, given to a shell.
        run: optional(Shape::Text(COMMAND_LINE)) => {
            pipefail: pipefail(),
        }
        argv: argv() => {}
    } shared {
        /// Purpose of the evaluator, for readers of the specification.
        _description: optional(Shape::Text(ANY_TEXT)),
        /// Time after which it is stopped, and is a fault. Default 60s.
        timeout: optional(ACTION_DEADLINE),
        /// Time between the polite signal and the final one. Default 2s.
        grace: optional(GRACE),
        /// Environment variables of the evaluator alone, by name.
        env: optional(ENVIRONMENT),
        /// Directory to run in, relative to the workspace. Default: the workspace.
        cwd: optional(Shape::Text(PATH)),
    }
}
