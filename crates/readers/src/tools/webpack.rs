//! webpack, and plugins that report through it (ts-loader, fork-ts-checker, eslint-webpack-plugin): a heading
//! for every error and warning, followed by its lines up to a blank one, and at the end the counts.
//!
//! ```text
//! ERROR in ./src/index.js 4:25
//! Module parse failed: Unexpected token (4:25)
//!
//! webpack 5.112.2 compiled with 1 error in 105 ms
//! ```
//!
//! Columns in modules are 0-based, those of TypeScript 1-based.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("webpack", &["rspack"], Role::Compile)
    .lines(&[LineFormat::rows(&["ERROR in ", "WARNING in ", "compiled with ", "compiled successfully"], &TEXT)]);

static TEXT: Rows = Rows::new("webpack", "text").confidence(Confidence::Likely).rows(&[
    // Versions before 5 print no counts: there only a module in webpack's own notation identifies the tool.
    head(MODULE).check(|made, _| is_module(made)).enters("module"),
    head(MODULE).common().enters("module"),
    head(FILE).check(|made, _| is_file(made) && is_module(made)).enters("file"),
    head(FILE).check(|made, _| is_file(made)).common().enters("file"),
    // The heading names no module: it is the message, or the message follows.
    head(r"^(?:×|⚠)? ?(?<level>ERROR|WARNING) in (?<message>\S.*: .*)$").common().enters("message"),
    head(r"^(?:×|⚠)? ?(?<level>ERROR|WARNING) in (?<message>\S.*)$").common().enters("file"),
    // `webpack 5.112.2 compiled with 1 error and 2 warnings in 105 ms`.
    sum(r"^(?:.{0,80}[ (])?(?:webpack|rspack|Rspack)(?: [\w.-]+)?\)? compiled (?:successfully|with (?:(?<errors>\d+) errors?)?(?: and )?(?:(?<warnings>\d+) warnings?)?)(?: in .*)?$")
        .names_tool(),
    // ts-loader repeats the location: `./src/t.ts 1:18-30`, `2:13-14`, and
    // `[tsl] ERROR in /project/src/t.ts(1,19)`.
    part(r"^\[tsl\] (?:ERROR|WARNING|INFO) in (?<file>.*)\((?<line>\d+),(?<column>\d+)\)$").then(replace_place),
    part(r"^(?:\S+ )?\d+:\d+(?:-\d+)?(?::\d+)?$").inside("file").check(|made, _| made.line.is_none()),
    part(CODED).inside("module").then(count_from_one).enters("message"),
    part(CODED).inside("file").then(replace).enters("message"),
    part(r"^\s*(?<message>\S.*)$").inside("module").enters("message"),
    part(r"^\s*(?<message>\S.*)$").inside("file").then(replace).enters("message"),
    // A syntax error reported by a loader: `SyntaxError: /project/src/a.js: Unexpected token (3:5)`.
    part(r"^(?<message> *\w*Error: .* \((?<line>\d+):(?<column0>\d+)\))$")
        .check(|made, _| made.line.is_none() && made.file.is_some()),
    part(r"^(?: @ |[> ]*\d*\s*\|)"),
    part("^(?<message>.*)$"),
]);

/// A heading with a module, its loaders, and a location in it.
const MODULE: &str = r"^(?:×|⚠)? ?(?<level>ERROR|WARNING) in (?<file>\S*[./\\][^\s?]*?)(?:\?\S*)?(?: \(.*\))? (?<line>\d+):(?<column0>\d+)(?:-(?:(?<end_line>\d+):)?(?<last_column>\d+))?$";

/// A heading with a file and, if any, the location that a plugin gives.
const FILE: &str = r"^(?:×|⚠)? ?(?<level>ERROR|WARNING) in (?<file>\S*[./\\][^\s?]*?)(?:\?\S*)?(?: \(.*\))?(?::(?<line>\d+):(?<column>\d+)(?:-(?:(?<end_line>\d+):)?(?<end_column>\d+))?|\((?<line2>\d+),(?<column2>\d+)\):?)?$";

/// A message preceded by a code of TypeScript.
const CODED: &str = r"^\s*(?<code>TS\d+): (?<message>.*)$";

fn is_module(made: &Diagnostic) -> bool {
    made.file.as_deref().is_some_and(|file| file.starts_with("./"))
}

fn is_file(made: &mut Diagnostic) -> bool {
    made.end_line = made.end_column.and(made.end_line.or(made.line));
    true
}

/// Counts the columns of a module from 1 after all: TypeScript's are.
fn count_from_one(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    let one_less = |column: Option<u32>| column?.checked_sub(1).filter(|column| 0 < *column);
    (made.column, made.end_column) = (one_less(made.column), one_less(made.end_column));
}

fn replace(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    made.message.clear();
}

fn replace_place(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    (made.file, made.line, made.column, made.end_line, made.end_column) = (None, None, None, None, None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    fn first(text: &str) -> Diagnostic {
        trial::claimed(TEXT.reader(true), text).unwrap().findings.kept.into_items().remove(0)
    }

    #[test]
    fn places_are_read_in_their_forms() {
        for (text, file, line, column, code) in [
            ("ERROR in ./a.js 1:0-32\nModule not found", Some("./a.js"), Some(1), Some(1), None),
            ("ERROR in ./a.css (./node_modules/css-loader/cjs.js!./a.css)\nNo", Some("./a.css"), None, None, None),
            (
                "ERROR in ./a.vue?vue&type=script (./b.js??x!./a.vue?vue) 3:4\nNo",
                Some("./a.vue"),
                Some(3),
                Some(5),
                None,
            ),
            (
                "ERROR in ./a.js\nModule build failed (x):\nSyntaxError: /p/a.js: No (3:5)",
                Some("./a.js"),
                Some(3),
                Some(6),
                None,
            ),
            ("ERROR in ./src/t.ts:2:7\nTS2322: No", Some("./src/t.ts"), Some(2), Some(7), Some("TS2322")),
            ("ERROR in src/t.ts 2:7-9\nTS2322: No", Some("src/t.ts"), Some(2), Some(7), Some("TS2322")),
            ("ERROR in /p/t.ts(2,7):\nTS2322: No", Some("/p/t.ts"), Some(2), Some(7), Some("TS2322")),
            ("WARNING in configuration\nThe 'mode' option", None, None, None, None),
            ("WARNING in asset size limit: The following asset(s) exceed", None, None, None, None),
        ] {
            let found = first(text);
            let facts = (found.file.as_deref(), found.line, found.column, found.code.as_deref());
            assert_eq!(facts, (file, line, column, code), "{text}");
        }
    }

    #[test]
    fn what_names_no_module_is_said_by_the_heading_or_below() {
        assert_eq!(first("WARNING in configuration\nThe 'mode' option").message, "The 'mode' option");
        assert!(first("ERROR in Conflict: No\nmore").message.starts_with("Conflict: No"));
    }

    #[test]
    fn closing_lines_are_read_in_their_forms() {
        for text in [
            "webpack 5.112.2 compiled with 2 errors and 1 warning in 158 ms",
            "webpack compiled with 1 warning",
            "main (webpack 5.1.0) compiled with 3 errors",
            "webpack 5.112.2 compiled successfully in 125 ms",
            "Rspack compiled with 1 error in 12 ms",
        ] {
            assert!(trial::claimed(TEXT.reader(false), text).is_some(), "{text}");
        }
        assert!(trial::claimed(TEXT.reader(false), "the file was compiled with 3 errors").is_none());
    }
}
