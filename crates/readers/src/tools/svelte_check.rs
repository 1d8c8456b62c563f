//! svelte-check: `human` and `human-verbose` (location, message and code on separate lines), `machine` and
//! `machine-verbose` (one line each, which begins with a timestamp).

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
