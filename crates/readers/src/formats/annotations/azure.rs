//! Azure's logging commands:
//! `##vso[task.logissue type=error;sourcepath=app.py;linenumber=1;columnnumber=8;code=F401;]unused import`.

use super::{code, is_of_service};
use crate::prelude::*;

/// Azure annotations, regardless of the tool that printed them.
pub(crate) static TOOL: Tool =
    Tool::new("azure-annotations", &["azure", "azure-pipelines"], Role::Lint)
        .lines(&[LineFormat::new(&["##vso[task.logissue"], |is_hinted| {
            Box::new(Commands { is_hinted, findings: Findings::default() })
        })]);

struct Commands {
    is_hinted: bool,
    findings: Findings,
}

impl LineReader for Commands {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let Some(at) = line.text.find("##vso[task.logissue") else { return Use::None };
        // Within source code it is a quotation.
        if line.text[..at].contains(['"', '`']) {
            return Use::None;
        }
        let command = &line.text[at + "##vso[task.logissue".len()..];
        let Some((properties, message)) = command.split_once(']') else { return Use::None };
        let property = |key: &str| {
            properties.split(';').find_map(|pair| {
                let (name, value) = pair.split_once('=')?;
                name.trim().eq_ignore_ascii_case(key).then(|| unescaped(value))
            })
        };
        let level = match property("type").as_deref() {
            Some("error") => Level::Error,
            Some("warning") => Level::Warning,
            _ => return Use::None,
        };
        let message = unescaped(message);
        if is_of_service(&message) {
            return Use::Line;
        }
        let number = |key: &str| property(key).as_deref().and_then(text::position);
        let mut found = diagnostic("azure-annotations", "azure-annotations/command", line, level, "");
        cut::head(message.trim(), limit::MESSAGE_BYTES).clone_into(&mut found.message);
        found.file = property("sourcepath").filter(|file| !file.is_empty()).map(|file| name(&text::path(&file)));
        found.line = number("linenumber").filter(|_| found.file.is_some());
        found.column = number("columnnumber").filter(|_| found.line.is_some());
        let printed = property("code").filter(|code| !code.is_empty());
        found.code = printed.or_else(|| code(None, &found.message)).map(|code| name(&code));
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
