//! Installation of dependencies, and pinned programs, in the short form.

use super::ACTION_DEADLINE;
use crate::form::keys::object;
use crate::form::shape::{Map, Shape, Text};
use crate::form::terms::{ANY_TEXT, COMMAND_LINE, optional, required};

/// A command line, or one with its time limit.
pub(super) const SETUP: &[Shape] = &[Shape::Text(COMMAND_LINE), Shape::Object(&SETUP_OBJECT)];

object! {
    /// A command that installs dependencies.
    SETUP_OBJECT: Setup = "setup", "a set-up" {
        /// A command line, given to a shell.
        run: required(Shape::Text(COMMAND_LINE)),
        /// Time after which it is stopped. Default 10m.
        timeout: optional(ACTION_DEADLINE),
        /// Purpose of the command, for readers of the specification.
        _description: optional(Shape::Text(ANY_TEXT)),
    }
}

/// Digests by name of the program.
pub(super) const PINS: Shape = Shape::Map(&Map {
    what: "a mapping of programs to digests",
    key: Text { what: "a program's name, without its directory", pattern: Some(r"^[^/\x00-\x20\x7f]{1,200}$") },
    value: Shape::Text(Text { what: "64 hexadecimal digits", pattern: Some("^[0-9a-fA-F]{64}$") }),
    min: 1,
});
