//! Checkpoints move only from the one that was known.

use referee_model::depot::{CheckpointVersion, DepotAnswer, DepotFailureKind, DepotOperation};
use referee_model::id::{Digest, ExecutionId};

use crate::tree::{TreeDepot, every};

fn run() -> ExecutionId {
    ExecutionId::parse("exec-run-1").unwrap()
}

fn list(depot: &TreeDepot) -> Vec<CheckpointVersion> {
    match depot.ask(DepotOperation::Checkpoints) {
        DepotAnswer::Checkpoints { checkpoints } => checkpoints,
        other => panic!("{other:?}"),
    }
}

fn put(depot: &TreeDepot, previous: Option<&str>, checkpoint: &str) -> bool {
    let (previous, checkpoint) = (previous.map(Digest::of), checkpoint.to_owned());
    match depot.ask(DepotOperation::PutCheckpoint { run: run(), previous, checkpoint }) {
        DepotAnswer::CheckpointPut { is_put } => is_put,
        other => panic!("{other:?}"),
    }
}

fn find(depot: &TreeDepot) -> Result<Option<String>, DepotFailureKind> {
    match depot.ask(DepotOperation::FindCheckpoint { run: run() }) {
        DepotAnswer::Checkpoint { checkpoint } => Ok(checkpoint),
        DepotAnswer::Failed { error } => Err(error.kind),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_checkpoint_is_put_in_the_place_of_the_one_before_it_and_of_no_other() {
    every(&|depot| {
        assert_eq!(find(depot), Err(DepotFailureKind::Unknown), "there is no depot yet");
        assert!(!put(depot, Some("none"), "first"));
        assert_eq!(find(depot), Ok(None));
        assert!(put(depot, None, "first"));
        assert!(!put(depot, None, "second") && !put(depot, Some("other"), "second"));
        assert_eq!(find(depot), Ok(Some("first".to_owned())));
        assert!(put(depot, Some("first"), "second"));
        assert!(!put(depot, Some("first"), "third"));
        assert_eq!(find(depot), Ok(Some("second".to_owned())));
        assert!(put(depot, Some("second"), &"x".repeat(2 << 20)));
        assert_eq!(find(depot), Err(DepotFailureKind::TooLarge));
    });
}

#[test]
fn a_list_tells_each_checkpoint_from_the_one_before_it() {
    every(&|depot| {
        assert!(put(depot, None, "first"));
        let first = list(depot);
        assert_eq!(first.iter().map(|found| &found.run).collect::<Vec<_>>(), [&run()]);
        assert_eq!(list(depot), first);
        assert!(put(depot, Some("first"), "second"));
        let second = list(depot);
        assert!(second.len() == 1 && second[0].run == run() && second[0].version != first[0].version, "{second:?}");
    });
}
