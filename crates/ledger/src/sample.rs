//! Sample runs for tests.

use std::path::Path;

use referee_model::event::EventKind;
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::record::{Facts, FileFacts, FileState, Record, Span, Stream};
use referee_model::seal::Seal;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;

use crate::error::LedgerError;
use crate::publication::Published;
use crate::redact::Redactor;
use crate::seal;
use crate::staging::Staging;
use crate::store::Store;

pub(crate) fn task() -> TaskId {
    TaskId::parse("T001").unwrap()
}

pub(crate) fn execution(number: u32) -> ExecutionId {
    ExecutionId::parse(format!("exec-{number}")).unwrap()
}

pub(crate) fn at(second: u32) -> Timestamp {
    Timestamp::from_millisecond(1_795_251_924_000 + i64::from(second) * 1_000)
}

pub(crate) fn begin(store: &Store, number: u32) -> Result<Staging, LedgerError> {
    store.begin(&task(), &execution(number), Redactor::new(Vec::new(), Vec::new()))
}

/// Starts a run at the second that is its number.
pub(crate) fn start(staging: &mut Staging, number: u32) -> Result<(), LedgerError> {
    let started =
        EventKind::RunStarted { execution: execution(number), task: task(), title: "a sample".to_owned(), actions: 1 };
    staging.append(at(number), started).map(|_| ())
}

pub(crate) fn finish(staging: &mut Staging, number: u32) -> Result<(), LedgerError> {
    staging.append(at(number + 1), EventKind::RunFinished { decision: Decision::Pass }).map(|_| ())
}

pub(crate) fn plan_digest() -> Digest {
    Digest::from_bytes([7; 32])
}

/// Publishes a complete run: one log, one record, one document.
pub(crate) fn run(store: &Store, number: u32) -> Result<Published, LedgerError> {
    let mut staging = begin(store, number)?;
    start(&mut staging, number)?;
    let mut capture = staging.capture("STEP.1-sample.log")?;
    capture.append(Stream::Stdout, format!("run {number}\n").as_bytes())?;
    capture.append(Stream::Stderr, b"a warning\n")?;
    capture.finish()?;
    let record = Record {
        action: ActionId::parse("STEP.1").unwrap(),
        attempt: 1,
        span: Span { started: at(number), ended: at(number), duration_ms: 0 },
        facts: Facts::File(FileFacts { path: "a".to_owned(), found: FileState::Missing }),
        notices: Vec::new(),
    };
    staging.append(at(number), EventKind::ActionFinished(Box::new(record)))?;
    staging.put("execution-report.json", b"{}\n")?;
    finish(&mut staging, number)?;
    staging.publish(plan_digest(), at(number + 1))
}

/// Returns the seal of a directory, if it has a valid one.
pub(crate) fn seal_of(directory: &Path) -> Option<(Seal, Digest)> {
    match seal::find(&crate::directory::Directory::open(directory).ok()?).ok()? {
        seal::SealState::Sealed { seal, digest } => Some((*seal, digest)),
        seal::SealState::Missing | seal::SealState::Unreadable { .. } => None,
    }
}
