//! What is lost, and by whom: programs, workers, who asks, and the server.

use referee_model::order_protocol::OrderFailureKind;
use referee_testkit::port::free_ports;
use rustix::process::Signal;

use crate::scene::{Scene, performed, wait_for};
use crate::server;

fn scene(name: &str) -> Option<Scene> {
    Some(Scene::new(server::shared()?.port, name))
}

/// Script that ends only if it is asked to.
const SLEEP: &str = r#"echo $$ >"$GROUND/pid"
trap 'touch "$GROUND/terminated"; exit 0' TERM
sleep 60 & wait
"#;

#[test]
fn a_program_that_dies_is_run_again() {
    let Some(scene) = scene("died") else { return };
    let worker = scene.worker(&[], 1, r#"[ "$attempt" -gt 1 ] || kill -9 $$; echo "$OUTCOME""#);
    assert_eq!(scene.ask(&scene.order(&[])).outcome(), performed());
    assert_eq!(scene.runs(), ["1", "2"]);
    worker.expect("lost: it ended without an outcome");
}

#[test]
fn junk_is_never_an_answer() {
    let Some(scene) = scene("junk") else { return };
    let worker = scene.worker(
        &[],
        1,
        r#"case $attempt in
1) printf '%s' "$OUTCOME" | head -c 40 ;;
2) echo 'all checks pass'; echo "$OUTCOME" ;;
3) echo "$OUTCOME"; echo "$OUTCOME" ;;
*) echo "$OUTCOME" ;;
esac"#,
    );
    assert_eq!(scene.ask(&scene.order(&[])).outcome(), performed());
    assert_eq!(scene.runs(), ["1", "2", "3", "4"]);
    let log = worker.log();
    assert_eq!(log.matches("a line that cannot be read").count(), 2, "{log}");
    assert_eq!(log.matches("something after its outcome").count(), 1, "{log}");
}

#[test]
fn a_program_that_always_dies_is_told_when_the_time_is_over() {
    let Some(scene) = scene("hopeless") else { return };
    let worker = scene.worker(&[], 1, "exec /nowhere/referee");
    let mut order = scene.order(&[]);
    order.timeout_ms = 3_000;
    let (kind, message) = scene.ask(&order).failure();
    assert_eq!(kind, OrderFailureKind::TimedOut, "{message}");
    assert!(message.contains("no worker answered in time"), "{message}");
    assert!(message.contains("it ended without an outcome"), "{message}");
    worker.expect("lost: it ended without an outcome");
}

