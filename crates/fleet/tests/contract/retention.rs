//! How long trees and runs stay that no head names.

use std::fs;

use referee_model::depot::{
    DepotAnswer, DepotFailureKind, DepotOperation, DepotPrune, PrunedDepot, PrunedOrders, PushRun,
};
use referee_model::id::{Digest, WorkspacePath};
use referee_model::time::Timestamp;
use referee_model::tree_manifest::{ContentLink, TreeFile, TreeFileContent, TreeManifest};

use crate::size::{Run, SEALED_MS, object};
use crate::tree::{MOST, TreeDepot, every};

const DAY_MS: i64 = 24 * 3_600_000;

/// A moment, in days after the runs were sealed.
fn day(days: i64) -> Timestamp {
    Timestamp::from_millisecond(SEALED_MS + days * DAY_MS)
}

fn put(depot: &TreeDepot, contents: &[(&str, &str)], now: Timestamp) -> ContentLink {
    let directory = tempfile::tempdir().unwrap();
    let file = |(name, content): &(&str, &str)| {
        fs::write(directory.path().join(name), content).unwrap();
        let link = ContentLink { sha256: Digest::of(content.as_bytes()), bytes: content.len() as u64 };
        let content = TreeFileContent::File { content: link, executable: false };
        TreeFile { path: WorkspacePath::parse(name).unwrap(), content }
    };
    let manifest = TreeManifest { files: contents.iter().map(file).collect() };
    match depot.ask(DepotOperation::PutTree { directory: directory.path().to_path_buf(), manifest, now }) {
        DepotAnswer::TreePut { tree, .. } => tree,
        other => panic!("{other:?}"),
    }
}

fn push(depot: &TreeDepot, run: &Run, newest: bool, earlier: &[&Run]) {
    let earlier = earlier.iter().map(|run| run.path()).collect();
    let answered = depot.ask(DepotOperation::Push { runs: vec![PushRun { directory: run.path(), newest, earlier }] });
    assert!(matches!(answered, DepotAnswer::Pushed { .. }), "{answered:?}");
}

fn prune(depot: &TreeDepot, now: Timestamp, dry_run: bool) -> DepotAnswer {
    let reason = "old".to_owned();
    depot.ask(DepotOperation::Prune(DepotPrune { task: None, keep: 0, before: None, now, reason, dry_run }))
}

fn pruned(depot: &TreeDepot, now: Timestamp) -> PrunedDepot {
    let DepotAnswer::Pruned(foretold) = prune(depot, now, true) else { panic!() };
    let DepotAnswer::Pruned(pruned) = prune(depot, now, false) else { panic!() };
    assert_eq!(pruned, foretold);
    pruned
}

/// Number of files of a tree that the depot has.
fn fetched(depot: &TreeDepot, tree: ContentLink) -> Result<u64, DepotFailureKind> {
    let into = tempfile::tempdir().unwrap();
    depot.fetch(tree, into.path(), MOST).map(|(files, _)| files).map_err(|(kind, _)| kind)
}

fn is_run_there(depot: &TreeDepot, run: &Run) -> bool {
    let into = tempfile::tempdir().unwrap();
    let operation = DepotOperation::FetchRun { seal: run.link(), into: into.path().to_path_buf(), max_bytes: MOST };
    let answered = depot.ask(operation);
    matches!(answered, DepotAnswer::Pulled(_))
}

#[test]
fn a_tree_stays_for_thirty_days_after_it_was_stored_last_and_takes_no_file_of_another_one_with_it() {
    every(&|depot| {
        let old = put(depot, &[("a", "only here"), ("b", "in both")], day(0));
        let young = put(depot, &[("b", "in both"), ("c", "there")], day(20));
        assert_eq!(pruned(depot, day(30)).orders, PrunedOrders::default());
        let orders = pruned(depot, day(31)).orders;
        assert_eq!((orders.trees, orders.runs, orders.files), (1, 0, 2));
        assert_eq!((fetched(depot, old), fetched(depot, young)), (Err(DepotFailureKind::Missing), Ok(2)));
        // Whoever stores it again keeps it.
        put(depot, &[("b", "in both"), ("c", "there")], day(45));
        assert_eq!(pruned(depot, day(60)).orders, PrunedOrders::default());
        assert_eq!(fetched(depot, young), Ok(2));
        assert_eq!(pruned(depot, day(76)).orders.trees, 1);
        assert_eq!(pruned(depot, day(77)).orders, PrunedOrders::default());
    });
}

#[test]
fn a_run_that_no_head_names_stays_for_thirty_days_and_one_of_a_chain_as_long_as_it_is_kept() {
    every(&|depot| {
        let (log, shared) = ([1_u8; 50], [2_u8; 70]);
        let of_order = Run::sealed(7, &[("a.log", &log[..]), ("b.log", &shared[..])], None);
        push(depot, &of_order, false, &[]);
        let first = Run::sealed(1, &[("c.log", &shared[..]), ("d.log", &[3_u8; 9][..])], None);
        let second = Run::sealed(2, &[("e.log", &[4_u8; 9][..])], Some(&first));
        push(depot, &first, true, &[]);
        push(depot, &second, true, &[&first]);
        // The first run of the chain goes, and what the order has of it stays.
        let early = pruned(depot, day(1));
        assert_eq!((early.runs.len(), early.runs[0].files, early.orders), (1, 1, PrunedOrders::default()));
        assert!(is_run_there(depot, &of_order));
        let late = pruned(depot, day(31));
        assert_eq!((late.orders.runs, late.orders.files), (1, 2), "a log and the seal");
        assert_eq!(late.runs[0].files, 1, "what the first run of the chain had as well");
        assert!(!is_run_there(depot, &of_order) && is_run_there(depot, &second));
    });
}

#[test]
fn nothing_is_removed_while_something_cannot_be_read_that_may_name_any_file() {
    let ground = tempfile::tempdir().unwrap();
    let depot = TreeDepot::of_directory(ground.path());
    let old = put(&depot, &[("a", "text")], day(0));
    let young = put(&depot, &[("b", "other")], day(20));
    let record = object(ground.path(), "trees", young.sha256);
    let manifest = object(ground.path(), "blobs", young.sha256);
    for file in [record, manifest] {
        let content = fs::read(&file).unwrap();
        for wrong in [&b"junk"[..], &content[..content.len() / 2], b""] {
            fs::write(&file, wrong).unwrap();
            let DepotAnswer::Failed { error } = prune(&depot, day(40), false) else { panic!() };
            assert_eq!(error.kind, DepotFailureKind::Corrupt, "{}", error.message);
            assert_eq!(fetched(&depot, old), Ok(1));
        }
        fs::write(&file, content).unwrap();
    }
    // A tree whose manifest is lost names nothing.
    fs::remove_file(object(ground.path(), "blobs", young.sha256)).unwrap();
    assert_eq!(pruned(&depot, day(40)).orders.trees, 1);
    assert_eq!(fetched(&depot, old), Err(DepotFailureKind::Missing));
}
