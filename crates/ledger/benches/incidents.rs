//! How long it takes to capture, list, filter and search among many incidents: `cargo bench -p referee-ledger --bench incidents`.
//! The budget is 150 ms for a list among 10 000, which reads all of them. A number after `--` sets how many there are.

#![expect(clippy::print_stdout, reason = "a measurement makes files and prints")]

use std::path::Path;
use std::time::{Duration, Instant};

use referee_ledger::State;
use referee_ledger::incidents::{Change, Incidents, Query};
use referee_model::document;
use referee_model::fingerprint::Fingerprint;
use referee_model::id::Digest;
use referee_model::incident::status::IncidentStatus;
use referee_model::incident::{self, IncidentDocument};
use referee_model::time::Timestamp;

const MANY: u32 = 10_000;
const ROUNDS: usize = 15;
const CAPTURES: u32 = 20;

fn main() {
    let many = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(MANY);
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let root = folder.path().join("reports");
    for number in 0..many {
        lay_down(&root, number);
    }
    println!("{many} incidents\n{:<42} {:>10} {:>10}", "", "median", "worst");

    let state = State::open(&folder.path().join("state")).expect("a state directory can be made");
    let open = || Incidents::open(&root, Some(&state)).expect("the incidents can be opened");
    let list = |incidents: &Incidents, query: &Query| incidents.list(query).expect("they can be listed");
    shown("first list", &mut [timed(|| list(&open(), &Query::default()))]);

    let text = |text: &str| Query { text: Some(text.to_owned()), ..Query::default() };
    let incidents = open();
    let deep = list(&incidents, &Query { limit: 1_000, ..Query::default() }).next;
    let questions = [
        ("list, the first page", Query::default()),
        ("list, a later page", Query { after: deep, ..Query::default() }),
        (
            "filter: one status, open",
            Query { statuses: vec![IncidentStatus::Approved], open: Some(true), ..Query::default() },
        ),
        (
            "filter: class and step",
            Query { failure_class: Some("timeout".to_owned()), step: Some("step-3".to_owned()), ..Query::default() },
        ),
        ("filter: fingerprint", Query { fingerprint: Some(fingerprint(77).to_string()), ..Query::default() }),
        ("search: words that many have", text("receipt timeout")),
        ("search: a word that nobody has", text("xylophone")),
        ("search: one id", text(&name(many / 2))),
    ];
    for (label, query) in &questions {
        shown(label, &mut (0..ROUNDS).map(|_| timed(|| list(&incidents, query))).collect::<Vec<_>>());
    }
    shown(
        "list, a program of its own each time",
        &mut (0..ROUNDS).map(|_| timed(|| list(&open(), &Query::default()))).collect::<Vec<_>>(),
    );

    // As a capture does: is it one that is known? If not, it is a new one.
    let capture = |number: u32| {
        let found = incidents.find_by_fingerprint(&fingerprint(number)).expect("they can be read");
        assert!(found.is_empty());
        let change = Change::of(document(number), "capture", "bench");
        assert!(incidents.add(change, Timestamp::from_millisecond(0)).expect("it can be written"));
    };
    shown("capture", &mut (0..CAPTURES).map(|number| timed(|| capture(many + number))).collect::<Vec<_>>());
    let after_each = |number: u32| {
        capture(many + CAPTURES + number);
        timed(|| list(&incidents, &Query::default()))
    };
    shown("list right after a capture", &mut (0..15).map(after_each).collect::<Vec<_>>());
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let began = Instant::now();
    let _ = work();
    began.elapsed()
}

fn shown(label: &str, times: &mut [Duration]) {
    times.sort();
    let milliseconds = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1_000.0);
    println!("{label:<42} {:>7.2} ms {:>7.2} ms", milliseconds(times.get(times.len() / 2)), milliseconds(times.last()));
}

fn name(number: u32) -> String {
    format!("incident_20260217_120000_run_{number:06}")
}

fn fingerprint(number: u32) -> Fingerprint {
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    Fingerprint::version_1(Digest::from_bytes(bytes))
}

fn document(number: u32) -> IncidentDocument {
    let status = IncidentStatus::ALL[number as usize % 5];
    let text = format!(
        r#"{{"incident_id": "{}", "status": "{}", "created_at": "2026-02-17T03:00:00Z", "updated_at": "2026-02-17T03:{:02}:{:02}Z",
            "run_id": "run_20260217_{number}", "step": "step-{}", "failure_class": "{}", "fingerprint": "{}",
            "message": "Network timeout during receipt download, attempt {number} of many, after a while"}}"#,
        name(number),
        status.as_str(),
        number % 60,
        number / 60 % 60,
        number % 20,
        ["timeout", "run_failed", "transient"][number as usize % 3],
        fingerprint(number),
    );
    incident::read(text.as_bytes()).expect("it is an incident")
}

/// Makes an incident without waiting for the disk.
fn lay_down(root: &Path, number: u32) {
    let shelf = if number % 10 < 2 { "error_inbox" } else { "error_archive/resolved" };
    let folder = root.join(shelf).join(name(number));
    std::fs::create_dir_all(&folder).expect("a directory can be made");
    let document = document(number);
    let bytes = document::to_bytes(&document).expect("it can be laid out");
    std::fs::write(folder.join(incident::INCIDENT), bytes).expect("a file can be written");
    std::fs::write(folder.join(incident::STATUS), document.status.as_str()).expect("a file can be written");
}
