//! The evaluator in the full form. Not part of the original schema.

use super::texts::PATH;
use super::{ACTION_DEADLINE, SHELL};
use crate::form::keys::variants;
use crate::form::shape::Shape;
use crate::form::terms::{ANY_TEXT, COMMAND_LINE, ENVIRONMENT, argv, optional, pipefail};

variants! {
    /// A program that is given the report of a judged task on standard input, and answers with one JSON object:
    /// `status` (passed, failed, blocked), `summary`, `next` (done, planner), and perhaps `notes`.
    pub(super) EVALUATOR: Evaluator = "evaluator", "an evaluator" {
        /// A command line, given to a shell.
        command: optional(Shape::Text(COMMAND_LINE)) => {
            /// The shell; without it there the command cannot start.
            shell: optional(SHELL),
            pipefail: pipefail(),
        }
        argv: argv() => {}
    } shared {
        /// Purpose of the evaluator, for readers of the specification.
        _description: optional(Shape::Text(ANY_TEXT)),
        /// Milliseconds after which it is stopped, and is a fault. Default 60000.
        timeout: optional(ACTION_DEADLINE),
        /// Directory to run in. Default: the workspace.
        working_directory: optional(Shape::Text(PATH)),
        /// Environment variables of the evaluator alone, by name.
        environment: optional(ENVIRONMENT),
    } also { grace: "grace" }
}
