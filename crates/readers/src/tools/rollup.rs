//! Rollup and Vite.
//!
//! | tool                | format of an error                                                                        |
//! |---------------------|-------------------------------------------------------------------------------------------|
//! | Rollup              | `[!] RollupError: src/a.js (4:25): message`, below it `src/a.js (4:25)`                    |
//! | Vite until 7        | `error during build:`, the message, and `file: /project/src/a.js:4:25`                     |
//! | Rolldown, Vite 8    | `[PARSE_ERROR] message`, below it `╭─[ src/a.js:4:26 ]`                                     |
//!
//! Columns are 0-based, except for Rolldown's. Rollup's warnings (`(!) Unresolved dependencies`) sum up the
//! list below.

pub(crate) mod rolldown;

use crate::prelude::*;
use crate::rows::at_line;
use crate::tools::esbuild;

/// Rollup, and tools built on it.
pub(crate) static TOOL: Tool = Tool::new("rollup", &["vite", "rolldown"], Role::Compile).lines(&[
    LineFormat::rows(&["[!] ", "(!) ", "error during build:", "building for production"], &TEXT)
        .named(&["vite v", " → "]),
    LineFormat::rows(&["╭─[ ", "error during build:", "building client environment"], &rolldown::TEXT)
        .named(&["vite v", "Build failed with "]),
    // Vite up to version 7 parses sources with esbuild.
    LineFormat::rows(&[": ERROR: "], &esbuild::TEXT),
]);

/// Maximum number of lines after a heading.
const LINES: u32 = 40;

/// Reads the output of Rollup, and of Vite versions built on it. The signs alone could be from another tool.
static TEXT: Rows = Rows::new("rollup", "text").most_lines(LINES).spans_blank_lines().lists().rows(&[
    head(r"^\(!\) (?<message>\S.*)$").level(Level::Warning).then(place).common().enters(BELOW),
    // `[!] (plugin x) RollupError: src/a.js (4:25): message`.
    head(r"^\[!\] (?:\(plugin [^)]*\) )?RollupError: (?<message>\S.*)$").then(place).vouches().enters(BELOW),
    head(r"^\[!\] (?:\(plugin [^)]*\) )?(?:\w*Error: )?(?<message>\S.*)$").then(place).common().enters(BELOW),
    within("^error during build:$").vouches().fails().enters("failed"),
    // Vite's message, after its source, such as a plugin.
    head(r"^(?:\w*Error: )?(?:\[[\w@:/.-]+(?: [\w@:/.-]+)?\]:? ?)*(?:\w*Error: )?(?<message>\S.*)$")
        .inside("failed")
        .check(|_, found| !is_of_other(found))
        .then(place)
        .enters(BELOW),
    known("^vite v.* building ").hinted(),
    known(r" → .*\.\.\.$").hinted(),
    within("^vite v.* building ").vouches(),
    within(r" → .*\.\.\.$").vouches(),
    // The stack: the location can no longer follow.
    part(r"^\s*(?:at |\[cause\] )").enters("stack"),
    // Vite's location line: `file: /project/src/a.js:4:25`.
    part(r"^file: (?<file>\S.*?)(?::(?<line>\d+):(?<column0>\d+))?$").inside(BELOW).check(is_placed),
    part(r"^file: ").inside(BELOW),
    // A location on its own line: `src/a.js (4:25)`, `src/a.js`, `src/a.js: (4:25)`.
    part(r"^(?<file>\S+\.\w{1,8}):?(?: \((?<line>\d+):(?<column0>\d+)\))?$").inside(BELOW).check(is_placed),
    part(r"^\S+\.\w{1,8}:?(?: \(\d+:\d+\))?$").inside(BELOW),
    // A source line: `4: console.log(missing, nope;`.
    part(r"^ *(?<number>\d+)(?:: |  ?\|  ?)(?<source>.*)$").inside(BELOW).check(at_line),
    part(r"^ *\d+(?:: |  ?\|  ?)").inside(BELOW),
    part(r"^(?:[\^~|. ]+$|https://)").inside(BELOW),
    // An error may first repeat its message.
    part("^Error: (?<repeated>.*)$")
        .inside(BELOW)
        .check(|made, found| made.message.starts_with(found.text("repeated"))),
    // The list below a warning, or the rest of an error's message.
    part("^(?<message>.*)$").inside(BELOW).check(|_, found| !found.matched().starts_with("created ")),
]);

