use std::fs::File;
use std::future::Future;
use std::io::{Seek, Write};
use std::sync::Arc;

use futures_util::future::join_all;
use object_store::memory::InMemory;
use referee_fleet::DepotError;
use referee_fleet::access::Access;
use referee_fleet::depot::{Blob, Depot, Objects, Stored};
use referee_model::depot::{DepotAddress, DepotFailureKind};
use referee_model::id::Digest;

use crate::server::Server;

fn run<Output>(future: impl Future<Output = Output>) -> Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Holds something against every driver.
fn every(check: &impl AsyncFn(&Depot)) {
    let ground = tempfile::tempdir().unwrap();
    let address = DepotAddress::Files { directory: ground.path().to_path_buf() };
    run(check(&Depot::open(&address, &Access::default()).unwrap()));
    run(check(&Depot::Objects(Objects::over(Arc::new(InMemory::new())))));
    if let Some(server) = Server::start() {
        run(check(&server.depot("")));
        run(check(&server.depot("team/a")));
    }
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

fn blob(bytes: &[u8]) -> Blob {
    Blob { sha256: Digest::of(bytes), bytes: Some(bytes.len() as u64) }
}

async fn get(depot: &Depot, name: &str, blob: Blob) -> Result<Vec<u8>, DepotError> {
    let mut out = Vec::new();
    depot.get(name, blob, &mut out).await.map(|_| out)
}

#[test]
fn content_is_stored_once_and_comes_back_as_it_was() {
    every(&async |depot: &Depot| {
        for content in [&b""[..], b"evidence", &vec![7; 300_000]] {
            let name = format!("blobs/{}", Digest::of(content));
            assert_eq!(depot.put(&name, blob(content), file(content)).await.unwrap(), Stored::New);
            assert_eq!(depot.put(&name, blob(content), file(content)).await.unwrap(), Stored::Present);
            assert_eq!(get(depot, &name, blob(content)).await.unwrap(), content);
            assert_eq!(get(depot, &name, Blob { bytes: None, ..blob(content) }).await.unwrap(), content);
            assert_eq!(depot.size(&name).await.unwrap(), Some(content.len() as u64));
        }
    });
}

#[test]
fn content_in_several_parts_comes_back_as_it_was() {
    every(&async |depot: &Depot| {
        let content: Vec<u8> = (0..40_u32 * 1024 * 1024).map(|number| (number / 7).to_le_bytes()[0]).collect();
        assert_eq!(depot.put("blobs/large", blob(&content), file(&content)).await.unwrap(), Stored::New);
        assert_eq!(depot.put("blobs/large", blob(&content), file(&content)).await.unwrap(), Stored::Present);
        assert!(get(depot, "blobs/large", blob(&content)).await.unwrap() == content);
        let mut changed = content.clone();
        changed[20_000_000] ^= 1;
        let error = depot.put("blobs/other", blob(&content), file(&changed)).await.unwrap_err();
        assert!(error.message.contains("not as it was sealed"), "{error}");
        assert_eq!(depot.size("blobs/other").await.unwrap(), None);
    });
}

#[test]
fn a_file_that_is_not_the_content_is_not_stored() {
    every(&async |depot: &Depot| {
        for wrong in [&b"evidencf"[..], b"evidence and more", b"evid", b""] {
            let error = depot.put("blobs/a", blob(b"evidence"), file(wrong)).await.unwrap_err();
            assert_eq!(error.kind, DepotFailureKind::Local);
            assert!(error.message.contains("not as it was sealed"), "{error}");
            assert_eq!(depot.size("blobs/a").await.unwrap(), None);
        }
    });
}

#[test]
fn an_object_that_is_not_what_its_name_says_is_an_error_with_its_name() {
    every(&async |depot: &Depot| {
        for (wrong, part) in [
            (&b"evidencf"[..], "another content"),
            (b"evid", "4 of 8 bytes"),
            (b"", "0 of 8 bytes"),
            (b"evidence and more", "larger"),
        ] {
            let name = format!("blobs/{}", Digest::of(wrong));
            assert!(depot.create(&name, wrong).await.unwrap());
            let error = get(depot, &name, blob(b"evidence")).await.unwrap_err();
            assert_eq!(error.kind, DepotFailureKind::Corrupt);
            assert!(error.message.contains(&name) && error.message.contains(part), "{error}");
            let again = depot.put(&name, blob(b"evidence"), file(b"evidence")).await;
            assert_eq!(again.is_err(), wrong.len() != 8, "a size that differs is noticed where it is stored again");
        }
        let error = get(depot, "blobs/none", blob(b"evidence")).await.unwrap_err();
        assert_eq!(error.kind, DepotFailureKind::Missing);
        assert!(error.message.contains("blobs/none"), "{error}");
    });
}

#[test]
fn content_is_cut_off_where_it_is_larger_than_its_size() {
    every(&async |depot: &Depot| {
        let large = vec![7_u8; 3_000_000];
        assert!(depot.create("blobs/large", &large).await.unwrap());
        let mut out = Vec::new();
        let error = depot.get("blobs/large", blob(&large[..1_000_000]), &mut out).await.unwrap_err();
        assert_eq!(error.kind, DepotFailureKind::Corrupt);
        assert!(error.message.contains("larger"), "{error}");
        assert!(out.len() <= 1_000_000, "{}", out.len());
    });
}

#[test]
fn a_document_is_created_once() {
    every(&async |depot: &Depot| {
        assert!(depot.read("a.json").await.unwrap().is_none());
        assert!(depot.create("a.json", b"one").await.unwrap());
        assert!(!depot.create("a.json", b"two").await.unwrap());
        assert_eq!(depot.read("a.json").await.unwrap().unwrap().0, b"one");
    });
}

#[test]
fn a_head_moves_from_the_version_that_was_read_alone() {
    every(&async |depot: &Depot| {
        let version = async || depot.read("heads/a.json").await.unwrap().map(|(_, version)| version);
        assert!(depot.move_head("heads/a.json", None, b"1").await.unwrap());
        assert!(!depot.move_head("heads/a.json", None, b"other").await.unwrap());
        let first = version().await;
        assert!(depot.move_head("heads/a.json", first.as_ref(), b"2").await.unwrap());
        assert!(!depot.move_head("heads/a.json", first.as_ref(), b"other").await.unwrap());
        assert_eq!(depot.read("heads/a.json").await.unwrap().unwrap().0, b"2");
        let second = version().await;
        depot.remove("heads/a.json").await.unwrap();
        assert!(!depot.move_head("heads/a.json", second.as_ref(), b"other").await.unwrap());
        assert!(version().await.is_none());
    });
}

#[test]
fn of_many_who_move_a_head_at_once_one_wins() {
    every(&async |depot: &Depot| {
        for round in 0..3_u8 {
            let version = depot.read("heads/a.json").await.unwrap().map(|(_, version)| version);
            let texts: Vec<Vec<u8>> = (0..16).map(|number| vec![round, number]).collect();
            let moves = texts.iter().map(|text| depot.move_head("heads/a.json", version.as_ref(), text));
            let won: Vec<bool> = join_all(moves).await.into_iter().map(|moved| moved.unwrap()).collect();
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "{won:?}");
            let winner = won.iter().position(|won| *won).unwrap();
            assert_eq!(depot.read("heads/a.json").await.unwrap().unwrap().0, texts[winner]);
        }
    });
}

#[test]
fn what_lies_below_a_prefix_is_listed_and_can_be_removed() {
    every(&async |depot: &Depot| {
        for name in ["heads/a/T001.json", "heads/a/T002.json", "heads/b/T001.json", "blobs/x"] {
            depot.create(name, name.as_bytes()).await.unwrap();
        }
        let names = async |prefix: &str| {
            let listed = depot.list(prefix).await.unwrap();
            listed.into_iter().map(|object| (object.name, object.bytes)).collect::<Vec<_>>()
        };
        let found = [("heads/a/T001.json".to_owned(), 17), ("heads/a/T002.json".to_owned(), 17)];
        assert_eq!(names("heads/a").await, found);
        assert_eq!(names("heads").await.len(), 3);
        assert!(names("none").await.is_empty());
        depot.remove("heads/a/T001.json").await.unwrap();
        depot.remove("heads/a/T001.json").await.unwrap();
        assert_eq!(names("heads/a").await, found[1..]);
    });
}
