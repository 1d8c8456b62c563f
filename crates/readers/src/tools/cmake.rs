//! CMake, in its configure step.
//!
//! ```text
//! CMake Error at CMakeLists.txt:5 (find_package):
//!   Could not find a package configuration file …
//!
//! Call Stack (most recent call first):
//!   cmake/all.cmake:3 (include)
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("cmake", &[], Role::Compile).lines(&[LineFormat::rows(
    &["CMake Error", "CMake Warning", "CMake Deprecation "],
    &TEXT,
)
.named(&["-- Configuring incomplete"])]);

static TEXT: Rows = Rows::new("cmake", "text").spans_blank_lines().rows(&[
    head(
        r"^CMake (?:Deprecation )?(?<level>Error|Warning)(?: \(dev\))?(?: (?:at|in) (?<file>[^:]+?)(?::(?<line>\d+))?(?: \([^)]*\))?:|: (?<message>\S.*)|:)$",
    )
    .enters("message"),
    part(r"^Call Stack \(most recent call first\)").enters("stack"),
    related(r"^  (?<file>\S[^:]*):(?<line>\d+) \((?<message>[^)]*)\)$").inside("stack"),
    part(r"^  \s*(?<message>\S.*)$").inside("message").check(|made, _| made.message.is_empty()),
    part(r"^(?<message>  .*)$").inside("message"),
    within("^This warning is for project developers").open().enters(""),
    within("^-- Configuring incomplete"),
]);
