//! What ends a command without an answer.

pub(crate) use referee_engine::problem::{Kind, Problem};
