//! The human-readable formats. `human-verbose`, the default, adds three lines of code and progress messages:
//!
//! ```text
//! /project/src/App.svelte:11:8
//! Warn: Unused CSS selector ".unused"
//! https://svelte.dev/e/css_unused_selector (svelte)
//! ```

use crate::prelude::*;

pub(crate) static HUMAN: Rows = Rows::new("svelte-check", "human").confidence(Confidence::Likely).untrimmed().most_lines(60).rows(&[
    rest(r"^(?<level>Error|Warn|Hint): (?<message>.*?) ?\((?:svelte|ts|js|css|scss|less|sass|html)\)$").enters("code"),
    // For plain TypeScript files no source is named: the message ends with a space.
    rest("^(?<level>Error|Warn|Hint): (?<message>.*) $").enters("code"),
    rest("^(?<level>Error|Warn|Hint): (?<message>.*)$").enters("message"),
    sum(r"^svelte-check found (?<errors>\d+) errors?(?:,| and) (?<warnings>\d+) warnings?(?:,? and (?<infos>\d+) hints?)?(?: in \d+ files?)? *$")
        .names_tool(),
    within("^====+$").known(),
    within(r"^(?:Loading svelte-check in workspace: |Getting Svelte diagnostics\.\.\.$)"),
    // The end of a message names its source.
    part(r"^https://svelte\.dev/e/(?<code>\S+) \((?:svelte|ts|js|css|scss|less|sass|html)\)$").inside("message").enters("code"),
    part(r"^(?<message>.*?) ?\((?:svelte|ts|js|css|scss|less|sass|html)\)$").inside("message").enters("code"),
    part("^(?<message>.*)$").inside("message"),
    part("").inside("code").check(|made, _| !made.message.is_empty()),
    lead(r"^(?<file>\S.*):(?<line>\d+):(?<column>\d+)$").tentative().enters("place"),
]);
