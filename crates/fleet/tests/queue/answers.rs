//! What becomes of an order: the one run, its answer, and who gets it.

use referee_model::id::TaskId;
use referee_model::order_protocol::{OrderFailureKind, OrderLine, OrderRequest, PerformRequest};
use referee_model::run_order::OrderOutcome;

use crate::scene::{Scene, performed, wait_for};
use crate::server;

fn scene(name: &str) -> Option<Scene> {
    Some(Scene::new(server::shared()?.port, name))
}

#[test]
fn an_order_is_performed_and_answered() {
    let Some(scene) = scene("answered") else { return };
    let worker = scene.worker(
        &[],
        1,
        r#"printf '%s' "$request" >"$GROUND/request"
env >"$GROUND/environment"
echo 'a note' >&2
echo '{"kind":"progress","event":{"n":1}}'
echo '{"kind":"progress","event":{"n":2}}'
sleep 3
echo "$OUTCOME""#,
    );
    let order = scene.order(&[]);
    let lines = scene.ask(&order).all();
    let events = [1, 2].map(|n| OrderLine::Progress { event: serde_json::json!({ "n": n }) });
    let [first, second] = events;
    assert_eq!(
        lines,
        [OrderLine::Queued { attached: false }, first, second, OrderLine::Answered { outcome: performed() }]
    );
    let request: PerformRequest = serde_json::from_str(&scene.read("request")).unwrap();
    let OrderRequest { order: asked, depot, authorization, .. } = order.clone();
    assert_eq!(request, PerformRequest { order: asked, depot, authorization, attempt: 1 });
    let environment = scene.read("environment");
    assert!(!environment.lines().any(|line| line.starts_with("TEMPORAL_")), "the program gets no access to the queue");
    let name = &order.order.digest().unwrap().to_string()[..12];
    worker.expect(&format!("order {name}: answered"));
    worker.expect(&format!("{name} | a note"));

    let lines = scene.ask(&order).all();
    assert_eq!(lines.first(), Some(&OrderLine::Queued { attached: false }));
    assert_eq!(lines.last(), Some(&OrderLine::Answered { outcome: performed() }));
    assert_eq!(scene.runs(), ["1", "1"], "who asks once it is answered gets a run of his own");
}

#[test]
fn a_turn_of_an_agent_that_was_answered_is_not_run_again_and_one_that_was_refused_is() {
    let Some(scene) = scene("turns") else { return };
    let refused = r#"echo '{"kind":"outcome","outcome":{"kind":"refused","reason":"no"}}'"#;
    let script = format!("if ! [ -e $GROUND/asked ]; then touch $GROUND/asked; {refused}; exit; fi\necho \"$OUTCOME\"");
    let _worker = scene.worker(&[], 1, &script);
    let turn = scene.turn();
    assert_eq!(scene.ask(&turn).outcome(), OrderOutcome::Refused { reason: "no".to_owned() });
    for _ in 0..2 {
        assert_eq!(scene.ask(&turn).outcome(), performed());
        assert_eq!(scene.runs().len(), 2);
    }
}

#[test]
fn twenty_who_ask_the_same_at_once_cost_one_run() {
    let Some(scene) = scene("twenty") else { return };
    let _worker = scene.worker(&[], 4, "sleep 2\necho \"$OUTCOME\"");
    let order = scene.order(&[]);
    let askers: Vec<_> = (0..20).map(|_| scene.ask(&order)).collect();
    let attached = askers.iter().filter(|asker| asker.is_attached()).count();
    assert_eq!(attached, 19);
    for asker in askers {
        assert_eq!(asker.outcome(), performed());
    }
    assert_eq!(scene.runs(), ["1"]);
}

