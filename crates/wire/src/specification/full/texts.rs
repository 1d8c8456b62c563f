//! Texts that the full form holds, and how its keys are declared.

use crate::specification::shape::{Field, Shape, Text, Value};

pub(super) const ACTION_ID: Text =
    Text { what: "an action's id, such as `STEP.1`", pattern: Some(r"^[A-Z][A-Z0-9_]{0,40}\.[0-9]{1,20}$") };
pub(super) const TASK_ID: Text = Text { what: "a task id such as `T001`", pattern: Some("^T[0-9]{3,31}$") };
pub(super) const LINE: Text = Text { what: "a line of text", pattern: Some(r"^[^\x00-\x1f\x7f]+$") };
pub(super) const ANY_TEXT: Text = Text { what: "a text", pattern: Some(r"^[^\x00]*$") };
pub(super) const COMMAND_LINE: Text = Text { what: "a command line", pattern: Some(r"^[^\x00]*[^\x00\s][^\x00]*$") };
pub(super) const PATH: Text = Text { what: "a path", pattern: Some(r"^[^\x00]+$") };
pub(super) const HOST: Text = Text { what: "a machine's name or address", pattern: Some(r"^[0-9A-Za-z._:-]{1,253}$") };

pub(super) const fn optional(name: &'static str, doc: &'static str, shape: Shape) -> Field {
    Field { name, doc, required: false, value: Value::Shaped(shape) }
}

pub(super) const fn required(name: &'static str, doc: &'static str, shape: Shape) -> Field {
    Field { name, doc, required: true, value: Value::Shaped(shape) }
}
