//! puppet-lint: `init.pp - ERROR: docker not in autoload module layout on line 347 (check: autoloader_layout)`,
//! and JSON.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("puppet-lint", &["puppetlint", "puppet-lint-json"], Role::Lint)
    .lines(&[LineFormat::rows(&[" on line "], &TEXT), LineFormat::rows(&[".pp:"], &FORMATTED)])
    .documents(&[DocumentFormat::json(&["[[{\"message\":"], &["\"message\":", "["], &JSON).or_empty("[[]]")]);

static TEXT: Rows = Rows::new("puppet-lint", "text").level(Level::Warning).rows(&[
    // The file comes first if there are several; with one file only, a check must be named. Problems marked
    // `FIXED` or `IGNORED` are not findings.
    finding(r"^(?:(?<file>\S.*?\.pp) - )?(?<level>ERROR|WARNING): (?<message>.*) on line (?<line>\d+)(?: col (?<column>\d+))?(?: \(check: (?<code>\w+)\))?$")
        .check(|made, _| made.file.is_some() || made.code.is_some()),
]);

static FORMATTED: Rows = Rows::new("puppet-lint", "formatted").level(Level::Warning).rows(&[
    // `manifests/init.pp:1:7:ERROR: foo not in autoload module layout`, the format for editors.
    finding(r"^(?<file>\S.*?\.pp):(?<line>\d+)(?::(?<column>\d+))?: ?(?i:(?<level>error|warning)): (?<message>.*?)(?: \[(?<code>\w+)\])?$"),
]);

/// `[[{"message":…,"line":1,"column":7,"kind":"error","check":"autoloader_layout","path":"manifests/init.pp"}]]`.
static JSON: JsonFindings = JsonFindings { paths: &[&[ANY, ANY]], ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "puppet-lint",
    file: "path",
    line: "line",
    column: "column",
    code: "check",
    level: "kind",
    needs: &["check", "KIND", "kind"],
    ..Members::MESSAGE
};
