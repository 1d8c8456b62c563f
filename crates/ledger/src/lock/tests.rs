use std::time::Duration;

use super::*;

/// Returns what a child process has of an open file between `fork` and `exec`: a descriptor of the same open
/// file.
fn as_a_child_has_it(file: impl AsFd) -> std::os::fd::OwnedFd {
    rustix::io::dup(file).unwrap()
}

fn directory() -> (tempfile::TempDir, Directory) {
    let outside = tempfile::tempdir().unwrap();
    let directory = Directory::open(outside.path()).unwrap();
    (outside, directory)
}

#[test]
fn a_lock_that_is_released_is_free_while_a_child_still_has_its_file() {
    let (_outside, directory) = directory();
    for hold in [Hold::Exclusive, Hold::Shared] {
        let again = || open(&directory, "some.lock").unwrap();
        let held = FileLock::take(again(), hold, Duration::ZERO).unwrap().unwrap();
        let child = as_a_child_has_it(&*held);
        assert!(FileLock::take(again(), Hold::Exclusive, Duration::ZERO).unwrap().is_none(), "{hold:?}");
        drop(held);
        assert!(FileLock::take(again(), Hold::Exclusive, Duration::ZERO).unwrap().is_some(), "{hold:?}");
        drop(child);
    }
}

#[test]
fn a_directory_is_dead_as_soon_as_its_run_is_over_whatever_children_have_of_it() {
    let (_outside, directory) = directory();
    let live = of_directory(&directory).unwrap();
    let child = as_a_child_has_it(&*live);
    assert!(is_live(&directory).unwrap());
    drop(live);
    assert!(!is_live(&directory).unwrap());
    drop(child);
}

#[test]
fn a_question_whether_a_directory_is_live_leaves_no_lock_behind() {
    let (_outside, directory) = directory();
    let child = as_a_child_has_it(&directory);
    assert!(!is_live(&directory).unwrap());
    assert!(FileLock::take(directory, Hold::Exclusive, Duration::ZERO).unwrap().is_some());
    drop(child);
}

#[test]
fn a_lock_that_the_last_child_of_a_killed_holder_lets_go_of_is_not_said_to_be_held() {
    let (_outside, directory) = directory();
    let mut child = None;
    let mut asked = 0;
    let killed = FileLock::take(directory.again().unwrap(), Hold::Exclusive, Duration::ZERO).unwrap().unwrap();
    child.replace(as_a_child_has_it(&*killed));
    // A killed process releases no lock: its file is merely closed.
    std::mem::forget(killed);
    let mut goes_on = || {
        asked += 1;
        asked < 4
    };
    assert!(FileLock::take_while(directory.again().unwrap(), Hold::Shared, &mut goes_on).unwrap().is_none());
    assert_eq!(asked, 4, "it is asked again");
}
