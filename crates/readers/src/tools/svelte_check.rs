//! svelte-check: `human` and `human-verbose` (location, message and code on separate lines), `machine` and
//! `machine-verbose` (one line each, which begins with a timestamp).

pub(crate) mod human;
pub(crate) mod machine;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("svelte-check", &[], Role::Typecheck).lines(&[
    LineFormat::rows(
        &[".svelte:", " (svelte)", " (ts)", " (js)", " (css)", "svelte-check", "Svelte diagnostics"],
        &human::HUMAN,
    ),
    LineFormat::rows(&[" START \"", " ERROR \"", " WARNING \"", "{\"type\":\"", " COMPLETED "], &machine::MACHINE),
]);
