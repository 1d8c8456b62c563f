//! The formats with one finding per line: `compact` and `unix`. A message may still span several lines; the
//! rule in brackets then ends the last line instead of the first.

use crate::prelude::*;
use crate::tools::eslint::{MESSAGE_LINES, is_its};

/// `src/a.js: line 1, col 2, Error - Message. (rule)`.
pub(super) static COMPACT: Rows = Rows::new("eslint", "compact").most_lines(MESSAGE_LINES).rows(&[
    finding(r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<level>Error|Warning) - (?<message>.*) \((?<code>\S+)\)$")
        .check(is_its)
        .common(),
    head(r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<level>Error|Warning) - (?<message>.*)$").common(),
    sum(COUNT).vouches().exact(),
    part(r"^(?<message>.*) \((?<code>\S+)\)$").check(is_its).last(),
    part("^(?<message>.*)$"),
]);

/// `src/a.js:1:2: Message. [Error/rule]`. Without the severity at its end, a line is no finding.
pub(super) static UNIX: Rows = Rows::new("eslint", "unix").most_lines(MESSAGE_LINES).rows(&[
    finding(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*?) *\[(?<level>Error|Warning)(?:/(?<code>\S+))?\]$",
    )
    .check(is_its)
    .common(),
    lead(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*)$").common(),
    sum(COUNT).vouches().exact(),
    rest(r"^(?<message>.*?) *\[(?<level>Error|Warning)(?:/(?<code>\S+))?\]$").check(is_its).common().last(),
    part("^(?<message>.*)$"),
]);

/// The closing count of both formats.
const COUNT: &str = r"^(?<all>\d+) problems?$";
