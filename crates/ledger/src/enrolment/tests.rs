use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use referee_model::depot::DepotAddress;
use referee_model::enrolment::{EnrolledBy, FleetSettings, TrustedCommit};
use referee_model::time::Timestamp;
use tempfile::TempDir;

use super::*;

fn state() -> (TempDir, State) {
    let outside = tempfile::tempdir().unwrap();
    let state = State::open(&outside.path().join("state")).unwrap();
    (outside, state)
}

fn enrolment(project: &str, by: EnrolledBy) -> Enrolment {
    Enrolment {
        project: project.into(),
        specification: Path::new(project).join("referee.yaml"),
        by,
        since: Timestamp::from_millisecond(1),
        held_out: None,
        trusted: None,
        fleet: None,
    }
}

fn removal() -> Removal {
    Removal { at: Timestamp::from_millisecond(2), agent: None }
}

fn projects(records: &[EnrolmentRecord]) -> Vec<PathBuf> {
    records.iter().map(|record| record.enrolment.project.clone()).collect()
}

#[test]
fn what_lies_above_a_directory_is_found_nearest_first_and_looking_makes_nothing() {
    let (_outside, state) = state();
    assert_eq!(above(&state, Path::new("/work/a/src")).unwrap(), []);
    assert!(!state.path().join("enrolled").exists());
    for project in ["/work", "/work/a", "/work/ab"] {
        enroll(&state, enrolment(project, EnrolledBy::Person)).unwrap();
    }
    let found = above(&state, Path::new("/work/a/src/deep")).unwrap();
    assert_eq!(projects(&found), [Path::new("/work/a"), Path::new("/work")]);
    assert_eq!(above(&state, Path::new("/elsewhere")).unwrap(), []);
    assert_eq!(projects(&all(&state).unwrap()), ["/work", "/work/a", "/work/ab"].map(PathBuf::from));
}

#[test]
fn what_a_commit_implies_changes_nothing_that_a_person_said() {
    let (_outside, state) = state();
    let by_person = Enrolment {
        held_out: Some("/secret/held-out.yaml".into()),
        trusted: Some(TrustedCommit { id: "4f2c9e1".to_owned(), name: Some("main".to_owned()) }),
        ..enrolment("/work", EnrolledBy::Person)
    };
    let record = enroll(&state, by_person).unwrap();
    assert_eq!(imply(&state, enrolment("/work", EnrolledBy::CommittedSpecification)).unwrap(), record);
}

#[test]
fn an_enrolment_that_is_ended_leaves_its_record_and_comes_back_with_what_a_person_said() {
    let (_outside, state) = state();
    let held_out = Some(PathBuf::from("/secret/held-out.yaml"));
    let fleet = Some(FleetSettings {
        labels: BTreeSet::new(),
        depot: DepotAddress::parse("s3://evidence").unwrap(),
        project: None,
        parts: None,
    });
    let of_a_person = enrolment("/work", EnrolledBy::Person);
    let by_person = Enrolment { held_out: held_out.clone(), fleet: fleet.clone(), ..of_a_person };
    enroll(&state, by_person).unwrap();
    assert!(remove(&state, Path::new("/work"), removal()).unwrap());
    assert!(!remove(&state, Path::new("/work"), removal()).unwrap(), "it is not enrolled any more");
    assert!(!remove(&state, Path::new("/other"), removal()).unwrap());
    let gone = above(&state, Path::new("/work")).unwrap();
    assert_eq!((gone.len(), gone[0].is_enrolled(), gone[0].removal()), (1, false, Some(&removal())));
    let again = imply(&state, enrolment("/work", EnrolledBy::CommittedSpecification)).unwrap();
    assert!(again.is_enrolled());
    assert_eq!((again.removal(), &again.enrolment.held_out), (Some(&removal()), &held_out));
    assert_eq!(again.enrolment.fleet, fleet);
}

#[test]
fn a_record_that_is_junk_too_large_a_link_or_about_another_project_is_an_error() {
    let (outside, state) = state();
    enroll(&state, enrolment("/work", EnrolledBy::Person)).unwrap();
    let file = state.path().join("enrolled").join(name(Path::new("/work")));
    let good = fs::read(&file).unwrap();
    let other = String::from_utf8(good.clone()).unwrap().replace("\"/work\"", "\"/other\"");
    let large = vec![b' '; usize::try_from(limit::ENROLMENT_BYTES).unwrap() + 1];
    for junk in [&b""[..], &good[..good.len() / 2], other.as_bytes(), &large] {
        fs::write(&file, junk).unwrap();
        assert!(above(&state, Path::new("/work/src")).is_err());
        assert!(imply(&state, enrolment("/work", EnrolledBy::CommittedSpecification)).is_err(), "nothing is lost");
        assert!(all(&state).is_err());
    }
    fs::remove_file(&file).unwrap();
    fs::write(outside.path().join("elsewhere"), &good).unwrap();
    std::os::unix::fs::symlink(outside.path().join("elsewhere"), &file).unwrap();
    assert!(above(&state, Path::new("/work")).is_err());
}

#[test]
fn a_project_whose_path_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let (_outside, state) = state();
    let path = std::ffi::OsString::from_vec(b"/work/\xff".to_vec());
    let odd = Enrolment { project: path.into(), ..enrolment("/work", EnrolledBy::Person) };
    assert!(enroll(&state, odd).unwrap_err().to_string().contains("not text"));
    assert_eq!(all(&state).unwrap(), []);
}
