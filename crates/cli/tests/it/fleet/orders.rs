//! Orders that servers of a fleet and people list and cancel.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;

use serde_json::Value;

use super::queue::Queue;
use super::{CHECKS, Fleet, has_queue};
use crate::depot::is_built;
use crate::served::Server;
use crate::support::{Finished, Workspace, finish, wait_until};

impl Fleet {
    fn with_queue(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.command(&self.asker, arguments);
        command.envs(Queue::shared().map(Queue::address));
        command
    }

    pub(super) fn server(&self, project: &str) -> Server {
        let key = self.depot.path().canonicalize().unwrap().join("session.key");
        fs::write(&key, [7; 32]).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        let key = key.to_str().unwrap();
        Server::spawn(self.with_queue(&["serve", "--fleet", "--project", project, "--session-key", key]))
    }

    /// Orders a run that no worker performs.
    fn ask(&self) -> Child {
        self.with_queue(&["run", "--fleet", "--label", &self.label, "--format", "json"]).spawn().unwrap()
    }

    fn is_own(&self, order: &Value) -> bool {
        let project = self.asker.path("").canonicalize().unwrap();
        order["subject"]["project"] == project.file_name().unwrap().to_str().unwrap()
    }

    /// Waits until a list has the order of this fleet where it is expected, and returns its id.
    fn listed(&self, status: &str, list: impl Fn() -> Value) -> String {
        let mut id = None;
        wait_until("the order", || {
            let orders = list();
            let mut orders = orders["orders"].as_array().unwrap().iter();
            let own = orders.find(|order| self.is_own(order) && order["status"] == status);
            id = own.map(|order| order["order"].as_str().unwrap().to_owned());
            id.is_some()
        });
        id.unwrap()
    }
}

fn ends_without_a_verdict(asker: Child) {
    let ended = finish(asker).exits(74);
    assert!(!ended.stdout.contains("PASS") && ended.stderr.contains("cancelled"), "{ended:?}");
}

#[test]
fn an_order_that_an_operator_cancels_at_a_server_ends_at_its_asker_without_a_verdict() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new(CHECKS);
    let servers = [fleet.server("quote"), fleet.server("quote")];
    let asker = fleet.ask();
    let lists = servers.each_ref().map(|server| move || server.get("/api/orders?limit=200").is(200).json());
    let order = fleet.listed("queued", lists[0]);
    assert_eq!(fleet.listed("queued", lists[1]), order);
    let page = servers[1].ask("GET", "/orders", &[("accept", "text/html")], None).is(200).body;
    assert!(page.contains(&order) && page.contains(&format!("/orders/{order}/cancel")), "{page}");
    let cancel = format!("/api/orders/{order}/cancel");
    let created = ["serve", "token", "create", "--name", "board", "--role", "viewer"];
    let viewer = format!("Bearer {}", fleet.asker.referee(&created).exits(0).stdout.trim());
    let as_viewer = [("authorization", viewer.as_str())];
    servers[0].ask_without_token("POST", &cancel, &as_viewer, Some("{}")).refuses(403, "auth");
    let page = servers[0].ask_without_token("GET", "/orders", &as_viewer, None).is(200).body;
    assert!(page.contains(&order) && !page.contains("/cancel"), "{page}");
    assert_eq!(servers[0].post(&cancel, "{}").is(200).json()["cancelled"], *order);
    ends_without_a_verdict(asker);
    fleet.listed("cancelled", lists[1]);
    servers[1].post(&cancel, "{}").refuses(404, "not_found");
    servers[1].post("/api/orders/x/cancel", "{}").refuses(404, "not_found");
    for junk in ["after=x", "after=0", "after=", "limit=0", "limit=201", "color=red"] {
        servers[1].get(&format!("/api/orders?{junk}")).refuses(400, "validation");
    }
}

#[test]
fn a_person_lists_orders_and_cancels_one() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new(CHECKS);
    let asker = fleet.ask();
    let order = |arguments: &[&str]| -> Finished {
        finish(fleet.with_queue(&[&["order"], arguments].concat()).spawn().unwrap())
    };
    let id = fleet.listed("queued", || order(&["list", "--limit", "200", "--format", "json"]).exits(0).json());
    let shown = order(&["list", "--limit", "200"]).exits(0).stdout;
    assert!(shown.contains(&id) && shown.contains("queued"), "{shown}");
    assert!(order(&["cancel", &id]).exits(0).stderr.contains(&id));
    ends_without_a_verdict(asker);
    assert!(order(&["cancel", &id]).exits(1).stderr.contains("no such order is open"));
}

#[test]
fn an_order_is_named_by_its_digest_and_a_queue_that_is_away_lists_none() {
    let workspace = Workspace::new();
    for arguments in
        [&["order", "cancel", "x"][..], &["order", "list", "--limit", "0"], &["order", "list", "--limit", "201"]]
    {
        workspace.referee(arguments).exits(2);
    }
    if !is_built() {
        return;
    }
    let mut command = workspace.command(&["order", "list"]);
    // Nobody listens at this port.
    let away = finish(command.env("TEMPORAL_ADDRESS", "127.0.0.1:1").spawn().unwrap()).exits(74);
    assert!(away.stdout.is_empty() && away.stderr.contains("does not answer"), "{away:?}");
}