#[test]
fn another_worker_takes_over_from_one_that_is_killed() {
    let Some(scene) = scene("killed") else { return };
    let first = scene.worker(&[], 1, SLEEP);
    let mut order = scene.order(&[]);
    order.heartbeat_ms = 2_000;
    let asker = scene.ask(&order);
    wait_for("the first attempt", || scene.file("pid").exists());
    first.signal(Signal::KILL);
    let second = scene.worker(&[], 1, r#"echo "$OUTCOME""#);
    assert_eq!(asker.outcome(), performed());
    second.expect("taken, attempt 2");
    end(&scene);
}

#[test]
fn a_worker_that_hangs_loses_the_order_and_its_answer_is_not_taken() {
    let Some(scene) = scene("hung") else { return };
    let script = r#"touch "$GROUND/begun"
while ! [ -e "$GROUND/go" ]; do sleep 0.1; done
echo '{"kind":"outcome","outcome":{"kind":"performed","result":"late"}}'"#;
    let first = scene.worker(&[], 1, script);
    let mut order = scene.order(&[]);
    order.heartbeat_ms = 2_000;
    let asker = scene.ask(&order);
    wait_for("the first attempt", || scene.file("begun").exists());
    first.signal(Signal::STOP);
    let second = scene.worker(&[], 1, r#"sleep 3; echo "$OUTCOME""#);
    second.expect("taken");
    std::fs::write(scene.file("go"), "").unwrap();
    first.signal(Signal::CONT);
    assert_eq!(asker.outcome(), performed());
    // It may perform what is asked anew, and its program has nothing else to say.
    drop(first);
    assert_eq!(scene.ask(&order).outcome(), performed());
}

#[test]
fn a_worker_that_is_stopped_returns_its_order_at_once() {
    let Some(scene) = scene("stopped") else { return };
    let mut first = scene.worker(&[], 1, SLEEP);
    let asker = scene.ask(&scene.order(&[]));
    wait_for("the first attempt", || scene.file("pid").exists());
    first.signal(Signal::TERM);
    assert_eq!(first.wait().code(), Some(0));
    assert!(scene.file("terminated").exists(), "the program is asked to end");
    first.expect("returned, since the worker stops");
    let second = scene.worker(&[], 1, r#"echo "$OUTCOME""#);
    assert_eq!(asker.outcome(), performed());
    second.expect("taken, attempt 2");
}

#[test]
fn a_second_signal_kills_what_does_not_end() {
    let Some(scene) = scene("killed-twice") else { return };
    let mut worker = scene.worker(&[], 1, "trap '' TERM; echo $$ >\"$GROUND/pid\"; while :; do sleep 0.1; done");
    let _asker = scene.ask(&scene.order(&[]));
    wait_for("the attempt", || scene.file("pid").exists());
    worker.signal(Signal::TERM);
    worker.expect("stopping, 1 orders");
    worker.signal(Signal::TERM);
    assert_eq!(worker.wait().code(), Some(1));
    wait_for("the program is gone", || !is_alive(&scene));
}

#[test]
fn who_put_an_order_in_the_queue_cancels_it() {
    let Some(scene) = scene("cancelled") else { return };
    let worker = scene.worker(&[], 1, SLEEP);
    let order = scene.order(&[]);
    let asker = scene.ask(&order);
    assert!(!asker.is_attached());
    let other = scene.ask(&order);
    assert!(other.is_attached());
    wait_for("the attempt", || scene.file("pid").exists());
    asker.signal(Signal::INT);
    let (kind, message) = asker.failure();
    assert_eq!(
        (kind, message.as_str()),
        (OrderFailureKind::Cancelled, "the order was cancelled: whoever asked stopped")
    );
    assert_eq!(other.failure().0, OrderFailureKind::Cancelled);
    worker.expect("cancelled by the queue");
    wait_for("the program is gone", || scene.file("terminated").exists() && !is_alive(&scene));
    assert!(!scene.ask(&order).is_attached(), "what was cancelled is asked anew");
}

#[test]
fn who_attached_to_an_order_leaves_it_alone() {
    let Some(scene) = scene("left") else { return };
    let script = r#"while ! [ -e "$GROUND/go" ]; do sleep 0.1; done; echo "$OUTCOME""#;
    let _worker = scene.worker(&[], 1, script);
    let order = scene.order(&[]);
    let asker = scene.ask(&order);
    assert!(!asker.is_attached());
    let other = scene.ask(&order);
    assert!(other.is_attached());
    other.signal(Signal::TERM);
    let (kind, message) = other.failure();
    assert_eq!(kind, OrderFailureKind::Cancelled);
    assert!(message.contains("it goes on"), "{message}");
    std::fs::write(scene.file("go"), "").unwrap();
    assert_eq!(asker.outcome(), performed());
}

#[test]
fn a_server_that_is_away_is_unavailable() {
    if server::shared().is_none() {
        return;
    }
    let scene = Scene::new(free_ports().unwrap(), "away");
    let (kind, message) = scene.ask(&scene.order(&[])).failure();
    assert_eq!(kind, OrderFailureKind::Unavailable, "{message}");
    assert!(message.contains("TEMPORAL_ADDRESS"), "{message}");
}

#[test]
fn a_server_that_dies_gives_no_answer() {
    let Some(mut server) = server::start() else { return };
    let scene = Scene::new(server.port, "dead");
    let mut order = scene.order(&[]);
    order.timeout_ms = 6_000;
    let asker = scene.ask(&order);
    assert!(!asker.is_attached());
    server.kill().unwrap();
    let (kind, message) = asker.failure();
    assert_eq!(kind, OrderFailureKind::Unavailable, "{message}");
}

#[test]
fn a_server_that_is_killed_goes_on_where_it_was_and_nothing_is_performed_twice() {
    let Some(mut server) = server::start_lasting() else { return };
    let scene = Scene::new(server.port, "lasting");
    let script = r#"while ! [ -e "$GROUND/go" ]; do sleep 0.1; done; echo "$OUTCOME""#;
    let worker = scene.worker(&[], 1, script);
    let order = scene.order(&[]);
    let asker = scene.ask(&order);
    assert!(!asker.is_attached());
    wait_for("the first attempt", || scene.runs() == ["1"]);
    server.kill().unwrap();
    // Those who ask meanwhile are told, and those who wait go on.
    assert_eq!(scene.ask(&order).failure().0, OrderFailureKind::Unavailable);
    server.restart().unwrap();
    let other = scene.ask(&order);
    assert!(other.is_attached(), "the order is still in the queue");
    std::fs::write(scene.file("go"), "").unwrap();
    assert_eq!((asker.outcome(), other.outcome()), (performed(), performed()));
    assert_eq!(scene.runs(), ["1"]);
    worker.expect("answered");
}

#[test]
fn an_answer_that_is_given_while_the_server_is_away_is_not_lost() {
    let Some(mut server) = server::start_lasting() else { return };
    let scene = Scene::new(server.port, "offline");
    let worker = scene.worker(&[], 1, r#"while ! [ -e "$GROUND/go" ]; do sleep 0.1; done; echo "$OUTCOME""#);
    let asker = scene.ask(&scene.order(&[]));
    wait_for("the first attempt", || scene.runs() == ["1"]);
    server.kill().unwrap();
    std::fs::write(scene.file("go"), "").unwrap();
    worker.expect("answered");
    server.restart().unwrap();
    assert_eq!(asker.outcome(), performed());
    assert_eq!(scene.runs(), ["1"], "the worker tells the server again");
}

#[test]
fn a_server_that_forgot_an_order_gives_no_answer_and_workers_go_on() {
    let Some(mut server) = server::start_forgetful() else { return };
    let scene = Scene::new(server.port, "forgotten");
    let worker = scene.worker(&[], 1, r#"[ -e "$GROUND/go" ] || sleep 30; echo "$OUTCOME""#);
    let order = scene.order(&[]);
    let asker = scene.ask(&order);
    wait_for("the first attempt", || scene.runs() == ["1"]);
    server.restart().unwrap();
    let (kind, message) = asker.failure();
    assert_eq!(kind, OrderFailureKind::Unavailable, "{message}");
    assert!(message.contains("ask again"), "{message}");
    std::fs::write(scene.file("go"), "").unwrap();
    assert_eq!(scene.ask(&order).outcome(), performed());
    worker.expect("cancelled by the queue");
}

#[test]
fn a_worker_tells_that_the_server_is_away() {
    let Some(mut server) = server::start() else { return };
    let scene = Scene::new(server.port, "lonely");
    let mut worker = scene.worker(&[], 1, "");
    server.kill().unwrap();
    worker.expect("queue: gRPC call poll_");
    worker.signal(Signal::TERM);
    assert_eq!(worker.wait().code(), Some(0));
}

#[test]
fn an_order_is_cancelled_when_nobody_reads_what_becomes_of_it() {
    let Some(scene) = scene("unread") else { return };
    let worker = scene.worker(&[], 1, SLEEP);
    let mut asker = scene.ask_unread(&scene.order(&[]));
    worker.expect("cancelled by the queue");
    assert!(!asker.wait().unwrap().success());
}

fn pid(scene: &Scene) -> String {
    scene.read("pid").trim().to_owned()
}

fn is_alive(scene: &Scene) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid(scene))).unwrap_or_default();
    // Who was left behind by a killed worker is reaped by somebody else, in his time.
    !status.is_empty() && !status.contains(") Z ")
}

/// Ends the program of a worker that was killed: nobody else does.
fn end(scene: &Scene) {
    let group: i32 = pid(scene).parse().unwrap();
    let _ = rustix::process::kill_process_group(rustix::process::Pid::from_raw(group).unwrap(), Signal::KILL);
}
