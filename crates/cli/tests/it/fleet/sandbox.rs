//! Runs on workers that confine the commands.

use std::path::PathBuf;

use serde_json::Value;

use super::{Fleet, Worker, has_queue};
use crate::confinement::can_confine;
use crate::support::action;

/// A fleet whose check writes out of its workspace, and the file that it writes.
fn fleet() -> (Fleet, PathBuf) {
    let mut fleet = Fleet::new("");
    let escaped = fleet.depot.path().canonicalize().unwrap().join("escaped");
    let specification =
        format!("checks:\n  inside: echo a > made\n  outside: \"echo a > {}\"\noutputs: [made]\n", escaped.display());
    fleet.asker.write("referee.yaml", specification);
    fleet.label = format!("{}-sandbox", fleet.label);
    (fleet, escaped)
}

fn header(fleet: &Fleet) -> Value {
    serde_json::from_slice(&fleet.asker.evidence("T001")["run.json"]).unwrap()
}

#[test]
fn a_worker_confines_commands_where_either_side_asks_for_it() {
    if !can_confine() || !has_queue() {
        return;
    }
    for (asked, of_worker, exit) in [
        (&[][..], &[][..], 0),
        (&["--sandbox=require"], &[], 6),
        (&["--sandbox"], &["--sandbox=off"], 6),
        (&[], &["--sandbox=require"], 6),
    ] {
        let (fleet, escaped) = fleet();
        let _worker = Worker::start(fleet.worker_command(&fleet.key("pem"), of_worker));
        fleet.run(asked).exits(exit);
        let report = fleet.asker.report("T001");
        assert_eq!(action(&report, "STEP.1")["status"], "SUCCESS", "{report:#}");
        assert_eq!(escaped.exists(), exit == 0, "{asked:?} {of_worker:?}");
        let confinement = &header(&fleet)["circumstances"]["confinement"]["files"]["kind"];
        assert_eq!(confinement, &if exit == 0 { Value::Null } else { "landlock".into() });
    }
}
