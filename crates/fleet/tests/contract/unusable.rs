use std::fs;
use std::path::PathBuf;

use referee_fleet::access::Access;
use referee_fleet::answer;
use referee_model::depot::{DepotAddress, DepotAnswer, DepotFailure, DepotFailureKind, DepotOperation, DepotRequest};
use referee_model::id::ProjectName;
use referee_testkit::object_storage::SECRET_KEY;

use crate::server::Server;

fn failure(depot: DepotAddress, operation: DepotOperation, access: &Access) -> DepotFailure {
    let request = DepotRequest { depot, project: ProjectName::parse("p").unwrap(), operation };
    match answer(&request, access) {
        DepotAnswer::Failed { error } => error,
        other => panic!("{other:?}"),
    }
}

fn bucket(name: &str) -> DepotAddress {
    DepotAddress::S3 { bucket: name.to_owned(), prefix: String::new() }
}

fn push() -> DepotOperation {
    DepotOperation::Push { runs: Vec::new() }
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let directory = PathBuf::from("/nowhere/depot");
    for operation in [push(), DepotOperation::Heads] {
        let error = failure(DepotAddress::Files { directory: directory.clone() }, operation, &Access::default());
        assert_eq!(error.kind, DepotFailureKind::Unavailable);
        assert!(error.message.contains("/nowhere/depot"), "{}", error.message);
    }
}

#[test]
fn a_directory_without_runs_is_no_depot() {
    let ground = tempfile::tempdir().unwrap();
    let address = DepotAddress::Files { directory: ground.path().to_path_buf() };
    let error = failure(address.clone(), DepotOperation::Heads, &Access::default());
    assert_eq!(error.kind, DepotFailureKind::Unknown);
    fs::write(ground.path().join("depot.json"), r#"{"depotVersion": "2.0.0"}"#).unwrap();
    let error = failure(address, DepotOperation::Heads, &Access::default());
    assert_eq!(error.kind, DepotFailureKind::Corrupt);
    assert!(error.message.contains("version 2.0.0"), "{}", error.message);
}

#[test]
fn credentials_that_are_missing_or_wrong_are_told_without_them() {
    let error = failure(bucket("evidence"), push(), &Access::default());
    assert_eq!(error.kind, DepotFailureKind::Address);
    let Some(server) = Server::start() else { return };
    for operation in [push(), DepotOperation::Heads] {
        let error = failure(bucket("evidence"), operation, &server.access("wrong-secret"));
        assert_eq!(error.kind, DepotFailureKind::Denied, "{}", error.message);
        assert!(!error.message.contains("wrong-secret") && !error.message.contains("referee-tests"));
    }
}

#[test]
fn a_bucket_or_a_server_that_is_not_there_is_an_error() {
    let Some(server) = Server::start() else { return };
    let access = server.access(SECRET_KEY);
    let error = failure(bucket("no-such-bucket"), push(), &access);
    assert_eq!(error.kind, DepotFailureKind::Address, "{error:?}");
    drop(server);
    for operation in [push(), DepotOperation::Heads] {
        let error = failure(bucket("evidence"), operation, &access);
        assert_eq!(error.kind, DepotFailureKind::Unavailable, "{error:?}");
    }
}

#[test]
fn an_object_that_was_truncated_in_the_storage_is_noticed() {
    let Some(server) = Server::start() else { return };
    let address = bucket("evidence");
    assert!(matches!(
        answer(
            &DepotRequest { depot: address.clone(), project: ProjectName::parse("p").unwrap(), operation: push() },
            &server.access(SECRET_KEY)
        ),
        DepotAnswer::Pushed { .. }
    ));
    fs::write(server.file("depot.json"), "{\"depotVer").unwrap();
    let error = failure(address, DepotOperation::Heads, &server.access(SECRET_KEY));
    assert_eq!(error.kind, DepotFailureKind::Corrupt, "{error:?}");
    assert!(error.message.contains("depot.json"), "{}", error.message);
}