#[test]
fn a_refusal_is_told_and_the_next_one_who_asks_has_it_tried_anew() {
    let Some(scene) = scene("refused") else { return };
    let _worker = scene.worker(&[], 1, r#"echo '{"kind":"outcome","outcome":{"kind":"refused","reason":"too old"}}'"#);
    let order = scene.order(&[]);
    for run in 1..=2 {
        let lines = scene.ask(&order).all();
        let outcome = OrderOutcome::Refused { reason: "too old".to_owned() };
        assert_eq!(lines, [OrderLine::Queued { attached: false }, OrderLine::Answered { outcome }]);
        assert_eq!(scene.runs().len(), run);
    }
}

#[test]
fn an_order_is_performed_only_where_all_of_its_labels_are() {
    let Some(scene) = scene("labels") else { return };
    let script = r#"echo "$OUTCOME""#;
    let other = scene.worker(&["linux"], 1, script);
    let asker = scene.ask(&scene.order(&["gpu", "linux"]));
    assert!(!asker.is_attached());
    assert_eq!(asker.next(), OrderLine::NoWorker);
    let worker = scene.worker(&["fast", "gpu", "linux"], 1, script);
    assert_eq!(asker.outcome(), performed());
    assert!(worker.log().contains("taken"), "{}", worker.log());
    assert!(!other.log().contains("taken"), "{}", other.log());
}

#[test]
fn the_queues_of_a_worker_share_its_jobs() {
    let Some(scene) = scene("jobs") else { return };
    let script = r#"mkdir "$GROUND/lock" || touch "$GROUND/overlap"
sleep 1
rmdir "$GROUND/lock"
echo "$OUTCOME""#;
    let _worker = scene.worker(&["a", "b"], 1, script);
    let orders = [scene.order(&[]), scene.order(&["a"]), scene.order(&["b"]), scene.order(&["a", "b"])];
    let askers: Vec<_> = orders.iter().map(|order| scene.ask(order)).collect();
    for asker in askers {
        assert_eq!(asker.outcome(), performed());
    }
    assert_eq!(scene.runs().len(), 4, "an order that is returned is not begun");
    assert!(!scene.file("overlap").exists(), "one job, one program at a time");
}

#[test]
fn a_worker_whose_jobs_are_taken_is_a_worker() {
    let Some(scene) = scene("busy") else { return };
    let _worker = scene.worker(&[], 1, "sleep 5\necho \"$OUTCOME\"");
    let first = scene.ask(&scene.order(&[]));
    wait_for("the first order", || scene.runs() == ["1"]);
    let order = scene.changed_order(&[], |order| order.task = TaskId::parse("T002").unwrap());
    let lines = scene.ask(&order).all();
    assert_eq!(lines, [OrderLine::Queued { attached: false }, OrderLine::Answered { outcome: performed() }]);
    assert_eq!(first.outcome(), performed());
    assert_eq!(scene.runs(), ["1", "1"]);
}

#[test]
fn a_worker_is_not_missed_by_one_whose_clock_is_wrong() {
    const CLOCK: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
    let Some(scene) = scene("clocks") else { return };
    if !std::path::Path::new(CLOCK).exists() {
        println!("skipped: no libfaketime");
        return;
    }
    let _worker = scene.worker(&[], 1, r#"while ! [ -e "$GROUND/go" ]; do sleep 0.1; done; echo "$OUTCOME""#);
    let first = scene.ask(&scene.order(&[]));
    wait_for("the first order", || scene.runs() == ["1"]);
    let askers = ["+1d", "-1d"].map(|offset| {
        let order = scene.changed_order(&[], |order| offset.clone_into(&mut order.engine_version));
        let clock = [("LD_PRELOAD", CLOCK), ("FAKETIME", offset), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")];
        scene.ask_with(&order, &clock)
    });
    // Longer than until whoever asked looks for workers.
    std::thread::sleep(std::time::Duration::from_secs(4));
    std::fs::write(scene.file("go"), "").unwrap();
    for asker in askers {
        let lines = asker.all();
        assert_eq!(lines, [OrderLine::Queued { attached: false }, OrderLine::Answered { outcome: performed() }]);
    }
    assert_eq!(first.outcome(), performed());
}

#[test]
fn without_a_worker_that_is_told_and_the_time_runs_out() {
    let Some(scene) = scene("nobody") else { return };
    let mut order = scene.order(&[]);
    order.timeout_ms = 5_000;
    let lines = scene.ask(&order).all();
    assert_eq!(lines[..2], [OrderLine::Queued { attached: false }, OrderLine::NoWorker]);
    let [_, _, OrderLine::Failed { error }] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(error.kind, OrderFailureKind::TimedOut);
    let worker = scene.worker(&[], 1, r#"echo "$OUTCOME""#);
    let asker = scene.ask(&order);
    assert!(!asker.is_attached(), "what has no answer is asked anew");
    assert_eq!(asker.outcome(), performed());
    wait_for("the worker answers", || worker.log().contains("answered"));
    assert_eq!(scene.runs(), ["1"]);
}
