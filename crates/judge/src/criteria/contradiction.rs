//! Records that contradict the plan, the run or each other. A correct engine writes none, so each is a fault,
//! and never a pass.

use referee_model::plan::Action;
use referee_model::record::service::Readiness;
use referee_model::record::{Facts, Record, RunEnding, RunRecord};
use referee_model::report::Ran;

/// Returns the contradictions in an action's records, one sentence each.
///
/// | contradiction                                                               |
/// |-----------------------------------------------------------------------------|
/// | it ran, and the run says that it was skipped                                |
/// | its attempts are not numbered 1, 2, … without a gap                         |
/// | it was tried more often than the plan allows                                |
/// | an attempt is the record of another action                                  |
/// | an attempt ended before it began, or is outside of the run                  |
/// | it was ready as a service, and the run has no record of its end             |
pub(super) fn of(action: &Action, ran: &Ran, run: &RunRecord) -> Vec<String> {
    let id = &action.id;
    let records: Vec<&Record> = ran.earlier.iter().map(|attempt| &attempt.record).chain([&ran.record]).collect();
    let numbered = records.iter().zip(1..).all(|(record, number)| record.attempt == number);
    let (began, ended) = run.performed();
    let rows = [
        (run.skipped.contains_key(id), "has a record, and the run says that it was skipped"),
        (!numbered, "has attempts that are not numbered from 1 without a gap"),
        (records.len() as u64 > u64::from(action.retries) + 1, "was tried more often than the plan allows"),
        (ran.earlier.iter().any(|attempt| attempt.record.action != *id), "has an attempt of another action"),
        (records.iter().any(|record| record.span.ended < record.span.started), "ended before it began"),
        (
            records.iter().any(|record| record.span.started < began || ended < record.span.ended),
            "ran outside of its run",
        ),
        (is_lost(&ran.record, run), "was ready as a service, and the run does not say what became of it"),
    ];
    rows.into_iter().filter(|(is_so, _)| *is_so).map(|(_, sentence)| format!("{id} {sentence}")).collect()
}

/// Returns whether the end of a service that was started and became ready is not recorded.
fn is_lost(record: &Record, run: &RunRecord) -> bool {
    let Facts::Service(facts) = &record.facts else { return false };
    run.ending == RunEnding::Finished
        && facts.started.is_some()
        && matches!(facts.readiness, Readiness::Ready { .. })
        && !run.services.iter().any(|service| service.action == record.action && service.attempt == record.attempt)
}
