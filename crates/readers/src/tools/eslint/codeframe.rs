//! The `codeframe` format: severity, message, rule and location on one line, with the code below.

use crate::prelude::*;
use crate::tools::eslint::{FIXABLE_ROW, MESSAGE_LINES, is_its};

/// `error: Message. (rule) at src/a.js:1:2:`. Many compilers begin a finding in the same way; the end of its
/// message decides. A missing rule is printed as `null`.
pub(super) static FORMAT: Rows = Rows::new("eslint", "codeframe").most_lines(MESSAGE_LINES).sleeps().rows(&[
    head(r"^(?<level>error|warning): (?<message>.*?) \((?:null|(?<code>\S+))\) at (?<file>\S.*):(?<line>\d+):(?<column>\d+):$")
        .check(is_its)
        .common(),
    head(r"^(?<level>error|warning): (?<message>.*?) at (?<file>\S.*):(?<line>\d+):(?<column>\d+):$").common(),
    lead(r"^(?<level>error|warning): (?<message>.*)$").common().tentative(),
    part(r"^> *\d* \|(?: (?<source>.*))?$").check(|made, _| made.file.is_some() && made.source.is_none()),
    part(r"^>? *\d* \|(?: |$)").check(|made, _| made.file.is_some()),
    sum(r"^(?:(?<errors>\d+) errors?)?(?: and )?(?:(?<warnings>\d+) warnings?)? found\.$").vouches().exact(),
    rest(r"^(?<message>.*?) \((?:null|(?<code>\S+))\) at (?<file>\S.*):(?<line>\d+):(?<column>\d+):$")
        .check(is_its)
        .common(),
    rest(r"^(?<message>.*?) at (?<file>\S.*):(?<line>\d+):(?<column>\d+):$").common(),
    // Below such a heading, rustc prints the location.
    part(r"^ *(?:-->(?<other>) .*|(?<message>.*))$").check(|made, found| made.file.is_none() && !found.has("other")),
    within(FIXABLE_ROW).known(),
]);
