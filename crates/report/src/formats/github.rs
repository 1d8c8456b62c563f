//! GitHub workflow commands: findings and failed tests become annotations of the lines concerned.

use std::io::{self, Write};

use referee_model::reading::{Diagnostic, Level, Reading, TestFailure};

/// Writes a reading, with one command for each finding and failed test.
pub fn write(reading: &Reading, out: &mut dyn Write) -> io::Result<()> {
    for found in &reading.diagnostics {
        of_diagnostic(found, out)?;
    }
    for failure in reading.tests.iter().flat_map(|tests| &tests.failures) {
        of_failure(failure, out)?;
    }
    Ok(())
}

fn of_diagnostic(found: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    let command = match found.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    };
    let title = match &found.code {
        Some(code) => format!("{} {code}", found.tool),
        None => found.tool.clone(),
    };
    let numbers =
        [("line", found.line), ("endLine", found.end_line), ("col", found.column), ("endColumn", found.end_column)];
    write_command(command, found.file.as_deref(), &numbers, &title, &found.message, out)
}

fn of_failure(failure: &TestFailure, out: &mut dyn Write) -> io::Result<()> {
    let title = if failure.suite { "tests did not run" } else { "failed test" };
    let numbers = [("line", failure.line), ("col", failure.column)];
    let message = format!("{}: {}", failure.name, failure.message);
    write_command("error", failure.file.as_deref(), &numbers, title, &message, out)
}

/// Returns an annotation of one line, or of no particular line.
pub(crate) fn annotation(
    level: Level,
    file: Option<&str>,
    numbers: &[(&str, Option<u32>)],
    title: &str,
    message: &str,
) -> String {
    let command = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    };
    let mut line = Vec::new();
    // Writing into memory cannot fail.
    let _ = write_command(command, file, numbers, title, message, &mut line);
    String::from_utf8_lossy(&line).into_owned()
}

fn write_command(
    command: &str,
    file: Option<&str>,
    numbers: &[(&str, Option<u32>)],
    title: &str,
    message: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "::{command} title={}", property(title))?;
    if let Some(file) = file {
        write!(out, ",file={}", property(file))?;
        for (name, number) in numbers {
            if let Some(number) = number {
                write!(out, ",{name}={number}")?;
            }
        }
    }
    writeln!(out, "::{}", data(message))
}

/// Escapes a message, so that text of a tool cannot end it and start a command of its own.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_give_commands() {
        let failure = TestFailure {
            name: "adds".to_owned(),
            file: Some("a,b:c.js".to_owned()),
            line: Some(3),
            message: "100%\n::error::forged\r".to_owned(),
            ..TestFailure::default()
        };
        let mut out = Vec::new();
        of_failure(&failure, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "::error title=failed test,file=a%2Cb%3Ac.js,line=3::adds: 100%25%0A::error::forged%0D\n");
    }
}
