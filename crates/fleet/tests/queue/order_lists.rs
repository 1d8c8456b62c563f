//! Lists of orders, and orders that somebody else than the one who asked cancels.

use referee_model::id::{Digest, TaskId};
use referee_model::order_list::{OrderEntry, OrderList, OrderStatus, OrderSubject, OrdersAnswer, OrdersRequest};
use referee_model::order_protocol::{OrderFailureKind, OrderLine, OrderRequest};
use referee_testkit::port::free_ports;

use crate::scene::{Scene, performed, wait_for};
use crate::server;

/// Script that tells that it runs, and ends when it is asked to.
const SLEEP: &str = r#"touch "$GROUND/begun"
trap 'touch "$GROUND/terminated"; exit 0' TERM
sleep 60 & wait
"#;

fn page(scene: &Scene, limit: usize, after: Option<String>) -> OrderList {
    match scene.orders(&OrdersRequest::List { limit, after }) {
        OrdersAnswer::Listed(list) => list,
        other => panic!("{other:?}"),
    }
}

/// Returns the entry of an order once it stands where it is expected: lists may be late.
fn entry(scene: &Scene, request: &OrderRequest, status: OrderStatus) -> OrderEntry {
    let order = request.order.digest().unwrap();
    let mut found = None;
    wait_for(&format!("{order} is {}", status.as_str()), || {
        let orders = page(scene, 200, None).orders;
        found = orders.into_iter().find(|entry| entry.order == order && entry.status == status);
        found.is_some()
    });
    found.unwrap()
}

fn cancel(scene: &Scene, order: Digest) -> OrdersAnswer {
    scene.orders(&OrdersRequest::Cancel { order, reason: "a test".to_owned() })
}

#[test]
fn an_order_is_listed_with_who_performs_it_and_ends_at_its_asker_when_it_is_cancelled() {
    let Some(server) = server::shared() else { return };
    let scene = Scene::new(server.port, "listed");
    let order = scene.order(&["gpu"]);
    let asker = scene.ask(&order);
    assert!(!asker.is_attached());
    let queued = entry(&scene, &order, OrderStatus::Queued);
    assert_eq!((queued.ended, queued.worker), (None, None));
    let OrderRequest { order: asked, .. } = &order;
    assert_eq!(queued.subject, Some(OrderSubject::from(asked)));
    let _worker = scene.worker(&["gpu"], 1, SLEEP);
    wait_for("the attempt", || scene.file("begun").exists());
    let running = entry(&scene, &order, OrderStatus::Running);
    assert_eq!(running.attempt, Some(1));
    assert!(running.worker.as_ref().is_some_and(|worker| worker.contains('@')), "{running:?}");
    assert_eq!(cancel(&scene, order.order.digest().unwrap()), OrdersAnswer::Cancelled);
    let (kind, message) = asker.failure();
    assert_eq!(kind, OrderFailureKind::Cancelled, "{message}");
    wait_for("the end of the attempt", || scene.file("terminated").exists());
    let over = entry(&scene, &order, OrderStatus::Cancelled);
    assert!(over.ended.is_some());
    assert_eq!(over.began, queued.began);
}

#[test]
fn what_is_over_or_was_never_asked_cannot_be_cancelled() {
    let Some(server) = server::shared() else { return };
    let scene = Scene::new(server.port, "over");
    let _worker = scene.worker(&[], 1, r#"echo "$OUTCOME""#);
    let order = scene.order(&[]);
    assert_eq!(scene.ask(&order).outcome(), performed());
    assert_eq!(entry(&scene, &order, OrderStatus::Answered).attempt, None);
    assert_eq!(cancel(&scene, order.order.digest().unwrap()), OrdersAnswer::NotOpen);
    assert_eq!(cancel(&scene, Digest::of("never asked")), OrdersAnswer::NotOpen);
}

#[test]
fn a_queue_that_does_not_answer_is_no_empty_list() {
    let scene = Scene::new(free_ports().unwrap(), "away");
    for request in [
        OrdersRequest::List { limit: 1, after: None },
        OrdersRequest::Cancel { order: Digest::of("x"), reason: String::new() },
    ] {
        match scene.orders(&request) {
            OrdersAnswer::Failed { error } => assert_eq!(error.kind, OrderFailureKind::Unavailable, "{error:?}"),
            other => panic!("{other:?}"),
        }
    }
}

/// Only the server that keeps its state lists in pages, with the labels.
#[test]
fn lists_have_pages_with_open_orders_first() {
    let Some(server) = server::start_lasting() else { return };
    let scene = Scene::new(server.port, "pages");
    let tasks = ["T001", "T002", "T003"];
    let orders = tasks.map(|task| scene.changed_order(&["gpu"], |order| order.task = TaskId::parse(task).unwrap()));
    let askers = orders.each_ref().map(|order| scene.ask(order));
    for order in &orders {
        entry(&scene, order, OrderStatus::Queued);
    }
    assert_eq!(cancel(&scene, orders[2].order.digest().unwrap()), OrdersAnswer::Cancelled);
    let labels = entry(&scene, &orders[2], OrderStatus::Cancelled).labels;
    assert_eq!(labels.as_ref(), Some(orders[2].order.labels()));
    let (mut seen, mut after) = (Vec::new(), None);
    wait_for("open orders first", || {
        (seen, after) = (Vec::new(), None);
        loop {
            let page = page(&scene, 1, after.take());
            seen.extend(page.orders.into_iter().map(|entry| entry.order));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        seen.last() == Some(&orders[2].order.digest().unwrap())
    });
    assert_eq!(seen.len(), 3, "{seen:?}");
    match scene.orders(&OrdersRequest::List { limit: 1, after: Some("junk".to_owned()) }) {
        OrdersAnswer::Failed { error } => assert_eq!(error.kind, OrderFailureKind::Address, "{error:?}"),
        other => panic!("{other:?}"),
    }
    let [_, _, last] = askers;
    assert!(matches!(last.all().pop(), Some(OrderLine::Failed { .. })));
}
