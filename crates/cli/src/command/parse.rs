//! `referee parse`: the readers alone.

use std::io::Read;

use referee_model::reading::{Diagnostic, Level, Reading};
use referee_readers::Hint;
use referee_readers::source::MemorySource;
use referee_report::style::plain;
use referee_wire::exit_code;

use crate::args::{Parse, PlainFormat};
use crate::error::Problem;
use crate::output;
use crate::resolve::World;

/// Largest input that is read, in bytes: all of it is held in memory.
const INPUT_BYTES: u64 = 1024 * 1024 * 1024;

/// Reads raw output and prints what was found. It reports, so it exits with 0 whatever it found.
pub(super) fn execute(world: &World, arguments: &Parse) -> Result<u8, Problem> {
    if arguments.list {
        output::answer(format!("{}\n", referee_readers::tools().join("\n")).as_bytes())?;
        return Ok(exit_code::PASSED);
    }
    if let Some(tool) = &arguments.tool
        && !referee_readers::tools().contains(&tool.as_str())
    {
        let known = referee_readers::tools().join(", ");
        return Err(Problem::usage(format!(
            "no reader for `{tool}`; there are {known}; without --tool the content tells"
        )));
    }
    let source = MemorySource::stdout(input(world, arguments)?);
    let hint = Hint { tool: arguments.tool.clone(), role: None };
    let reading = referee_readers::read(&source, &hint)
        .map_err(|error| Problem::internal(format!("the input could not be read again: {error}")))?;
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&referee_wire::parse::document(&reading))?,
        PlainFormat::Human => human(&reading).into_bytes(),
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

fn input(world: &World, arguments: &Parse) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let read = match arguments.file.as_ref().filter(|file| file.as_os_str() != "-") {
        Some(file) => std::fs::File::open(world.directory.join(file))
            .and_then(|file| file.take(INPUT_BYTES + 1).read_to_end(&mut bytes)),
        None => std::io::stdin().lock().take(INPUT_BYTES + 1).read_to_end(&mut bytes),
    };
    read.map_err(|error| {
        let name = arguments.file.as_ref().map_or("standard input".to_owned(), |file| file.display().to_string());
        Problem::usage(format!("{name} cannot be read: {error}"))
    })?;
    if bytes.len() as u64 > INPUT_BYTES {
        return Err(Problem::usage(format!("the input is larger than {INPUT_BYTES} bytes")));
    }
    Ok(bytes)
}

fn human(reading: &Reading) -> String {
    let mut lines: Vec<String> = reading.diagnostics.iter().map(diagnostic_line).collect();
    if let Some(tests) = &reading.tests {
        lines.extend(tests.failures.iter().map(|failure| format!("failed: {}", plain(&failure.name))));
        let counts = tests.counts;
        lines.push(format!(
            "tests: {} passed, {} failed, {} skipped, {} in all",
            counts.passed, counts.failed, counts.skipped, counts.total
        ));
    }
    let counts = &reading.counts;
    let reader = match &reading.reader {
        Some(reader) => format!("{} ({})", reader.tool, reader.format),
        None => "no known tool".to_owned(),
    };
    lines.push(format!(
        "{reader}: {} errors, {} warnings, {} notes; {} lines not understood",
        counts.errors, counts.warnings, counts.infos, reading.leftovers.lines
    ));
    lines.extend(reading.notes.iter().map(|note| format!("note: {}", plain(note))));
    lines.push(String::new());
    lines.join("\n")
}

fn diagnostic_line(found: &Diagnostic) -> String {
    let place = [found.line, found.column]
        .into_iter()
        .flatten()
        .fold(found.file.clone().unwrap_or_default(), |place, number| format!("{place}:{number}"));
    let level = match found.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "info",
    };
    let code = found.code.as_ref().map_or(String::new(), |code| format!(" [{code}]"));
    plain(&format!("{place}: {level}: {}{code}", found.message))
}
