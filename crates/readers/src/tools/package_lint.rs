//! Tools that look for unused parts of a JavaScript package (Knip and depcheck), and lychee, which looks for
//! dead links. All print lists below headings.

use crate::prelude::*;

pub(crate) static KNIP: Tool = Tool::new("knip", &[], Role::Lint)
    .lines(&[LineFormat::rows(&["Unused ", "Unlisted ", "Unresolved imports", "Duplicate exports"], &KNIP_TEXT)]);

pub(crate) static DEPCHECK: Tool = Tool::new("depcheck", &[], Role::Lint).lines(&[LineFormat::rows(
    &["Unused dependencies", "Unused devDependencies", "Missing dependencies", "No depcheck issue"],
    &DEPCHECK_TEXT,
)]);

pub(crate) static LYCHEE: Tool = Tool::new("lychee", &[], Role::Lint)
    .lines(&[LineFormat::rows(&["Issues found in ", "[ERROR] ", "[404] "], &LYCHEE_TEXT)]);

/// Below `Unused exports (2)`: `foo  function  src/a.ts:3:14`, `lodash  package.json`, or only a file.
static KNIP_TEXT: Rows = Rows::new("knip", "text").lists().rows(&[
    heading(
        r"^(?<code>Unused (?:files|dependencies|devDependencies|exports|exported types|exported enum members|exported class members|optional peerDependencies|catalog entries)|Unlisted (?:dependencies|binaries)|Unresolved imports|Duplicate exports|Referenced optional peerDependencies|Exports in used namespace|Exported types in used namespace) \(\d+\)$",
    )
    .enters("list"),
    finding(r"^(?<message>\S+)(?: {2,}.*?)??(?: {2,}(?<file>\S+?)(?::(?<line>\d+):(?<column>\d+))?)?$")
        .inside("list")
        .then(|made, found| {
            let is_file = made.code.as_deref() == Some("Unused files");
            made.file = if is_file { found.file("message") } else { made.file.take() };
}),
]);

/// Below `Unused dependencies`: `* foo`; below `Missing dependencies`: `* foo: ./src/a.js`.
static DEPCHECK_TEXT: Rows = Rows::new("depcheck", "text").lists().rows(&[
    heading("^(?<code>Unused dependencies|Unused devDependencies|Missing dependencies)$").enters("list"),
    known("^No depcheck issue$"),
    finding(r"^\* (?<message>\S+?)(?:: (?<file>\S+))?$").inside("list"),
]);

/// Below `[./README.md]:`: `[404] https://example.org/a | Rejected status code`, with the location in newer
/// versions.
static LYCHEE_TEXT: Rows = Rows::new("lychee", "text").lists().rows(&[
    heading(r"^\[(?<file>[^\]\s]+)\]:$").enters("list"),
    finding(
        r"^ *\[(?<code>\d{3}|ERROR|TIMEOUT)\] <?(?<message>\w+:\S+?)>?(?: \(at (?<line>\d+):(?<column>\d+)\))?(?<said> \| .*)?$",
    )
    .inside("list")
    .then(|made, found| made.message.push_str(found.text("said"))),
]);
