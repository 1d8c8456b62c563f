//! The full report, with one table per file, and the summary, which only counts.

use crate::prelude::*;
use crate::tools::phpcs::split_code;

pub(super) static FULL: Rows = Rows::new("phpcs", "full").complete(complete).rows(&[
    heading("^FILE: (?<file>.+)$").enters("files"),
    sum(r"^FOUND (?:(?<errors>\d+) ERRORS?)?(?: AND )?(?:(?<warnings>\d+) WARNINGS?)? AFFECTING \d+ LINES?$")
        .ahead()
        .names_tool(),
    // A summary lists no findings. Below the files, it counts what they counted.
    sum(r"^A TOTAL OF (?:(?<errors>\d+) ERRORS?)?(?: AND )?(?:(?<warnings>\d+) WARNINGS?)? (?:WERE|WAS) FOUND IN \d+ FILES?$")
        .inside("")
        .names_tool(),
    sum(r"^A TOTAL OF (?<errors>\d+) SNIFF VIOLATIONS? (?:WERE|WAS) FOUND IN \d+ SOURCES?$").inside("").names_tool(),
    within("^A TOTAL OF .* FOUND IN ").enters(""),
    // ` 1 | ERROR | [x] Message`; a row without a line number continues the message.
    head(r"^ *(?<line>\d+) +\| (?<level>ERROR|WARNING) *\| (?:\[(?:(?<fix>x)| )\] )?(?<message>.*)$").inside("files"),
    part(r"^ *\d* +\| +\|\s*(?:\[[x ]\] )?(?<message>.*)$").joined(),
    known("^Time: .*; Memory: ").hinted(),
    within("^Time: .*; Memory: "),
    within("^(?:PHPCBF CAN FIX |PHP CODE SNIFFER )"),
    within("^-{10,}$").known(),
]);

fn complete(found: &mut Diagnostic) -> bool {
    let (message, code) = split_code(&found.message);
    (found.code, found.message) = (code.map(name), message.to_owned());
    true
}
