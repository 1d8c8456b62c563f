//! GitHub's workflow commands,
//! `::error file=app.js,line=1,col=5,endColumn=7,title=YOUR-TITLE::Missing semicolon`, and their form in the
//! raw log of a runner, `##[error]src/a.c:3:5: message`.

use super::{code, is_of_service};
use crate::prelude::*;

/// GitHub annotations, regardless of the tool that printed them.
pub(crate) static TOOL: Tool = Tool::new("github-annotations", &["github", "github-actions"], Role::Lint).lines(&[
    LineFormat::rows(&["::error ", "::error::", "::warning ", "::warning::", "::notice ", "::notice::"], &COMMANDS),
    LineFormat::rows(&["##[error]", "##[warning]", "##[notice]"], &RAW),
]);

/// Workflow commands. Test runners also print their failures in this form, in addition to their own results, so the
/// candidate gives way to that of a tool.
static COMMANDS: Rows = Rows::new("github-annotations", "command")
    .confidence(Confidence::Likely)
    .complete(|made| !is_of_service(&made.message))
    .rows(&[finding(r"^\s*::(?<level>error|warning|notice)(?: (?<properties>.*?))?::(?<said>.*)$").then(fill)]);

/// Takes the values of a finding from a command.
fn fill(made: &mut Diagnostic, found: &Groups<'_, '_>) {
    let property = |key: &str| property(found.text("properties"), key);
    let number = |key: &str| property(key).as_deref().and_then(text::position);
    cut::head(unescaped(found.text("said"), false).trim(), limit::MESSAGE_BYTES).clone_into(&mut made.message);
    made.file = property("file").filter(|file| !file.is_empty()).map(|file| name(&text::path(&file)));
    made.line = number("line").filter(|_| made.file.is_some());
    made.column = number("col").filter(|_| made.line.is_some());
    made.end_line = number("endline").filter(|_| made.line.is_some());
    // The end column is inclusive (checks API, `end_column`), but tools differ; it is used as printed.
    made.end_column = number("endcolumn").filter(|_| made.column.is_some());
    let title = property("title");
    made.code = code(title.as_deref(), &made.message).map(|code| name(&code));
    if made.message.is_empty() {
        made.message = title.map(|title| name(&title)).unwrap_or_default();
    }
}

/// The raw log of a runner, where a message is a finding only if it contains a location: `src/a.c:3:5: message`,
/// `src/a.ts(3,5): message`.
static RAW: Rows = Rows::new("github-annotations", "raw").confidence(Confidence::LastResort).complete(complete).rows(&[
    finding(
        r"^##\[(?<level>error|warning|notice)\](?<file>(?:[A-Za-z]:)?[^\s:()]+\.\w+)(?::(?<line>\d+)(?::(?<column>\d+))?|\((?<line2>\d+),(?<column2>\d+)\)):? (?<message>\S.*)$",
    ),
    finding(r"^##\[(?<level>error|warning|notice)\]\s*(?<message>\S.*)$").hinted(),
]);

fn complete(found: &mut Diagnostic) -> bool {
    found.code = code(None, &found.message).map(|code| name(&code));
    !is_of_service(&found.message)
}

/// Returns a property of a command by its lowercase name.
fn property(properties: &str, key: &str) -> Option<String> {
    properties.split(',').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case(key).then(|| unescaped(value, true))
    })
}

/// Decodes the escapes of the toolkit: percent signs and line ends in messages; in properties also colons and
/// commas.
fn unescaped(text: &str, is_property: bool) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut shown = text.replace("%0D", "\r").replace("%0d", "\r").replace("%0A", "\n").replace("%0a", "\n");
    if is_property {
        shown = shown.replace("%3A", ":").replace("%3a", ":").replace("%2C", ",").replace("%2c", ",");
    }
    shown.replace("%25", "%").replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::formats::finding_report::tests::shown;

    fn read(format: usize, lines: &[&str]) -> Option<Vec<String>> {
        let mut reader = TOOL.lines[format].reader(false);
        for text in lines {
            reader.line(&Line::new(*text, Stream::Stdout, 0..1));
        }
        reader.finish().map(shown)
    }

    #[test]
    fn commands_are_findings() {
        let lines = [
            "::error file=src\\a.js,line=1,col=5,endLine=2,endColumn=7,title=Ruff (F401)::no%0Aline 100%25",
            "::warning file=a%3Ab.js,line=0::w",
            "::notice::n",
            "::error::Process completed with exit code 1.",
            "::group::x",
            "::errors::x",
        ];
        assert_eq!(
            read(0, &lines).unwrap(),
            ["Error src/a.js 1:5:2:7 F401: no\nline 100%", "Warning a:b.js -:-:-:- -: w", "Info - -:-:-:- -: n"]
        );
        assert_eq!(read(0, &["::group::a", "::debug::b"]), None);
    }

    #[test]
    fn raw_logs_need_a_place() {
        let lines = [
            "##[error]src/a.c:3:5: no",
            "##[warning]src/a.ts(1,2): w",
            "##[error]Process completed with exit code 2.",
            "##[error]oh",
            "##[group]a.c:1: x",
        ];
        assert_eq!(read(1, &lines).unwrap(), ["Error src/a.c 3:5:-:- -: no", "Warning src/a.ts 1:2:-:- -: w"]);
    }
}
