//! Findings of Maven's plugins that compile and check sources: `[ERROR] /src/App.java:[4,18] ';' expected`.
//!
//! | plugin              | format of its lines                                            |
//! |---------------------|----------------------------------------------------------------|
//! | compiler            | `[ERROR] /src/App.java:[4,18] ';' expected`                    |
//! | compiler, with ecj  | `[WARNING] /src/App.java:[13]`, then source, marks, and message |
//! | Kotlin              | `[ERROR] /src/App.kt: (4, 18) Unresolved reference: a`         |
//! | Scala               | `[ERROR] /src/App.scala:4: error: not found: value a`          |
//! | Checkstyle          | `[WARN] src/App.java:[4,1] (sizes) LineLength: Line is …`      |

use crate::prelude::*;
use crate::shapes::caret::is_caret;
use crate::shapes::repeats::Repeats;
use crate::tools::javac::Flavour;

static PLACED: Pattern = Pattern::new(
    r"^\[(?<level>ERROR|WARNING|WARN|INFO)\] (?:file://)?(?<file>[^\s\[(].*?\.\w+):? ?(?:\[(?<line>\d+)(?:,(?<column>\d+))?\]|\((?<line2>\d+), ?(?<column2>\d+)\)|(?<bare>(?<line3>\d+)(?::(?<column3>\d+))?):):? ?(?<message>.*)$",
);

/// Prefix of a message: its level again, a lint category of the compiler, or a rule of Checkstyle.
static MESSAGE: Pattern = Pattern::new(
    r"^(?:(?:error|warning): )?(?:\[(?<check>[A-Za-z][\w.-]*)\] |\((?:annotation|blocks|coding|design|extension|header|imports|indentation|javadoc|metrics|misc|modifier|naming|regexp|sizes|whitespace)\) (?<rule>\w+): )?(?<message>.*)$",
);

/// Extensions of files that the plugins check.
const SOURCES: &[&str] = &[".java", ".kt", ".kts", ".scala", ".groovy", ".aj", ".xml", ".properties"];

/// Maximum number of lines between a finding without a message and its message.
const LINES_TO_MESSAGE: usize = 40;

/// Reads findings that follow Maven's levels.
pub(crate) struct Compiler {
    flavour: &'static Flavour,
    has_sign: bool,
    findings: Findings,
    open: Option<Open>,
    repeats: Repeats,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    /// The last line, kept as the source until the marks below it come. Used for a finding whose message
    /// follows its source.
    source: Option<String>,
    lines: usize,
}

impl Compiler {
    pub(crate) fn new(flavour: &'static Flavour, is_hinted: bool) -> Self {
        Self {
            flavour,
            has_sign: is_hinted || flavour.signs.is_empty(),
            findings: Findings::default(),
            open: None,
            repeats: Repeats::default(),
        }
    }

    fn close(&mut self) {
        let Some(Open { diagnostic, .. }) = self.open.take() else { return };
        if !diagnostic.message.is_empty() && !self.repeats.has(&diagnostic) {
            self.findings.add(diagnostic);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        if !line.text.starts_with('[') {
            return false;
        }
        let Some(captures) = PLACED.find(&line.text).filter(is_source) else { return false };
        self.close();
        let level = match captures.text("level") {
            "ERROR" => Level::Error,
            "INFO" => Level::Info,
            _ => Level::Warning,
        };
        let said = MESSAGE.find(captures.text("message"));
        let message = said.as_ref().map_or(captures.text("message"), |said| said.text("message"));
        let mut found = diagnostic(self.flavour.tool, self.flavour.rule, line, level, message.trim_end());
        found.file = captures.file("file");
        found.line = captures.position("line");
        found.column = captures.position("column");
        let code = said.as_ref().and_then(|said| said.get("check").or(said.get("rule")));
        found.code = code.map(name);
        self.open = Some(Open { diagnostic: found, source: None, lines: 0 });
        true
    }
}

impl LineReader for Compiler {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        self.has_sign = self.has_sign || self.flavour.signs.iter().any(|sign| text.contains(sign));
        if text.starts_with("[ERROR] Failed to execute goal") {
            self.close();
            self.repeats.begin();
            return Use::Line;
        }
        if text.starts_with("[INFO] Scanning for projects") {
            self.close();
            self.repeats.end();
        }
        if self.begin(line) {
            return Use::Line;
        }
        if text.starts_with("[ERROR] COMPILATION ERROR") {
            self.close();
            return Use::Line;
        }
        match self.open.as_mut().map(|open| open.line(text, line)) {
            Some(true) => Use::Line,
            Some(false) => {
                self.close();
                Use::None
            }
            None => Use::None,
        }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let found = 0 < self.findings.counts.total() && self.has_sign;
        found.then(|| Candidate { format: "text", findings: self.findings, ..Candidate::default() })
    }
}

