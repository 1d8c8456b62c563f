//! svelte-check: `human` and `human-verbose` (place, message and code on lines of their own), `machine` and
//! `machine-verbose` (one line each, which begins with a time).

pub(crate) mod human;
pub(crate) mod machine;

use referee_model::plan::Role;

use crate::candidate;
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "svelte-check",
    aliases: &[],
    role: Role::Typecheck,
    lines: &[
        LineFormat {
            prefilter: &[".svelte:", " (svelte)", " (ts)", " (js)", " (css)", "svelte-check", "Svelte diagnostics"],
            reader: |is_hinted| Box::new(human::Human::new(is_hinted)),
        },
        LineFormat {
            prefilter: &[" START \"", " ERROR \"", " WARNING \"", "{\"type\":\"", " COMPLETED "],
            reader: |is_hinted| machine::MACHINE.reader(is_hinted),
        },
    ],
    documents: &[],
    merge: candidate::gravest,
};
