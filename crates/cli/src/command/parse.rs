//! `referee parse`: runs only the readers.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::spool::Spool;
use referee_model::exit_code;
use referee_model::limit;
use referee_model::reading::Reading;
use referee_model::record::Stream;
use referee_readers::Hint;
use referee_readers::custom::{self, Custom};
use referee_readers::source::Source;
use referee_report::formats::github;
use referee_report::formats::rdjson;
use referee_report::formats::sarif;
use referee_report::human;
use referee_report::parse;

use crate::args::{Parse, ParseFormat};
use crate::output;
use crate::sources::Sources;

/// Name of standard input.
const STANDARD_INPUT: &str = "-";

/// Maximum number of source files for excerpts.
const SOURCES: usize = 1024;

/// Reads raw output and prints the findings. Exits with 0 whatever it finds.
pub(super) fn execute(context: &Context, arguments: &Parse) -> Result<u8, EngineError> {
    if arguments.list {
        let lines = referee_readers::known().into_iter().map(|known| {
            let line = format!("{:<20} {:<10} {}", known.name, known.role.as_str(), known.aliases.join(", "));
            format!("{}\n", line.trim_end())
        });
        output::answer(lines.collect::<String>().as_bytes())?;
        return Ok(exit_code::PASSED);
    }
    if let Some(tool) = &arguments.tool
        && !referee_readers::tools().any(|known| known == tool)
    {
        return Err(EngineError::usage(format!(
            "no reader for `{tool}`: `referee parse --list` lists them; without --tool the reader is chosen by content"
        )));
    }
    let mut files = arguments.files.clone();
    if files.is_empty() {
        files.push(PathBuf::from(STANDARD_INPUT));
    }
    let customs = customs(context, arguments)?;
    let hint = Hint { tool: arguments.tool.clone(), role: None };
    let mut inputs = Vec::new();
    for file in &files {
        let name = file.to_string_lossy().into_owned();
        let input = Input::open(context, file)?;
        let reading =
            if customs.is_empty() { referee_readers::read(&input, &hint) } else { custom::read(&input, &customs) };
        let reading = reading.map_err(|error| EngineError::usage(format!("{name} cannot be read: {error}")))?;
        inputs.push((name, reading));
    }
    output::answer(&rendered(context, arguments.format, &inputs)?)?;
    Ok(exit_code::PASSED)
}

/// Returns the user's own readers.
fn customs(context: &Context, arguments: &Parse) -> Result<Vec<Custom>, EngineError> {
    let mut customs = Vec::new();
    for file in &arguments.matcher {
        let named = |error: &dyn std::fmt::Display| EngineError::usage(format!("{}: {error}", file.display()));
        let json = std::fs::read_to_string(context.directory.join(file)).map_err(|error| named(&error))?;
        customs.extend(Custom::problem_matchers(&json).map_err(|error| named(&error))?);
    }
    if !arguments.errorformat.is_empty() {
        let formats: Vec<&str> = arguments.errorformat.iter().map(String::as_str).collect();
        let custom = Custom::errorformat("errorformat", &formats);
        customs.push(custom.map_err(|error| EngineError::usage(format!("--errorformat: {error}")))?);
    }
    Ok(customs)
}

/// Renders the readings, each with the name of its input.
fn rendered(context: &Context, format: ParseFormat, inputs: &[(String, Reading)]) -> Result<Vec<u8>, EngineError> {
    let mut text = Vec::new();
    match (format, inputs) {
        (ParseFormat::Json, [(_, reading)]) => text = referee_model::document::to_bytes(&parse::document(reading))?,
        (ParseFormat::Json, _) => {
            let named = inputs.iter().map(|(name, reading)| (name.as_str(), reading));
            text = referee_model::document::to_bytes(&parse::documents(named))?;
        }
        (ParseFormat::Sarif, _) => {
            text = referee_model::document::to_bytes(&sarif::document(inputs.iter().map(|(_, reading)| reading)))?;
        }
        (ParseFormat::Jsonl, _) => {
            for (name, reading) in inputs {
                text.extend(parse::lines(name, reading)?);
            }
        }
        (ParseFormat::Rdjsonl, _) => {
            for (name, reading) in inputs {
                text.extend(rdjson::lines(name, reading)?);
            }
        }
        (ParseFormat::Github, _) => {
            for (_, reading) in inputs {
                github::write(reading, &mut text)?;
            }
        }
        (ParseFormat::Human, _) => {
            // A directory without a canonical path has no files to show.
            let directory = std::fs::canonicalize(&context.directory).unwrap_or_else(|_| context.directory.clone());
            let mut sources = Sources::new(&directory);
            for (name, reading) in inputs {
                sources.load(reading, SOURCES);
                let name = (1 < inputs.len()).then_some(name.as_str());
                human::reading::write(name, reading, &sources, context.terminal.stdout, &mut text)?;
            }
        }
    }
    Ok(text)
}

/// Input: a file, or a spooled copy of a pipe.
struct Input(Spool);

impl Input {
    fn open(context: &Context, file: &Path) -> Result<Self, EngineError> {
        let opened = if file.as_os_str() == STANDARD_INPUT {
            io::stdin().as_fd().try_clone_to_owned().map(File::from)
        } else {
            File::open(context.directory.join(file))
        };
        let taken = opened.and_then(|mut file| {
            // A file at its beginning can be read again, and need not be copied.
            let is_at_start = file.metadata()?.is_file() && file.stream_position()? == 0;
            if is_at_start { Ok(Spool::of(file)) } else { take(context, &mut file) }
        });
        taken.map(Self).map_err(|error| EngineError::usage(format!("{} cannot be read: {error}", file.display())))
    }
}

/// Copies input that can be read only once.
fn take(context: &Context, input: &mut dyn Read) -> io::Result<Spool> {
    let directory = PathBuf::from(context.variable("TMPDIR").unwrap_or("/tmp".as_ref()));
    let (spool, bytes) = Spool::take(input, &directory, limit::OUTPUT_BYTES + 1)?;
    if limit::OUTPUT_BYTES < bytes {
        return Err(io::Error::other(format!("it is larger than {} bytes", limit::OUTPUT_BYTES)));
    }
    Ok(spool)
}

impl Source for Input {
    fn open(&self, stream: Stream) -> io::Result<Box<dyn Read + '_>> {
        Ok(match stream {
            Stream::Stdout => Box::new(self.0.reader()),
            Stream::Stderr => Box::new(io::empty()),
        })
    }

    fn locate(&self, _: Stream, offset: u64) -> u64 {
        offset
    }
}
