//! GitHub's workflow commands,
//! `::error file=app.js,line=1,col=5,endColumn=7,title=YOUR-TITLE::Missing semicolon`, and their form in the
//! raw log of a runner, `##[error]src/a.c:3:5: message`.

use super::{code, is_of_service};
use crate::prelude::*;

/// GitHub annotations, regardless of the tool that printed them.
pub(crate) static TOOL: Tool = Tool::new("github-annotations", &["github", "github-actions"], Role::Lint).lines(&[
    LineFormat::new(&["::error ", "::error::", "::warning ", "::warning::", "::notice ", "::notice::"], |is_hinted| {
        Box::new(Commands { is_hinted, findings: Findings::default() })
    }),
    LineFormat::rows(&["##[error]", "##[warning]", "##[notice]"], &RAW),
]);

/// Reads workflow commands. Test runners also print their failures in this form, in addition to their own
/// results, so the candidate gives way to that of a tool.
struct Commands {
    is_hinted: bool,
    findings: Findings,
}

impl LineReader for Commands {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_start();
        if !text.starts_with("::") {
            return Use::None;
        }
        let Some(command) = Command::parse(text) else { return Use::None };
        if is_of_service(&command.message) {
            return Use::Line;
        }
        let mut found = diagnostic("github-annotations", "github-annotations/command", line, command.level, "");
        cut::head(command.message.trim(), limit::MESSAGE_BYTES).clone_into(&mut found.message);
        let property = |key: &str| command.property(key);
        let number = |key: &str| property(key).as_deref().and_then(text::position);
        found.file = property("file").filter(|file| !file.is_empty()).map(|file| name(&text::path(&file)));
        found.line = number("line").filter(|_| found.file.is_some());
        found.column = number("col").filter(|_| found.line.is_some());
        found.end_line = number("endline").filter(|_| found.line.is_some());
        // The end column is inclusive (checks API, `end_column`), but tools differ; it is used as printed.
        found.end_column = number("endcolumn").filter(|_| found.column.is_some());
        let title = property("title");
        found.code = code(title.as_deref(), &found.message).map(|code| name(&code));
        if found.message.is_empty() {
            found.message = title.map(|title| name(&title)).unwrap_or_default();
        }
        self.findings.add(found);
        Use::Line
    }

    fn sleeps(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let confidence = if self.is_hinted { Confidence::Certain } else { Confidence::Likely };
        Some(self.findings.candidate("command")?.confidence(confidence))
    }
}

/// The raw log of a runner, where a message is a finding only if it contains a location: `src/a.c:3:5: message`,
/// `src/a.ts(3,5): message`.
static RAW: LazyLock<Rows> = LazyLock::new(|| {
    let rows = [
        finding(
            r"^##\[(?<level>error|warning|notice)\](?<file>(?:[A-Za-z]:)?[^\s:()]+\.\w+)(?::(?<line>\d+)(?::(?<column>\d+))?|\((?<line2>\d+),(?<column2>\d+)\)):? (?<message>\S.*)$",
        ),
        finding(r"^##\[(?<level>error|warning|notice)\]\s*(?<message>\S.*)$").hinted(),
    ];
    Rows::new("github-annotations", "raw").confidence(Confidence::LastResort).complete(complete).rows(rows)
});

fn complete(found: &mut Diagnostic) -> bool {
    found.code = code(None, &found.message).map(|code| name(&code));
    !is_of_service(&found.message)
}

/// One workflow command.
struct Command<'a> {
    level: Level,
    properties: &'a str,
    message: String,
}

impl<'a> Command<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (head, message) = text.strip_prefix("::")?.split_once("::")?;
        let (word, properties) = head.split_once(' ').unwrap_or((head, ""));
        let level = match word {
            "error" => Level::Error,
            "warning" => Level::Warning,
            "notice" => Level::Info,
            _ => return None,
        };
        Some(Self { level, properties, message: unescaped(message, false) })
    }

    /// Returns a property by its lowercase name.
    fn property(&self, key: &str) -> Option<String> {
        self.properties.split(',').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            name.trim().eq_ignore_ascii_case(key).then(|| unescaped(value, true))
        })
    }
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
