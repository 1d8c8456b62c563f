//! Whatever is done to evidence after it was sealed is found: tried at random on real runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use referee_engine::verification::{self, AxisState, VerificationOutcome, Verifier, VerifyRequest};
use referee_ledger::State;

use crate::support::Workspace;

/// The evidence of three runs of one task, and what it was before anybody touched it.
struct Sealed {
    workspace: Workspace,
    state: State,
    /// The directories: the latest run, then those of the history.
    directories: Vec<PathBuf>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Sealed {
    fn new() -> Self {
        let specification = "checks:\n  speak: 'echo hello; echo aside >&2'\n  look: { file: referee.yaml, minSize: 1 }\n  \
                             fails: { run: 'exit 3', needs: [look] }\n";
        let workspace = Workspace::with(specification);
        for _ in 0..3 {
            workspace.referee(&["run", "-q"]).exits(6);
        }
        let entries = fs::read_dir(workspace.path("evidence/.history/T001")).unwrap();
        let mut directories: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        directories.sort();
        directories.insert(0, workspace.path("evidence/T001"));
        let files = directories
            .iter()
            .flat_map(|directory| fs::read_dir(directory).unwrap())
            .map(|entry| entry.unwrap().path());
        let files = files.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        let state = State::find(&workspace.state()).unwrap().unwrap();
        Self { workspace, state, directories, files }
    }

    /// Makes everything what it was.
    fn restore(&self) {
        for directory in &self.directories {
            let _ = fs::remove_dir_all(directory);
            fs::create_dir_all(directory).unwrap();
        }
        for (path, bytes) in &self.files {
            fs::write(path, bytes).unwrap();
        }
    }

    fn file(&self, directory: &Path, number: prop::sample::Index) -> PathBuf {
        let files: Vec<_> = self.files.keys().filter(|file| file.parent() == Some(directory)).collect();
        (*number.get(&files)).clone()
    }

    fn verify(&self, directory: &Path) -> (VerificationOutcome, Vec<String>) {
        let request =
            VerifyRequest { directory, replay: true, state: Some(&self.state), verifier: &Verifier::nobody() };
        let verification = verification::verify(&request).unwrap();
        let is_wrong = |state| matches!(state, AxisState::Broken | AxisState::Unverifiable);
        let wrong = verification.axes.iter().filter(|axis| is_wrong(axis.state));
        (verification.standing(), wrong.flat_map(|axis| axis.reasons.clone()).collect())
    }
}

/// What somebody does.
#[derive(Debug, Clone)]
enum Tampering {
    Flip { file: prop::sample::Index, byte: prop::sample::Index, bit: u8 },
    Truncate { file: prop::sample::Index, left: prop::sample::Index },
    Append { file: prop::sample::Index, bytes: Vec<u8> },
    Drop { file: prop::sample::Index },
    Add { name: String },
    Rename { file: prop::sample::Index, name: String },
    Swap { one: prop::sample::Index, other: prop::sample::Index },
    PutBack { run: bool },
    Reorder,
}

fn operation() -> impl Strategy<Value = Tampering> {
    let file = any::<prop::sample::Index>;
    let name = "[a-z.]{1,12}";
    prop_oneof![
        4 => (file(), file(), 0..8_u8).prop_map(|(file, byte, bit)| Tampering::Flip { file, byte, bit }),
        2 => (file(), file()).prop_map(|(file, left)| Tampering::Truncate { file, left }),
        2 => (file(), prop::collection::vec(any::<u8>(), 1..20)).prop_map(|(file, bytes)| Tampering::Append { file, bytes }),
        2 => file().prop_map(|file| Tampering::Drop { file }),
        1 => name.prop_map(|name| Tampering::Add { name: format!("x{name}") }),
        1 => (file(), name).prop_map(|(file, name)| Tampering::Rename { file, name: format!("x{name}") }),
        2 => (file(), file()).prop_map(|(one, other)| Tampering::Swap { one, other }),
        1 => any::<bool>().prop_map(|run| Tampering::PutBack { run }),
        1 => Just(Tampering::Reorder),
    ]
}

/// What a operation left.
struct Done {
    /// The words of which one must be said.
    named: Vec<String>,
    /// Whether there is no seal any more.
    seal_is_gone: bool,
}

/// Puts an earlier run in the place of the latest one.
fn put_back(sealed: &Sealed, number: usize) -> Vec<String> {
    fs::remove_dir_all(&sealed.directories[0]).unwrap();
    fs::rename(&sealed.directories[1 + number], &sealed.directories[0]).unwrap();
    vec!["it was rolled back".to_owned()]
}

/// Gives each of two earlier runs the other's name.
fn reorder(sealed: &Sealed) -> Vec<String> {
    let (one, other) = (&sealed.directories[1], &sealed.directories[2]);
    let aside = sealed.workspace.path("aside");
    fs::rename(one, &aside).unwrap();
    fs::rename(other, one).unwrap();
    fs::rename(&aside, other).unwrap();
    vec!["of the history holds".to_owned()]
}

/// Does it to one of the directories. None: it changes nothing.
fn perform(sealed: &Sealed, directory: &Path, operation: &Tampering) -> Option<Done> {
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let file = |number: &prop::sample::Index| sealed.file(directory, *number);
    let mut seal_is_gone = false;
    let named = match operation {
        Tampering::Flip { file: number, byte, bit } => {
            let path = file(number);
            let mut bytes = fs::read(&path).unwrap();
            if bytes.is_empty() {
                return None;
            }
            let at = byte.index(bytes.len());
            bytes[at] ^= 1 << bit;
            fs::write(&path, bytes).unwrap();
            vec![name(&path)]
        }
        Tampering::Truncate { file: number, left } => {
            let path = file(number);
            let bytes = fs::read(&path).unwrap();
            if bytes.is_empty() {
                return None;
            }
            fs::write(&path, &bytes[..left.index(bytes.len())]).unwrap();
            vec![name(&path)]
        }
        Tampering::Append { file: number, bytes } => {
            let path = file(number);
            fs::write(&path, [fs::read(&path).unwrap(), bytes.clone()].concat()).unwrap();
            vec![name(&path)]
        }
        Tampering::Drop { file: number } => {
            let path = file(number);
            fs::remove_file(&path).unwrap();
            seal_is_gone = name(&path) == "seal.json";
            vec![name(&path)]
        }
        Tampering::Add { name } => {
            fs::write(directory.join(name), "").unwrap();
            vec![name.clone()]
        }
        Tampering::Rename { file: number, name: new } => {
            let path = file(number);
            fs::rename(&path, directory.join(new)).unwrap();
            seal_is_gone = name(&path) == "seal.json";
            vec![name(&path)]
        }
        Tampering::Swap { one, other } => {
            let (one, other) = (file(one), file(other));
            let (first, second) = (fs::read(&one).unwrap(), fs::read(&other).unwrap());
            if first == second {
                return None;
            }
            fs::write(&one, second).unwrap();
            fs::write(&other, first).unwrap();
            vec![name(&one), name(&other)]
        }
        Tampering::PutBack { run } => put_back(sealed, usize::from(*run)),
        Tampering::Reorder => reorder(sealed),
    };
    Some(Done { named, seal_is_gone })
}

#[test]
fn whatever_is_done_to_sealed_evidence_is_found_and_named() {
    let sealed = Sealed::new();
    for directory in &sealed.directories {
        assert_eq!(sealed.verify(directory), (VerificationOutcome::Failed, Vec::new()), "{}", directory.display());
    }
    let mut runner =
        TestRunner::new(Config { cases: 80, max_shrink_iters: 60, failure_persistence: None, ..Config::default() });
    let result = runner.run(&(0..3_usize, operation()), |(directory, operation)| {
        sealed.restore();
        // These change the order of runs, which shows at the latest one.
        let at_latest = matches!(operation, Tampering::PutBack { .. } | Tampering::Reorder);
        let directory = &sealed.directories[if at_latest { 0 } else { directory }];
        let Some(Done { named, seal_is_gone }) = perform(&sealed, directory, &operation) else { return Ok(()) };
        let (standing, told) = sealed.verify(directory);
        let is_found = standing == VerificationOutcome::Tampered
            || (seal_is_gone && standing == VerificationOutcome::Unverifiable);
        prop_assert!(is_found, "{standing:?}: {told:?}");
        let seal = ["its seal", "the seal", "is gone", "it was rolled back"];
        let mut words = named.iter().map(String::as_str).collect::<Vec<_>>();
        if words.contains(&"seal.json") {
            words.extend(seal);
        }
        prop_assert!(told.iter().any(|reason| words.iter().any(|word| reason.contains(word))), "{words:?}: {told:?}");
        Ok(())
    });
    sealed.restore();
    result.unwrap();
}
