//! A structured error, as shown at a terminal.

use std::io::{self, Write};

use referee_model::build_error::{BuildError, ContextValue};

use crate::page::{Line, Page};
use crate::style::{Style, Tone, Verbosity};

/// Maximum number of lines of the message.
const MESSAGE_LINES: usize = 6;

/// Columns reserved for the name of a fact.
const NAME_COLUMNS: usize = 18;

/// Maximum number of values of the context that are shown.
const CONTEXT_SHOWN: usize = 40;

/// Writes an error: its type, its message, the known facts, and the last lines of its streams. None: there is no
/// error.
pub fn write(error: Option<&BuildError>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let Some(error) = error else {
        let good = page.signs().good;
        return page.line(Line::new().then(Tone::Good, good).word(Tone::Plain, "no error: the run passed"));
    };
    let bad = page.signs().bad;
    let lead = Line::new().then(Tone::Bad, bad).word(Tone::Bad, error.kind.prefix()).then(Tone::Plain, "  ");
    let indent = lead.width();
    page.paragraph(lead, indent, Tone::Strong, &error.message, MESSAGE_LINES)?;
    if style.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    facts(error, page)?;
    stream("standard output", &error.stdout_tail, page)?;
    stream("standard error", &error.stderr_tail, page)
}

fn facts(error: &BuildError, page: &mut Page<'_>) -> io::Result<()> {
    fact("type", &format!("{} ({})", error.kind.as_str(), error.kind.group().as_str()), page)?;
    if let Some(code) = error.exit_code {
        fact("exit code", &code.to_string(), page)?;
    }
    for (name, file) in [("agent result", &error.agent_result_file), ("verification", &error.verification_file)] {
        if let Some(file) = file {
            fact(name, file, page)?;
        }
    }
    let phase = error.phase.as_ref().map(|phase| format!(", in {phase}")).unwrap_or_default();
    fact("failed at", &format!("{}{phase}", error.failed_at), page)?;
    for (key, value) in error.context.iter().take(CONTEXT_SHOWN) {
        if *value != ContextValue::Null {
            fact(key, &told(value), page)?;
        }
    }
    Ok(())
}

fn fact(name: &str, value: &str, page: &mut Page<'_>) -> io::Result<()> {
    let lead = Line::indented(2).then(Tone::Faint, name).padded_to(NAME_COLUMNS).then(Tone::Plain, " ");
    let indent = lead.width();
    page.paragraph(lead, indent, Tone::Plain, value, MESSAGE_LINES)
}

/// Returns a value of the context as one line.
fn told(value: &ContextValue) -> String {
    match value {
        ContextValue::Null => "–".to_owned(),
        ContextValue::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        ContextValue::Number(number) => number.to_string(),
        ContextValue::Negative(number) => number.to_string(),
        ContextValue::Decimal(number) => number.to_string(),
        ContextValue::Text(text) => text.clone(),
        ContextValue::List(values) => values.iter().map(told).collect::<Vec<_>>().join(", "),
        ContextValue::Map(map) => {
            map.iter().map(|(key, value)| format!("{key} {}", told(value))).collect::<Vec<_>>().join(", ")
        }
    }
}

fn stream(name: &str, tail: &str, page: &mut Page<'_>) -> io::Result<()> {
    if tail.trim().is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.line(Line::indented(2).then(Tone::Faint, &format!("end of {name}")))?;
    let bar = page.signs().bar;
    for line in tail.trim_end().split('\n') {
        page.line(Line::indented(2).then(Tone::Faint, bar).word(Tone::Plain, line.trim_end_matches('\r')))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use referee_model::build_error::{BuildErrorType, FailedPhase};
    use referee_model::time::Timestamp;

    use super::*;
    use crate::human::fixture::{ascii, colored, plain, quiet};

    fn error() -> BuildError {
        let tokens = BTreeMap::from([("input".to_owned(), ContextValue::Number(1_000))]);
        BuildError {
            kind: BuildErrorType::AgentCrash,
            message: "Agent process crashed unexpectedly with exit code 1".to_owned(),
            exit_code: Some(1),
            stdout_tail: String::new(),
            stderr_tail: "thread 'main' panicked\r\nsrc/main.rs:3:5\n".to_owned(),
            agent_result_file: Some("agent-1.json".to_owned()),
            verification_file: None,
            context: BTreeMap::from([
                ("durationMs".to_owned(), ContextValue::Number(5_000)),
                ("model".to_owned(), ContextValue::Null),
                ("tokensUsed".to_owned(), ContextValue::Map(tokens)),
                ("files".to_owned(), ContextValue::List(vec![ContextValue::text("a"), ContextValue::Flag(true)])),
            ]),
            failed_at: Timestamp::from_millisecond(1_767_368_130_000),
            phase: Some(FailedPhase::Build),
        }
    }

    #[test]
    fn an_error_says_its_kind_what_is_known_and_how_its_streams_end() {
        insta::assert_snapshot!(plain(100, |style, out| write(Some(&error()), style, out)));
        insta::assert_snapshot!(colored(100, |style, out| write(Some(&error()), style, out)));
        insta::assert_snapshot!(ascii(40, |style, out| write(Some(&error()), style, out)));
        insta::assert_snapshot!(quiet(100, |style, out| write(Some(&error()), style, out)));
        insta::assert_snapshot!(plain(100, |style, out| write(None, style, out)));
    }

    #[test]
    fn what_a_tool_printed_reaches_no_terminal_as_a_command() {
        let hostile = BuildError {
            message: "\u{1b}]0;title\u{7}no".to_owned(),
            stderr_tail: "\u{1b}[2Jgone\u{202e}".to_owned(),
            context: BTreeMap::from([("\u{1b}c".to_owned(), ContextValue::text("\u{7}"))]),
            ..error()
        };
        let shown = plain(100, |style, out| write(Some(&hostile), style, out));
        assert!(!shown.chars().any(|character| character.is_control() && character != '\n'), "{shown:?}");
    }
}
