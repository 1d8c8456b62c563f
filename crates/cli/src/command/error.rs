//! `referee error`: failures as structured errors.

use std::collections::BTreeMap;
use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_foreign::system_error;
use referee_foreign::{agent_result, verification_report};
use referee_judge::build_error::{Options, of_agent_result, of_system_error, of_verification_report, with_tails};
use referee_ledger::redact::Redactor;
use referee_model::agent_result::KnownEnd;
use referee_model::build_error::{BuildError, BuildErrorType, ContextValue, SystemError, bare_name};
use referee_model::exit_code;
use referee_model::limit::FOREIGN_DOCUMENT_BYTES;
use referee_report::execution_report;
use referee_report::human::build_error as shown;
use referee_syntax::ansi;

use crate::args::error::{Classify, ErrorCommand};
use crate::resolve::now;
use crate::{input, output};

/// Maximum size of a report of Referee that is read, in bytes.
const REPORT_BYTES: u64 = 1 << 30;

pub(super) fn execute(context: &Context, command: &ErrorCommand) -> Result<u8, EngineError> {
    match command {
        ErrorCommand::Classify(arguments) => classify(context, arguments),
        ErrorCommand::Types => types(),
    }
}

/// Reports the kind of failure in a document. Exits with 0 whatever the kind.
fn classify(context: &Context, arguments: &Classify) -> Result<u8, EngineError> {
    let redactor = context.redactor();
    let error = error(context, arguments, &redactor)?.map(|error| redacted(&redactor, error));
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&error),
        |out| shown::write(error.as_ref(), context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Reads a document and classifies it. None: it is a report of Referee that passed.
fn error(context: &Context, arguments: &Classify, redactor: &Redactor) -> Result<Option<BuildError>, EngineError> {
    let options = Options { tail_lines: arguments.tail_lines };
    let input = &arguments.input;
    if let Some(path) = &input.agent_result {
        let known = known_end(&arguments.runner)?;
        let bytes = input::read(context, path, FOREIGN_DOCUMENT_BYTES as u64)?;
        let result = agent_result::read(&bytes).map_err(|error| junk(path, &error))?;
        let at = result.captured.as_ref().map_or_else(now, |captured| captured.at);
        return Ok(Some(of_agent_result(&result, known, name(arguments, path).as_deref(), at, options)));
    }
    if let Some(path) = &input.verification_report {
        let bytes = input::read(context, path, FOREIGN_DOCUMENT_BYTES as u64)?;
        let report = verification_report::read(&bytes).map_err(|error| junk(path, &error))?;
        let kept = report.kept.as_ref().map(|kept| kept.captured_at);
        let at = report.completed_at.or(kept).unwrap_or_else(now);
        return Ok(Some(of_verification_report(&report, name(arguments, path).as_deref(), None, at, options)));
    }
    if let Some(path) = &input.system_error {
        let bytes = input::read(context, path, FOREIGN_DOCUMENT_BYTES as u64)?;
        let thrown = system_error::read(&ansi::strip_bytes(&bytes)).map_err(|error| junk(path, &error))?;
        return Ok(Some(of_system_error(&without_secrets(redactor, thrown)?, now(), options)));
    }
    let Some(path) = &input.report else {
        return Err(EngineError::usage("nothing is named that could be classified".to_owned()));
    };
    let bytes = input::read(context, path, REPORT_BYTES)?;
    let stated = execution_report::read_build_error(&bytes).map_err(|error| junk(path, &error))?;
    Ok(stated.map(|error| {
        let file = arguments.file_name.as_deref().and_then(bare_name);
        let verification_file = file.or_else(|| error.verification_file.clone());
        with_tails(BuildError { verification_file, ..error }, options)
    }))
}

fn junk(path: &Path, problem: &dyn std::fmt::Display) -> EngineError {
    EngineError::usage(format!("{}: {problem}", path.display()))
}

/// Returns the file name for the error.
fn name(arguments: &Classify, path: &Path) -> Option<String> {
    let own = (path.as_os_str() != input::STANDARD_INPUT).then(|| path.to_string_lossy().into_owned());
    arguments.file_name.clone().or(own)
}

/// Parses the facts about the agent's end.
fn known_end(words: &[String]) -> Result<KnownEnd, EngineError> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => Ok(KnownEnd::Nothing),
        ["deadline"] => Ok(KnownEnd::DeadlineHit),
        ["memory"] => Ok(KnownEnd::MemoryLimit),
        ["signal", number] => match number.parse() {
            Ok(number @ 1..=64) => Ok(KnownEnd::Signal(number)),
            _ => Err(EngineError::usage(format!(
                "--runner signal: {number} is not a signal: it must be a number from 1 to 64"
            ))),
        },
        _ => Err(EngineError::usage(format!(
            "--runner {}: it must be `deadline`, `memory`, or `signal` and a number",
            words.join(" ")
        ))),
    }
}

/// Removes secrets from an error before any of it is shortened. Its context is arbitrary, so keys are redacted, too.
fn without_secrets(redactor: &Redactor, thrown: SystemError) -> Result<SystemError, EngineError> {
    let facts = redactor.data_strictly(serde_json::to_value(&thrown.context)?);
    Ok(SystemError {
        message: redactor.text_strictly(&thrown.message),
        stack: thrown.stack.map(|stack| redactor.text_strictly(&stack)),
        context: serde_json::from_value(facts)?,
        ..thrown
    })
}

/// Removes secrets from the output of agents and tools.
fn redacted(redactor: &Redactor, error: BuildError) -> BuildError {
    BuildError {
        message: redactor.text(&error.message),
        stdout_tail: redactor.text(&error.stdout_tail),
        stderr_tail: redactor.text(&error.stderr_tail),
        context: redacted_map(redactor, error.context),
        ..error
    }
}

fn redacted_map(redactor: &Redactor, map: BTreeMap<String, ContextValue>) -> BTreeMap<String, ContextValue> {
    map.into_iter().map(|(key, value)| (key, redacted_value(redactor, value))).collect()
}

fn redacted_value(redactor: &Redactor, value: ContextValue) -> ContextValue {
    match value {
        ContextValue::Text(text) => ContextValue::Text(redactor.text(&text)),
        ContextValue::List(values) => {
            ContextValue::List(values.into_iter().map(|value| redacted_value(redactor, value)).collect())
        }
        ContextValue::Map(map) => ContextValue::Map(redacted_map(redactor, map)),
        other @ (ContextValue::Null
        | ContextValue::Flag(_)
        | ContextValue::Number(_)
        | ContextValue::Negative(_)
        | ContextValue::Decimal(_)) => other,
    }
}

fn types() -> Result<u8, EngineError> {
    let lines = BuildErrorType::ALL
        .map(|kind| format!("{:<18} {:<12} {}\n", kind.as_str(), kind.group().as_str(), kind.description()));
    output::answer(lines.concat().as_bytes())?;
    Ok(exit_code::PASSED)
}
