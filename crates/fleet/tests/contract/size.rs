//! What a pull may write before anything is verified.

use std::fs;
use std::path::{Path, PathBuf};

use referee_fleet::access::Access;
use referee_fleet::answer;
use referee_model::depot::{
    DepotAddress, DepotAnswer, DepotFailure, DepotFailureKind, DepotOperation, DepotRequest, PulledRun, PushRun,
};
use referee_model::id::{Digest, ExecutionId, ProjectName, TaskId};
use referee_model::seal::{self, Seal, SealedFile};
use referee_model::time::Timestamp;
use referee_model::tree_manifest::ContentLink;
use serde_json::{Value, json};
use tempfile::TempDir;

/// When all runs were sealed, in milliseconds.
pub(crate) const SEALED_MS: i64 = 1_795_251_924_000;

/// A sealed run.
pub(crate) struct Run {
    directory: TempDir,
    seal: Vec<u8>,
}

impl Run {
    /// Seals a run with these files, which follows another one.
    pub(crate) fn sealed(number: u32, files: &[(&str, &[u8])], before: Option<&Self>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(directory.path().join(name), content).unwrap();
        }
        let file = |(path, content): &(&str, &[u8])| SealedFile {
            path: (*path).to_owned(),
            bytes: content.len() as u64,
            sha256: Digest::of(content),
        };
        let seal = Seal {
            seal_version: seal::VERSION.to_owned(),
            execution_id: execution(number),
            task_id: task(),
            sealed_at: Timestamp::from_millisecond(SEALED_MS),
            plan_digest: Digest::of("plan"),
            previous_seal: before.map(|run| Digest::of(&run.seal)),
            sequence: Some(u64::from(number)),
            previous_gone: false,
            tree_before: None,
            tree_after: None,
            files: files.iter().map(file).collect(),
        };
        let seal = serde_json::to_vec(&seal).unwrap();
        fs::write(directory.path().join("seal.json"), &seal).unwrap();
        Self { directory, seal }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().to_path_buf()
    }

    pub(crate) fn link(&self) -> ContentLink {
        ContentLink { sha256: Digest::of(&self.seal), bytes: self.size() }
    }

    /// Size of the seal.
    fn size(&self) -> u64 {
        self.seal.len() as u64
    }
}

fn task() -> TaskId {
    TaskId::parse("T001").unwrap()
}

fn execution(number: u32) -> ExecutionId {
    ExecutionId::parse(format!("exec-{number}")).unwrap()
}

fn ask(depot: &Path, operation: DepotOperation) -> DepotAnswer {
    let depot = DepotAddress::Files { directory: depot.to_path_buf() };
    answer(&DepotRequest { depot, project: ProjectName::parse("p").unwrap(), operation }, &Access::default())
}

fn push(depot: &Path, run: &Run, earlier: &[&Run]) {
    let earlier = earlier.iter().map(|run| run.path()).collect();
    let runs = vec![PushRun { directory: run.path(), newest: true, earlier }];
    let answered = ask(depot, DepotOperation::Push { runs });
    assert!(matches!(answered, DepotAnswer::Pushed { .. }), "{answered:?}");
}

fn pull(depot: &Path, into: &Path, max_bytes: u64) -> Result<PulledRun, DepotFailure> {
    let (task, into) = (task(), into.to_path_buf());
    match ask(depot, DepotOperation::Pull { task, execution: None, known: None, into, max_bytes }) {
        DepotAnswer::Pulled(run) => Ok(run),
        DepotAnswer::Failed { error } => Err(error),
        other => panic!("{other:?}"),
    }
}

/// The file behind an object that is named by a digest.
pub(crate) fn object(depot: &Path, kind: &str, digest: Digest) -> PathBuf {
    let digest = digest.to_string();
    depot.join(kind).join("sha256").join(&digest[..2]).join(&digest[2..])
}

#[test]
fn a_run_that_is_larger_than_allowed_is_refused_before_a_file_is_fetched() {
    let depot = tempfile::tempdir().unwrap();
    let (log, other) = ([1_u8; 500], [2_u8; 700]);
    let first = Run::sealed(1, &[("a.log", &log[..])], None);
    let second = Run::sealed(2, &[("a.log", &log[..]), ("b.log", &other[..])], Some(&first));
    push(depot.path(), &first, &[]);
    push(depot.path(), &second, &[&first]);

    // Whoever asked for the content would be told that it is missing.
    let (content, away) = (object(depot.path(), "blobs", Digest::of(other)), depot.path().join("away"));
    fs::rename(&content, &away).unwrap();
    for max_bytes in [0, 1_199] {
        let into = tempfile::tempdir().unwrap();
        let error = pull(depot.path(), into.path(), max_bytes).unwrap_err();
        assert_eq!(error.kind, DepotFailureKind::TooLarge, "{max_bytes}: {}", error.message);
        assert!(error.message.contains("--max-bytes"), "{}", error.message);
        let files = fs::read_dir(into.path().join("run")).into_iter().flatten().count();
        assert_eq!(files, 0, "{max_bytes}");
    }
}

#[test]
fn documents_count_as_files_do() {
    let depot = tempfile::tempdir().unwrap();
    let first = Run::sealed(1, &[], None);
    let second = Run::sealed(2, &[("a.log", &[1_u8; 500][..])], Some(&first));
    push(depot.path(), &first, &[]);
    push(depot.path(), &second, &[&first]);
    let with = |bytes: u64| {
        let into = tempfile::tempdir().unwrap();
        pull(depot.path(), into.path(), bytes)
    };
    let mut most = first.size() + second.size() + 500;
    let holds = |most: u64| {
        let error = with(most - 1).unwrap_err();
        assert_eq!(error.kind, DepotFailureKind::TooLarge, "{}", error.message);
        assert!(error.message.contains("--max-bytes"), "{}", error.message);
        assert_eq!(with(most).unwrap().bytes, 500);
    };
    holds(most);
    for (kind, run, bytes) in [("tombstones", &first, 2_000), ("statements", &second, 3_000)] {
        let path = object(depot.path(), kind, Digest::of(&run.seal));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        fs::write(&path, vec![b' '; bytes]).unwrap();
        most += bytes as u64;
        holds(most);
    }
}

#[test]
fn a_head_that_names_a_seal_of_any_size_is_refused() {
    let depot = tempfile::tempdir().unwrap();
    let run = Run::sealed(1, &[("a.log", &b"evidence"[..])], None);
    push(depot.path(), &run, &[]);
    let head = depot.path().join("heads/p/T001.json");
    let mut document: Value = serde_json::from_slice(&fs::read(&head).unwrap()).unwrap();
    document["run"]["sealBytes"] = json!(1_u64 << 40);
    fs::write(&head, document.to_string()).unwrap();
    let into = tempfile::tempdir().unwrap();
    let error = pull(depot.path(), into.path(), u64::MAX).unwrap_err();
    assert_eq!(error.kind, DepotFailureKind::Corrupt, "{}", error.message);
    assert!(error.message.contains("names a seal of 1099511627776 bytes"), "{}", error.message);
}
