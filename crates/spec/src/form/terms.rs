//! Shapes that both forms share.

use referee_model::limit;

use super::shape::{Field, Map, Shape, Text, Value};

pub const ANY_TEXT: Text = Text { what: "a text", pattern: Some(r"^[^\x00]*$") };

pub(super) const COMMAND_LINE: Text = Text { what: "a command line", pattern: Some(r"^[^\x00]*[^\x00\s][^\x00]*$") };

/// A command line, or a program with its arguments.
pub(super) const COMMAND: Shape =
    Shape::Either(&[Shape::Text(COMMAND_LINE), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]);

/// One text or several.
pub(super) const ONE_OR_MORE: Shape =
    Shape::Either(&[Shape::Text(ANY_TEXT), Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 }]);

/// Values of form fields in a page.
pub(super) const FORM_FIELDS: Shape = Shape::Map(&Map {
    what: "a mapping of form fields to values",
    key: LINE,
    value: Shape::Either(&[Shape::Text(ANY_TEXT), Shape::Number { min: f64::MIN, max: f64::MAX }, Shape::Boolean]),
    min: 1,
});

/// The name of a tool.
pub(super) const TOOL: Text =
    Text { what: "the name of a tool (letters, digits, - and _)", pattern: Some("^[A-Za-z0-9_-]{1,64}$") };

pub const LINE: Text = Text { what: "a line of text", pattern: Some(r"^[^\x00-\x1f\x7f]+$") };

pub(super) const HOST: Text = Text { what: "a machine's name or address", pattern: Some(r"^[0-9A-Za-z._:-]{1,253}$") };

/// Numbers that every JSON parser represents exactly: below 2^53.
pub(super) const COUNT: Shape = Shape::Integer { min: 0, max: (1 << 53) - 1 };

pub(super) const RETRIES: Shape = Shape::Integer { min: 0, max: limit::RETRIES as i64 };

/// Variables: strings, and values that YAML parses as numbers and booleans, as written.
pub(super) const ENVIRONMENT: Shape = Shape::Map(&Map {
    what: "a mapping of variables to values",
    key: Text {
        what: "a variable's name (letters, digits and _, no digit first)",
        pattern: Some("^[A-Za-z_][A-Za-z0-9_]{0,199}$"),
    },
    value: Shape::Either(&[Shape::Text(ANY_TEXT), Shape::Number { min: f64::MIN, max: f64::MAX }, Shape::Boolean]),
    min: 0,
});

pub(super) const ANY_MAPPING: Shape = Shape::Map(&Map { what: "a mapping", key: ANY_TEXT, value: Shape::Any, min: 0 });

pub(super) const TEXTS: Shape = Shape::List { item: &Shape::Text(ANY_TEXT), min: 0 };

/// Returns the shape of one of these keywords.
pub(super) const fn keyword(words: &'static [&'static str]) -> Shape {
    Shape::Keyword { words, also: &[] }
}

pub const fn optional(name: &'static str, doc: &'static str, shape: Shape) -> Field {
    Field { name, doc, required: false, value: Value::Shaped(shape) }
}

pub const fn required(name: &'static str, doc: &'static str, shape: Shape) -> Field {
    Field { name, doc, required: true, value: Value::Shaped(shape) }
}

/// Returns a key of the form that this version does not support.
pub(super) const fn unsupported(name: &'static str, doc: &'static str) -> Field {
    Field { name, doc, required: false, value: Value::NotSupported }
}

pub(super) const fn argv(name: &'static str) -> Field {
    optional(
        name,
        "A program and its arguments, run as they are.",
        Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 },
    )
}

pub(super) const fn pipefail(name: &'static str) -> Field {
    optional(name, "Whether a failing command inside a pipe fails the line. Default true.", Shape::Boolean)
}

pub(super) const fn role(name: &'static str) -> Field {
    let words = &["test", "typecheck", "lint", "format", "compile", "other"];
    optional(name, "What the command is for. Default: told from the command.", keyword(words))
}

pub(super) const fn no_tests(name: &'static str) -> Field {
    optional(name, "Whether a test run in which no test ran is accepted. Default false.", Shape::Boolean)
}

pub(super) const fn exit_code_only(name: &'static str) -> Field {
    let doc = "Whether the exit code alone may say that the tests passed, where their known runner leaves no summary. \
               Default false.";
    optional(name, doc, Shape::Boolean)
}
