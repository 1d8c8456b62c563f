//! Which earlier runs of an order answer whoever asks later.

use referee_model::run_context::SharedReceipt;
use referee_model::time::Timestamp;

use super::*;
use crate::worker_run::{out_of_date, take};

/// Takes a run that answered earlier.
fn taken(specification: &str, change: impl FnOnce(&mut RunOrderResult)) -> Result<WorkerRun, String> {
    let (worker, asker) = (Machine::new(specification), Machine::new(specification));
    let mut answer = worker.perform(Digest::of("order"), true);
    let run = asker.receive(&answer, asker.inputs()).unwrap().unwrap();
    change(&mut answer.result);
    take(run, &answer.result)
}

#[test]
fn a_run_that_a_recorded_verdict_would_be_reused_of_answers_and_says_which_it_is() {
    for specification in [SPECIFICATION, "task: T001\nchecks:\n  bad: { file: missing.txt }\n"] {
        let run = taken(specification, |_| {}).unwrap();
        let Some(SharedReceipt::Taken { execution_id, ended, signer, .. }) = &run.receipt else {
            panic!("{specification}")
        };
        assert_eq!((execution_id, *ended, *signer), (&run.run.execution, run.run.ended, run.signer.digest()));
        let mut header = run.run.clone();
        run.add_to(&mut header, &str::to_owned);
        assert_eq!(header.run_context.shared_receipt, run.receipt);
        assert!(header.notices.iter().any(|notice| notice.contains("answered by an earlier run")), "{header:?}");
    }
}

#[test]
fn a_run_of_which_no_recorded_verdict_is_reused_answers_nobody_later() {
    for (specification, part) in [
        (
            "checks:\n  flaky: { run: \"test -f mark || { touch mark; exit 1; }\", retries: 2 }\noutputs: [mark]\n",
            "come again",
        ),
        ("checks:\n  slow: { run: sleep 60, timeout: 200ms }\n", "come again"),
        ("checks:\n  gone: nosuchprogram-anywhere\n", "come again"),
        ("checks:\n  change: \"echo more >> a.txt\"\n", "come again"),
        ("checks:\n  ask: { http: \"http://127.0.0.1:1/\", status: 200 }\n", "asks a server"),
        ("checks:\n  look: { file: \"*.txt\" }\n", "by a pattern"),
        ("checks:\n  again: \"cp a.txt b.txt && cat b.txt > a.txt\"\noutputs: [b.txt]\n", "were written"),
        ("checks:\n  outside: \"cat /etc/hostname > /dev/null\"\n", "/etc/hostname"),
    ] {
        let refused = taken(specification, |_| {}).err();
        assert!(refused.as_ref().is_some_and(|reason| reason.contains(part)), "{specification}: {refused:?}");
    }
}

#[test]
fn a_run_that_ended_at_another_time_than_was_signed_answers_nobody() {
    let refused = taken(SPECIFICATION, |result| result.ended = result.ended.plus_milliseconds(1)).err().unwrap();
    assert!(refused.contains("did not end"), "{refused}");
}

#[test]
fn the_time_that_a_worker_signed_decides_how_old_a_run_is() {
    const HOUR: u64 = 3_600_000;
    let start = Timestamp::from_millisecond(1_800_000_000_000);
    let seal = ContentLink { sha256: Digest::of("seal"), bytes: 4 };
    let execution = ExecutionId::parse("exec-1-worker").unwrap();
    let ended_at =
        |ended| RunOrderResult { order: Digest::of("order"), attempt: 1, execution: execution.clone(), seal, ended };
    let ago = |milliseconds: u64, age: u64| out_of_date(&ended_at(start), (start.plus_milliseconds(milliseconds), age));
    for (milliseconds, age, is_taken) in [
        (0, HOUR, true),
        (HOUR - 1, HOUR, true),
        (HOUR, HOUR, false),
        (0, 0, false),
        (719 * HOUR, u64::MAX, true),
        (720 * HOUR, u64::MAX, false),
        (u64::MAX, u64::MAX, false),
    ] {
        assert_eq!(ago(milliseconds, age).is_none(), is_taken, "{milliseconds} of {age}");
    }
    let ahead = |milliseconds| out_of_date(&ended_at(start.plus_milliseconds(milliseconds)), (start, HOUR));
    assert_eq!(ahead(5 * 60 * 1000), None);
    assert!(ahead(5 * 60 * 1000 + 1).unwrap().contains("later than now"));
    assert!(ahead(u64::MAX).is_some());
}
