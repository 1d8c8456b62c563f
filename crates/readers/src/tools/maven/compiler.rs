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
use crate::rows::Row;
use crate::tools::javac;

/// Creates the format of findings that follow Maven's levels. Without a hint, one of `signs` must tell the tool.
pub(crate) const fn rows(tool: &'static str, signs: &'static [&'static str]) -> Rows {
    Rows::new(tool, "text").signs(signs).most_lines(LINES_TO_MESSAGE).complete(complete).rows(ROWS)
}

const ROWS: &[Row] = &[
    within(r"^\[ERROR\] Failed to execute goal").again(),
    within(r"^\[INFO\] Scanning for projects").afresh(),
    head(PLACED).check(|made, found| is_source(found) && !split(made).message.is_empty()).enters("message"),
    head(PLACED).check(|_, found| is_source(found)).enters("source"),
    within(r"^\[ERROR\] COMPILATION ERROR"),
    part(r"^(?:\[(?:ERROR|WARNING)\] )?(?<message>  .*)$").inside("message"),
    // The message may follow its source.
    part(r"^(?:\[(?:ERROR|WARNING)\] )?\s*\^[\^~]*$").inside("source").caret().enters("end"),
    part(r"^(?:\[(?:ERROR|WARNING)\] )?(?<source>[^\[].*)$").inside("source").held(),
    part(r"^(?:\[(?:ERROR|WARNING)\] )?\s*(?<message>[^\[\s].*)$").inside("end").last(),
];

const PLACED: &str = r"^\[(?<level>ERROR|WARNING|WARN|INFO)\] (?:file://)?(?<file>[^\s\[(].*?\.\w+):? ?(?:\[(?<line>\d+)(?:,(?<column>\d+))?\]|\((?<line2>\d+), ?(?<column2>\d+)\)|(?<bare>(?<line3>\d+)(?::(?<column3>\d+))?):):? ?(?<message>.*)$";

/// Prefix of a message: its level again, a lint category of the compiler, or a rule of Checkstyle.
static MESSAGE: Pattern = Pattern::new(
    r"^(?:(?:error|warning): )?(?:\[(?<code>[A-Za-z][\w.-]*)\] |\((?:annotation|blocks|coding|design|extension|header|imports|indentation|javadoc|metrics|misc|modifier|naming|regexp|sizes|whitespace)\) (?<code2>\w+): )?(?<message>.*)$",
);

/// Extensions of files that the plugins check.
const SOURCES: &[&str] = &[".java", ".kt", ".kts", ".scala", ".groovy", ".aj", ".xml", ".properties"];

/// Maximum number of lines between a finding without a message and its message.
const LINES_TO_MESSAGE: u32 = 40;

/// Splits the prefix off the message of a finding.
fn split(made: &mut Diagnostic) -> &mut Diagnostic {
    let said = std::mem::take(&mut made.message);
    if let Some(found) = MESSAGE.find(&said) {
        made.code = found.code();
        found.text("message").clone_into(&mut made.message);
    }
    made
}

fn complete(found: &mut Diagnostic) -> bool {
    javac::propose(found) && !found.message.is_empty()
}

/// Whether a match is a location in a source. Lines of other Java tools with a bare number are left to other
/// readers.
fn is_source(found: &Groups<'_, '_>) -> bool {
    let file = found.text("file");
    SOURCES.iter().any(|source| file.ends_with(source)) && (!found.has("bare") || text::has_extension(file, &["scala"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    static FORMAT: Rows = rows("maven", &[]);

    fn read(text: &str) -> Vec<Diagnostic> {
        claimed(FORMAT.reader(false), text).map(|candidate| candidate.findings.kept.into_items()).unwrap_or_default()
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
