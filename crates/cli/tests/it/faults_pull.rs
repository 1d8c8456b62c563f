//! `referee evidence pull`, killed at any point: what stands is all of a run that was pushed, no pass stands that was not
//! earned, nothing that was known is lost, and the next pull works.
//!
//! `REFEREE_FAULTS=200` kills so many times; without it a few.

use std::collections::BTreeSet;
use std::mem;
use std::process::Child;
use std::thread;
use std::time::Instant;

use crate::depot::is_built;
use crate::faults::{part, rounds, sealed, start};
use crate::support::{Workspace, wait_until};

/// Passes where the work is good.
const SPECIFICATION: &str = "checks:
  flood: 'seq 20000'
  work: { run: 'cat work.txt && grep -q good work.txt' }
";

#[test]
fn pulls_that_are_killed_anywhere_publish_all_of_a_run_or_nothing_and_the_next_one_works() {
    if !is_built() {
        return;
    }
    let ground = tempfile::tempdir().unwrap();
    let depot = ground.path().display().to_string();
    let push = ["evidence", "push", "--project", "quote", "--to", depot.as_str()];
    let pull = ["evidence", "pull", "--project", "quote", "--unsigned", "--from", depot.as_str()];
    let verify = ["evidence", "verify", "evidence/T001", "--replay"];
    let here = Workspace::with(SPECIFICATION);
    let push_run = |is_good: bool| {
        here.write("work.txt", if is_good { "good\n" } else { "bad\n" });
        here.referee(&["run", "-q"]).exits(if is_good { 0 } else { 6 });
        here.referee(&push).exits(0);
        here.evidence("T001")
    };
    let mut newest = push_run(true);
    let mut there = Workspace::with(SPECIFICATION);
    let began = Instant::now();
    there.referee(&pull).exits(0);
    let whole = began.elapsed();
    let mut known = sealed(&there);
    for round in 0..rounds(10) {
        let (delay, is_good) = (part(round, whole), round % 2 == 1);
        let at = format!("round {round}, killed after {delay:?}");
        let mut before = Some(mem::replace(&mut newest, push_run(is_good)));
        // Every fourth time on a machine that knows nothing yet.
        if round % 4 == 3 {
            (there, before, known) = (Workspace::with(SPECIFICATION), None, BTreeSet::new());
        }
        // Every third time two at once.
        let mut killed: Vec<Child> = (0..if round % 3 == 2 { 2 } else { 1 }).map(|_| start(&there, &pull)).collect();
        thread::sleep(delay);
        for child in &mut killed {
            child.kill().unwrap();
        }
        for child in &mut killed {
            child.wait().unwrap();
        }
        if there.path("evidence/T001").exists() {
            let stands = there.evidence("T001");
            let is_newest = stands == newest;
            assert!(is_newest || Some(&stands) == before.as_ref(), "{at}: half a run stands: {:?}", stands.keys());
            let code = there.referee(&verify).code;
            assert!(matches!(code, Some(0 | 1 | 3)), "{at}: what stands is whole, and nobody's forgery: {code:?}");
            assert!(code != Some(0) || is_newest == is_good, "{at}: a pass was earned");
        }

        let next = there.referee(&pull);
        assert_eq!(next.code, Some(0), "{at}: the next pull works\n{}\n{}", next.stdout, next.stderr);
        assert!(there.evidence("T001") == newest, "{at}: the newest run stands");
        there.referee(&verify).exits(i32::from(!is_good));
        let now = sealed(&there);
        assert!(known.is_subset(&now), "{at}: lost {:?}", known.difference(&now).collect::<Vec<_>>());
        known = now;
        wait_until("nothing of the killed pull is left", || {
            there.referee(&pull).exits(0);
            there.staged("T001").is_empty()
        });
    }
}
