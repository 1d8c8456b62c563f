//! Text shapes that only the full form has.

use crate::form::shape::Text;

pub(super) const ACTION_ID: Text =
    Text { what: "an action's id, such as `STEP.1`", pattern: Some(r"^[A-Z][A-Z0-9_]{0,40}\.[0-9]{1,20}$") };
pub(super) const TASK_ID: Text = Text { what: "a task id such as `T001`", pattern: Some("^T[0-9]{3,31}$") };
pub(super) const PATH: Text = Text { what: "a path", pattern: Some(r"^[^\x00]+$") };
