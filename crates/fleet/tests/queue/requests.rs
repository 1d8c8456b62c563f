//! Requests that cannot be used.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use referee_model::order_protocol::OrderFailureKind;
use referee_testkit::port::free_ports;

use crate::scene::Scene;
use crate::server;

fn run(arguments: &[&str], input: &str) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_referee-fleet"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Fails if the program has ended before it read anything.
    let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
    process.wait_with_output().unwrap()
}

#[test]
fn what_is_no_request_is_told_and_answered_by_nothing() {
    let five = r#"{"labels":["a","b","c","d","e"],"jobs":1,"program":"/bin/sh","arguments":[]}"#;
    for (arguments, input, problem) in [
        (&["order"][..], "", "error: cannot read the request: EOF"),
        (&["order"], "{}", "error: cannot read the request: missing field"),
        (&["orders"], "{}", "error: cannot read the request: missing field"),
        (&["orders"], r#"{"kind":"cancel","order":"x"}"#, "error: cannot read the request: "),
        (&["work"], "junk", "error: cannot read the request: expected value"),
        (&["work"], five, "error: 5 labels are too many: workers and orders have at most 4"),
        (&["play"], "", "error: unexpected argument `play`"),
        (&["work", "hard"], "", "error: unexpected argument `hard`"),
    ] {
        let output = run(arguments, input);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.starts_with(problem), "{told}");
    }
}

#[test]
fn an_order_that_no_queue_can_hold_is_refused_at_once() {
    let scene = Scene::new(free_ports().unwrap(), "e");
    let mut endless = scene.order(&[]);
    endless.timeout_ms = u64::MAX;
    for order in [scene.order(&["a", "b", "c", "d"]), endless] {
        let (kind, message) = scene.ask(&order).failure();
        assert_eq!(kind, OrderFailureKind::Address, "{message}");
    }
}

#[test]
fn a_server_that_is_not_the_one_that_was_expected_is_a_wrong_address() {
    let Some(server) = server::shared() else { return };
    let scene = Scene::new(server.port, "plain");
    let order = scene.order(&[]);
    for variables in [
        &[("TEMPORAL_TLS", "true")][..],
        &[("TEMPORAL_API_KEY", "k3y")],
        &[("TEMPORAL_TLS", "yes please")],
        &[("TEMPORAL_TLS_CLIENT_CERT_PATH", "/nowhere/a.pem"), ("TEMPORAL_TLS_CLIENT_KEY_PATH", "/nowhere/b.pem")],
    ] {
        let (kind, message) = scene.ask_with(&order, variables).failure();
        assert_eq!(kind, OrderFailureKind::Address, "{variables:?}: {message}");
        assert!(!message.contains("k3y"), "{message}");
    }
}
