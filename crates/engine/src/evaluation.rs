//! The evaluator's answer, read from its stored output. Live runs and replays share this code.

use std::io::Read;

use referee_judge::criteria::EvaluatorOutput;
use referee_ledger::evidence::LogFile;
use referee_model::limit;
use referee_model::record::{Facts, Log, Record, Stream};

use crate::error::EngineError;

/// The record of an evaluator's run, and its standard output.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) record: Record,
    answer: Option<Vec<u8>>,
}

impl Answered {
    /// Reads the answer from the stored output.
    ///
    /// # Errors
    /// Fails if stored output differs from what was captured, or cannot be read.
    pub(crate) fn read(record: Record, open_log: impl Fn(&Log) -> LogFile) -> Result<Self, EngineError> {
        let answer = log(&record).map(|log| standard_output(log, &open_log(log))).transpose()?.flatten();
        Ok(Self { record, answer })
    }

    /// Returns the answer in the form that the judge takes.
    pub(crate) fn output(&self) -> EvaluatorOutput<'_> {
        EvaluatorOutput { record: Some(&self.record), answer: self.answer.as_deref() }
    }
}

fn log(record: &Record) -> Option<&Log> {
    match &record.facts {
        Facts::Command(facts) => facts.log.as_ref(),
        _ => None,
    }
}

/// Reads the whole standard output. `None`: it is longer than [`limit::EVALUATOR_ANSWER_BYTES`].
fn standard_output(log: &Log, stored: &LogFile) -> Result<Option<Vec<u8>>, EngineError> {
    stored.check()?;
    if log.streams.stream_bytes(Stream::Stdout) > limit::EVALUATOR_ANSWER_BYTES as u64 {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let read = stored.stream(Stream::Stdout).and_then(|mut stream| stream.read_to_end(&mut bytes));
    read.map_err(|error| {
        EngineError::internal(format!("the stored answer of the evaluator could not be read: {error}"))
    })?;
    Ok(Some(bytes))
}
