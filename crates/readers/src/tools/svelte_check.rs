//! svelte-check: `human` and `human-verbose` (place, message and code on lines of their own), `machine` and
//! `machine-verbose` (one line each, which begins with a time).

pub(crate) mod human;
pub(crate) mod machine;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("svelte-check", &[], Role::Typecheck).lines(&[
    LineFormat::new(
        &[".svelte:", " (svelte)", " (ts)", " (js)", " (css)", "svelte-check", "Svelte diagnostics"],
        |is_hinted| Box::new(human::Human::new(is_hinted)),
    ),
    LineFormat::rows(&[" START \"", " ERROR \"", " WARNING \"", "{\"type\":\"", " COMPLETED "], &machine::MACHINE),
]);
