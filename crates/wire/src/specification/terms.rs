//! What both forms are declared with.

use referee_model::limit;

use super::shape::{Field, Map, Shape, Text, Value};

pub(crate) const ANY_TEXT: Text = Text { what: "a text", pattern: Some(r"^[^\x00]*$") };

pub(super) const COMMAND_LINE: Text = Text { what: "a command line", pattern: Some(r"^[^\x00]*[^\x00\s][^\x00]*$") };

pub(crate) const LINE: Text = Text { what: "a line of text", pattern: Some(r"^[^\x00-\x1f\x7f]+$") };

pub(super) const HOST: Text = Text { what: "a machine's name or address", pattern: Some(r"^[0-9A-Za-z._:-]{1,253}$") };

/// Documents hold numbers that every reader of JSON takes exactly: below 2^53.
pub(super) const COUNT: Shape = Shape::Integer { min: 0, max: (1 << 53) - 1 };

pub(super) const RETRIES: Shape = Shape::Integer { min: 0, max: limit::RETRIES as i64 };

pub(super) const RULES: Shape = Shape::List { item: &Shape::Text(LINE), min: 0 };

pub(super) const STRICT_MODE: &str = "False: what only a type checker's strictness raises does not count. For tsc, deno, svelte-check, mypy and pyright. \
     Default true.";

pub(super) const ALLOW_IMPLICIT_ANY: &str =
    "Whether what an implicit `any` raises does not count. For the same tools. Default false.";

pub(super) const CRITICAL_SEVERITIES: &str =
    "Severities whose findings count as errors, whatever the tool; `error` must be among them. Default: errors alone.";

pub(super) const SEVERITIES: Shape =
    Shape::List { item: &Shape::Keyword { words: &["error", "warning", "info"], also: &[] }, min: 1 };

/// What of a tool's findings blocks, with seed 1's prefix or without it.
pub(super) const STRATEGY: Shape = Shape::Keyword {
    words: &["ERRORS_ALWAYS", "ERRORS_ONLY", "ERRORS_AND_WARNINGS", "WARN_ONLY", "NEVER"],
    also: &[
        "BLOCK_ON_ERRORS_ALWAYS",
        "BLOCK_ON_ERRORS_ONLY",
        "BLOCK_ON_ERRORS_AND_WARNINGS",
        "BLOCK_ON_WARN_ONLY",
        "BLOCK_ON_NEVER",
    ],
};

/// Variables: texts, and what YAML takes for numbers and booleans, as written.
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

pub(crate) const fn optional(name: &'static str, doc: &'static str, shape: Shape) -> Field {
    Field { name, doc, required: false, value: Value::Shaped(shape) }
}

pub(crate) const fn required(name: &'static str, doc: &'static str, shape: Shape) -> Field {
    Field { name, doc, required: true, value: Value::Shaped(shape) }
}

/// A key of the form that this version cannot act on.
pub(super) const fn unsupported(name: &'static str, doc: &'static str) -> Field {
    Field { name, doc, required: false, value: Value::NotSupported }
}