impl Open {
    /// Reads a line that may belong to the finding, and returns whether it does.
    fn line(&mut self, text: &str, line: &Line<'_>) -> bool {
        self.lines += 1;
        let Some(rest) = ["[ERROR] ", "[WARNING] "]
            .iter()
            .find_map(|level| text.strip_prefix(level))
            .or_else(|| (!text.starts_with('[')).then_some(text))
        else {
            return false;
        };
        let is_awaited = self.diagnostic.message.is_empty();
        if rest.trim().is_empty() || LINES_TO_MESSAGE < self.lines {
            return false;
        }
        if is_awaited && self.diagnostic.source.is_none() {
            if is_caret(rest) {
                self.diagnostic.source = self.source.take();
            } else {
                self.source = Some(cut::head(rest, limit::MESSAGE_BYTES).to_owned());
            }
        } else if is_awaited {
            cut::head(rest.trim(), limit::MESSAGE_BYTES).clone_into(&mut self.diagnostic.message);
        } else if rest.starts_with("  ") && self.diagnostic.source.is_none() {
            let proposal = rest.trim().strip_prefix("Did you mean '").and_then(|it| it.strip_suffix("'?"));
            if let Some(proposal) = proposal {
                self.diagnostic.suggestion = Some(name(proposal));
            }
            text::add_line(&mut self.diagnostic.message, rest.trim_end(), limit::MESSAGE_BYTES);
        } else {
            return false;
        }
        self.diagnostic.origin.end = line.end;
        true
    }
}

/// Whether a match is a location in a source. Lines of other Java tools with a bare number are left to other
/// readers.
fn is_source(captures: &Groups<'_, '_>) -> bool {
    let file = captures.text("file");
    let is_bare = captures.has("bare");
    SOURCES.iter().any(|source| file.ends_with(source)) && (!is_bare || is_scala(file))
}

fn is_scala(file: &str) -> bool {
    file.rsplit('.').next() == Some("scala")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    static FLAVOUR: Flavour = Flavour { tool: "maven", rule: "maven/text", signs: &[] };

    fn read(text: &str) -> Vec<Diagnostic> {
        claimed(Box::new(Compiler::new(&FLAVOUR, false)), text)
            .map(|candidate| candidate.findings.kept.into_items())
            .unwrap_or_default()
    }

    #[test]
    fn plugins_have_their_own_places() {
        for (text, file, line, column, code, message) in [
            ("[ERROR] /a/B.java:[4,18] ';' expected\n", "/a/B.java", 4, Some(18), None, "';' expected"),
            ("[ERROR] C:\\a b\\B.java:[4,18] error: no\n", "C:/a b/B.java", 4, Some(18), None, "no"),
            ("[WARNING] /a/B.java:[4] [cast] redundant\n", "/a/B.java", 4, None, Some("cast"), "redundant"),
            ("[ERROR] /a/B.kt: (4, 18) Unresolved\n", "/a/B.kt", 4, Some(18), None, "Unresolved"),
            ("[ERROR] file:///a/B.kt:[4,18] Unresolved\n", "/a/B.kt", 4, Some(18), None, "Unresolved"),
            ("[ERROR] /a/B.scala:4: not found\n", "/a/B.scala", 4, None, None, "not found"),
            ("[ERROR] /a/B.scala:4:7: error: not found\n", "/a/B.scala", 4, Some(7), None, "not found"),
            ("[WARN] a/B.java:[4,1] (sizes) LineLength: long\n", "a/B.java", 4, Some(1), Some("LineLength"), "long"),
        ] {
            let found = read(text);
            let facts: Vec<_> = found
                .iter()
                .map(|it| (it.file.as_deref(), it.line, it.column, it.code.as_deref(), it.message.as_str()))
                .collect();
            assert_eq!(facts, [(Some(file), Some(line), column, code, message)]);
        }
    }

    #[test]
    fn the_last_words_repeat_the_compiler() {
        let text = "[ERROR] /a/B.java:[4,18] no\n[ERROR]   symbol: x\n[INFO] 1 error\n[ERROR] Failed to execute goal x: Compilation failure\n[ERROR] /a/B.java:[4,18] no\n[ERROR]   symbol: x\n[ERROR] /a/B.java:[5,1] new\n[ERROR] -> [Help 1]\n";
        let messages: Vec<_> = read(text).into_iter().map(|it| it.message).collect();
        assert_eq!(messages, ["no\n  symbol: x", "new"]);
    }

    #[test]
    fn the_message_may_stand_below_the_source() {
        let found =
            read("[WARNING] /a/B.java:[13]\n\tx.y();\n\t  ^\nThe method is deprecated\n1 problem (1 warning)\n");
        assert_eq!(
            (found[0].message.as_str(), found[0].source.as_deref()),
            ("The method is deprecated", Some("\tx.y();"))
        );
    }

    #[test]
    fn other_lines_are_no_findings() {
        for text in [
            "[WARNING] The artifact a.b:c:jar:2.6 has moved\n",
            "[ERROR] /a/B.java:79: error: x\n",
            "[INFO] a.b:[1,2]\n",
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
    }
}
