//! What the lines of the program that speaks with the queue become.
#![expect(clippy::disallowed_methods, reason = "tests make the program that answers")]

use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;

use referee_model::depot::DepotAddress;
use referee_model::id::{Digest, ProjectName, TaskId, WorkspacePath};
use referee_model::run_order::RunOrder;
use referee_model::sandbox::SandboxMode;
use referee_model::tree_manifest::ContentLink;

use super::*;

const REFUSED: &str = r#"{"kind":"answered","outcome":{"kind":"refused","reason":"no"}}"#;

fn request() -> OrderRequest {
    let digest = Digest::of("x");
    OrderRequest {
        order: WorkerOrder::Run(RunOrder {
            project: ProjectName::parse("quote").unwrap(),
            tree: ContentLink { sha256: digest, bytes: 1 },
            inputs: digest,
            specification: WorkspacePath::parse("referee.yaml").unwrap(),
            specification_digest: digest,
            task: TaskId::parse("T001").unwrap(),
            left_out: std::collections::BTreeMap::new(),
            jobs: NonZeroUsize::new(2),
            timeout_ms: None,
            sandbox: SandboxMode::Off,
            engine_version: "1.0.0".to_owned(),
            labels: BTreeSet::new(),
        }),
        authorization: None,
        depot: DepotAddress::parse("/depot").unwrap(),
        timeout_ms: 1_000,
        heartbeat_ms: 20_000,
    }
}

/// Has a program with these lines answer. Returns the answer, and how many events were told before it.
fn answer(
    script: &str,
    time_left: Option<u64>,
    cancellation: &Cancellation,
) -> (Result<Option<OrderAnswer>, (ErrorKind, String)>, usize) {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    let environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
    let mut told = 0;
    let queue = OrderQueue { program, environment };
    let answer = queue.order(&request(), (cancellation, time_left), &mut |_| told += 1);
    (answer.map_err(|error| (error.kind, error.message)), told)
}

fn lines(lines: &[&str]) -> String {
    let print = |line: &&str| format!("printf '%s\\n' '{line}'\n");
    lines.iter().map(print).collect::<Vec<_>>().concat()
}

#[test]
fn the_last_line_is_the_answer_and_those_before_it_are_told() {
    let never = Cancellation::new().unwrap();
    let all = [
        r#"{"kind":"queued","attached":true}"#,
        r#"{"kind":"no-worker"}"#,
        r#"{"kind":"progress","event":{"type":"run-started"}}"#,
        REFUSED,
    ];
    let refused = OrderAnswer::Answered(OrderOutcome::Refused { reason: "no".to_owned() });
    assert_eq!(answer(&lines(&all), None, &never), (Ok(Some(refused)), 3));
    let late = r#"{"kind":"failed","error":{"kind":"timed-out","message":"late"}}"#;
    assert_eq!(answer(&lines(&[late]), None, &never).0, Ok(Some(OrderAnswer::TimedOut { reason: "late".to_owned() })));
}

#[test]
fn what_is_no_answer_is_a_fault_and_never_one() {
    let never = Cancellation::new().unwrap();
    for (script, kind) in [
        (String::new(), ErrorKind::Evidence),
        ("echo broken >&2; exit 3".to_owned(), ErrorKind::Evidence),
        (lines(&["junk"]), ErrorKind::Evidence),
        (lines(&[r#"{"kind":"queued","attached":false}"#]), ErrorKind::Evidence),
        (lines(&[REFUSED, "junk"]), ErrorKind::Evidence),
        (lines(&[r#"{"kind":"failed","error":{"kind":"unavailable","message":"away"}}"#]), ErrorKind::Evidence),
        (lines(&[r#"{"kind":"failed","error":{"kind":"cancelled","message":"gone"}}"#]), ErrorKind::Evidence),
        (lines(&[r#"{"kind":"failed","error":{"kind":"protocol","message":"odd"}}"#]), ErrorKind::Evidence),
        (lines(&[r#"{"kind":"failed","error":{"kind":"address","message":"bad"}}"#]), ErrorKind::Usage),
    ] {
        let (answered, _) = answer(&script, None, &never);
        assert_eq!(answered.as_ref().map_err(|(kind, _)| *kind), Err(kind), "{script}: {answered:?}");
    }
}

#[test]
fn an_order_that_somebody_else_gave_up_is_told_apart_from_ones_own() {
    let never = Cancellation::new().unwrap();
    let cancelled = r#"{"kind":"failed","error":{"kind":"cancelled","message":"gone"}}"#;
    assert_eq!(answer(&lines(&[r#"{"kind":"queued","attached":true}"#, cancelled]), None, &never).0, Ok(None));
    let own = answer(&lines(&[r#"{"kind":"queued","attached":false}"#, cancelled]), None, &never).0;
    assert_eq!(own.map_err(|(kind, _)| kind), Err(ErrorKind::Evidence));
}

#[test]
fn who_asks_waits_no_longer_than_his_time_and_not_after_a_request_to_stop() {
    let never = Cancellation::new().unwrap();
    assert_eq!(answer("sleep 600", Some(100), &never).0, Ok(Some(OrderAnswer::OutOfTime)));
    let asked = Cancellation::new().unwrap();
    asked.request(2);
    assert_eq!(answer("sleep 600", None, &asked).0, Ok(Some(OrderAnswer::Interrupted { signal: 2 })));
}
