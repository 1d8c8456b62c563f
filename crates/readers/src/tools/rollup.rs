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
use crate::tools::esbuild;

/// Rollup, and tools built on it.
pub(crate) static TOOL: Tool = Tool::new("rollup", &["vite", "rolldown"], Role::Compile).lines(&[
    LineFormat::new(&["[!] ", "(!) ", "error during build:", "building for production"], |is_hinted| {
        Box::new(Rollup::new(is_hinted))
    })
    .named(&["vite v", " → "]),
    LineFormat::new(&["╭─[ ", "error during build:", "building client environment"], |is_hinted| {
        Box::new(rolldown::Rolldown::new(is_hinted))
    })
    .named(&["vite v", "Build failed with "]),
    // Vite up to version 7 parses sources with esbuild.
    LineFormat::rows(&[": ERROR: "], &esbuild::TEXT),
]);

/// Maximum number of lines after a heading.
const LINES: u32 = 40;

/// `[!] (plugin x) RollupError: src/a.js (4:25): message`.
static ERROR: Pattern = Pattern::new(r"^\[!\] (?:\(plugin (?<plugin>[^)]*)\) )?(?:\w*Error: )?(?<message>\S.*)$");

/// Prefix of Vite's message that names its source, such as a plugin.
static SPEAKER: Pattern =
    Pattern::new(r"^(?:\w*Error: )?(?:\[[\w@:/.-]+(?: [\w@:/.-]+)?\]:? ?)*(?:\w*Error: )?(?<message>\S.*)$");

static PLACED: Pattern = Pattern::new(r"^(?<file>\S+\.\w+) \((?<line>\d+):(?<column0>\d+)\): (?<message>.*)$");

/// A location on its own line: `src/a.js (4:25)`, `src/a.js`, `src/a.js: (4:25)`.
static PLACE: Pattern = Pattern::new(r"^(?<file>\S+\.\w{1,8}):?(?: \((?<line>\d+):(?<column0>\d+)\))?$");

/// Vite's location line: `file: /project/src/a.js:4:25`.
static FILE: Pattern = Pattern::new(r"^file: (?<file>\S.*?)(?::(?<line>\d+):(?<column0>\d+))?$");

/// A source line: `4: console.log(missing, nope;`.
static CODE: Pattern = Pattern::new(r"^ *(?<number>\d+)(?:: |  ?\|  ?)(?<source>.*)$");

/// The importer of a module that was not found: `Could not resolve "./x" from "src/a.js"`.
static FROM: Pattern = Pattern::new(r#"esolve .* from "?(?<file>[^"\s]*[^"\s.])"?\.?$"#);

/// Reads the output of Rollup, and of Vite versions built on it.
pub(crate) struct Rollup {
    is_hinted: bool,
    tally: Tally,
    open: Option<Open>,
    /// Whether the next line is Vite's message.
    is_expected: bool,
    is_known: bool,
    has_failed: bool,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    lines: u32,
    /// Whether the location can no longer follow, as the error's stack has begun.
    is_over: bool,
}

impl Rollup {
    fn new(is_hinted: bool) -> Self {
        Self {
            is_hinted,
            tally: Tally::new("rollup"),
            open: None,
            is_expected: false,
            is_known: false,
            has_failed: false,
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.tally.add(open.diagnostic);
        }
    }

    fn begin(&mut self, level: Level, said: &str, line: &Line<'_>) {
        self.close();
        let placed = PLACED.find(said);
        let message = placed.as_ref().map_or(said, |placed| placed.text("message"));
        let mut found = diagnostic("rollup", "rollup/text", line, level, message);
        if let Some(placed) = placed {
            placed.locate(&mut found);
        } else if let Some(from) = FROM.find(said) {
            found.file = from.file("file");
        }
        self.open = Some(Open { diagnostic: found, lines: 0, is_over: false });
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(said) = text.strip_prefix("(!) ") {
            self.begin(Level::Warning, said, line);
            return true;
        }
        if text.starts_with("[!] ")
            && let Some(captures) = ERROR.find(text)
        {
            self.is_known |= text.contains("RollupError: ");
            self.begin(Level::Error, captures.text("message"), line);
            return true;
        }
        if text == "error during build:" {
            self.close();
            self.is_expected = true;
            self.is_known = true;
            self.has_failed = true;
            return true;
        }
        if std::mem::take(&mut self.is_expected) {
            // Findings of esbuild and Rolldown are read by their own readers.
            if text.contains(" failed with ") && text.ends_with(':') {
                return false;
            }
            if let Some(captures) = SPEAKER.find(text) {
                self.begin(Level::Error, captures.text("message"), line);
                return true;
            }
        }
        let is_vite = text.starts_with("vite v") && text.contains(" building ");
        let is_rollup = text.contains(" → ") && text.ends_with("...");
        self.is_known |= is_vite || is_rollup;
        is_vite || (is_rollup && self.is_hinted)
    }
}

impl LineReader for Rollup {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            return Use::None;
        }
        if self.heading(line) {
            return Use::Line;
        }
        let Some(open) = &mut self.open else { return Use::None };
        open.lines += 1;
        if LINES < open.lines || !open.line(line.text.trim_end()) {
            self.close();
            return Use::None;
        }
        open.diagnostic.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        // The signs alone could be from another tool.
        let is_its = self.is_hinted || self.is_known;
        let is_clean = self.is_hinted && self.is_known && !self.has_failed;
        (is_clean || (is_its && 0 < self.tally.read)).then(|| self.tally.candidate("text", Confidence::Certain))
    }
}

impl Open {
    /// Reads a line that may belong to the finding, and returns whether it does.
    fn line(&mut self, text: &str) -> bool {
        let found = &mut self.diagnostic;
        let trimmed = text.trim_start();
        if trimmed.starts_with("at ") || trimmed.starts_with("[cause] ") {
            self.is_over = true;
            return true;
        }
        if self.is_over {
            return false;
        }
        if let Some(captures) = FILE.find(text).or_else(|| PLACE.find(text)) {
            if found.line.is_none() {
                found.file = captures.file("file");
                captures.locate(found);
            }
            return true;
        }
        if let Some(captures) = CODE.find(text) {
            if found.line.is_some() && captures.position("number") == found.line {
                found.source = Some(cut::head(captures.text("source"), limit::MESSAGE_BYTES).to_owned());
            }
            return true;
        }
        if trimmed.chars().all(|sign| matches!(sign, '^' | '~' | '|' | '.' | ' ')) || text.starts_with("https://") {
            return true;
        }
        // The list below a warning, or the rest of an error's message. An error may first repeat its message.
        if text.strip_prefix("Error: ").is_some_and(|said| found.message.starts_with(said)) {
            return true;
        }
        let goes_on = !text.starts_with("created ") && !text.contains(" → ");
        if goes_on {
            text::add_line(&mut found.message, text, limit::MESSAGE_BYTES);
        }
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn found(text: &str) -> Vec<Diagnostic> {
        let mut reader = Box::new(Rollup::new(true));
        for text in text.lines() {
            let stream = Stream::Stderr;
            reader.line(&Line::new(text, stream, 0..0));
        }
        reader.finish().map_or(Vec::new(), |candidate| candidate.findings.kept.into_items())
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
