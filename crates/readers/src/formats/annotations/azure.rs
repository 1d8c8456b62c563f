//! Azure's logging commands:
//! `##vso[task.logissue type=error;sourcepath=app.py;linenumber=1;columnnumber=8;code=F401;]unused import`.

use super::{code, is_of_service};
use crate::prelude::*;

/// Azure annotations, regardless of the tool that printed them.
pub(crate) static TOOL: Tool = Tool::new("azure-annotations", &["azure", "azure-pipelines"], Role::Lint)
    .lines(&[LineFormat::rows(&["##vso[task.logissue"], &COMMANDS)]);

static COMMANDS: Rows = Rows::new("azure-annotations", "command")
    .confidence(Confidence::Likely)
    .complete(|made| !is_of_service(&made.message))
    // Within source code it is a quotation.
    .rows(&[finding(r#"^[^"`]*?##vso\[task\.logissue(?<properties>[^\]]*)\](?<said>.*)$"#).check(fill)]);

/// Takes the values of a finding from a command.
fn fill(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    let property = |key: &str| {
        found.text("properties").split(';').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            name.trim().eq_ignore_ascii_case(key).then(|| unescaped(value))
        })
    };
    let number = |key: &str| property(key).as_deref().and_then(text::position);
    made.level = match property("type").as_deref() {
        Some("error") => Level::Error,
        Some("warning") => Level::Warning,
        _ => return false,
    };
    cut::head(unescaped(found.text("said")).trim(), limit::MESSAGE_BYTES).clone_into(&mut made.message);
    made.file = property("sourcepath").filter(|file| !file.is_empty()).map(|file| name(&text::path(&file)));
    made.line = number("linenumber").filter(|_| made.file.is_some());
    made.column = number("columnnumber").filter(|_| made.line.is_some());
    let printed = property("code").filter(|code| !code.is_empty());
    made.code = printed.or_else(|| code(None, &made.message)).map(|code| name(&code));
    true
}

/// Decodes the escapes of Azure's agent.
fn unescaped(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let pairs = [("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%AZP25", "%"), ("%25", "%")];
    pairs.iter().fold(text.to_owned(), |shown, (escaped, meant)| shown.replace(escaped, meant)).replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::formats::finding_report::tests::shown;

    #[test]
    fn issues_are_findings() {
        let mut reader = TOOL.lines[0].reader(false);
        for (text, used) in [
            (
                "##vso[task.logissue type=error;sourcepath=a\\b.py;linenumber=1;columnnumber=8;code=F401;]`os` %5Bno%5D",
                Use::Line,
            ),
            ("##vso[task.logissue type=warning]w", Use::Line),
            ("##vso[task.logissue type=error]Bash exited with code '1'.", Use::Line),
            ("    (\"##vso[task.logissue type=warning]w\", x)", Use::None),
            ("##vso[task.complete result=Failed;]x", Use::None),
        ] {
            let line = Line::new(text, Stream::Stdout, 0..1);
            assert_eq!(reader.line(&line), used);
        }
        let read = shown(reader.finish().unwrap());
        assert_eq!(read, ["Error a/b.py 1:8:-:- F401: `os` %5Bno]", "Warning - -:-:-:- -: w"]);
    }
}