/// The lines below the first of a finding.
const BELOW: &str = "finding";

/// Takes the location from a message: `src/a.js (4:25): message`, or the importer of a module that was not found,
/// `Could not resolve "./x" from "src/a.js"`.
fn place(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    static PLACED: Pattern = Pattern::new(r"^(?<file>\S+\.\w+) \((?<line>\d+):(?<column0>\d+)\): (?<message>.*)$");
    static FROM: Pattern = Pattern::new(r#"esolve .* from "?(?<file>[^"\s]*[^"\s.])"?\.?$"#);
    let message = std::mem::take(&mut made.message);
    let placed = PLACED.find(&message);
    placed.as_ref().or(FROM.find(&message).as_ref()).inspect(|found| found.locate(made));
    placed.map_or(message.as_str(), |placed| placed.text("message")).clone_into(&mut made.message);
}

/// Returns whether findings of esbuild or Rolldown follow.
fn is_of_other(found: &Groups<'_, '_>) -> bool {
    found.matched().contains(" failed with ") && found.matched().ends_with(':')
}

fn is_placed(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    made.file = made.file.take().filter(|_| made.line.is_some());
    made.line.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    fn found(text: &str) -> Vec<Diagnostic> {
        trial::claimed(TEXT.reader(true), text).map_or(Vec::new(), |candidate| candidate.findings.kept.into_items())
    }

    #[test]
    fn errors_are_read_with_their_places() {
        for (text, file, line, column, message) in [
            ("[!] RollupError: src/a.js (4:25): No\nsrc/a.js (4:25)\n4: x;", Some("src/a.js"), Some(4), Some(26), "No"),
            (
                "[!] RollupError: Could not resolve \"./b.js\" from \"src/a.js\"\nsrc/a.js",
                Some("src/a.js"),
                None,
                None,
                "Could not resolve \"./b.js\" from \"src/a.js\"",
            ),
            (
                "[!] Error: Could not resolve './b.js' from src/a.js\nError: Could not resolve './b.js' from src/a.js\n    at x",
                Some("src/a.js"),
                None,
                None,
                "Could not resolve './b.js' from src/a.js",
            ),
            ("[!] Error: Unexpected token\nsrc/a.js (1:2)", Some("src/a.js"), Some(1), Some(3), "Unexpected token"),
            (
                "error during build:\nsrc/a.js (1:9): No\nfile: /p/src/a.js:1:9\n\n1: x",
                Some("src/a.js"),
                Some(1),
                Some(10),
                "No",
            ),
            (
                "error during build:\n[vite]: Rollup failed to resolve import \"x\" from \"/p/a.js\".",
                Some("/p/a.js"),
                None,
                None,
                "Rollup failed to resolve import \"x\" from \"/p/a.js\".",
            ),
            (
                "error during build:\n[vite:x] [plugin vite:x] src/a.js (1:0): No",
                Some("src/a.js"),
                Some(1),
                Some(1),
                "No",
            ),
            (
                "error during build:\n[vite-plugin-svelte] No\nfile: /p/a.svelte:3:0",
                Some("/p/a.svelte"),
                Some(3),
                Some(1),
                "No",
            ),
        ] {
            let found = found(text);
            let one = &found[0];
            let facts = (one.file.as_deref(), one.line, one.column, one.message.as_str());
            assert_eq!(facts, (file, line, column, message), "{text}");
            assert_eq!(found.len(), 1);
        }
    }

    #[test]
    fn warnings_sum_up() {
        let text = "src/a.js → b.js...\n(!) Unresolved dependencies\nhttps://rollupjs.org/x\next (imported by \"src/a.js\")\ncreated b.js in 26ms\n";
        let found = found(text);
        assert_eq!((found.len(), found[0].level), (1, Level::Warning));
        assert_eq!(found[0].message, "Unresolved dependencies\next (imported by \"src/a.js\")");
    }
}
