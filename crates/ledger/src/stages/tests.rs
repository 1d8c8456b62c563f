//! Composes, reads and changes a run, and checks the result of each way of tampering with it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

use referee_model::stage::id::StageRunId;
use referee_model::stage::log::{LOG, StageChange};

use super::*;

pub(super) fn stage(name: &str) -> StageId {
    StageId::parse(name).unwrap()
}

pub(super) fn path(text: &str) -> StagePath {
    StagePath::parse(text).unwrap()
}

pub(super) fn time() -> Timestamp {
    Timestamp::parse("2026-11-22T10:00:00Z").unwrap()
}

pub(super) fn composition() -> Composition {
    let file = |name: &str, text: &str| (path(name), text.as_bytes().to_vec());
    Composition {
        at: time(),
        by: "cli".to_owned(),
        source: "workflow".to_owned(),
        name: "sample".to_owned(),
        version: "1.0".to_owned(),
        workspace: PathBuf::from("/workspace"),
        stages: vec![stage("specify"), stage("explore")],
        files: BTreeMap::from([
            file("schemas/wf.schema.json", "{}"),
            file("stages/explore/stage-config.yaml", "id: explore"),
            file("stages/explore/prompt/main.md", "do it"),
            file("stages/specify/stage-config.yaml", "id: specify"),
        ]),
        directories: vec![path("stages/explore/run/output-data"), path("stages/explore/inputs")],
    }
}

/// A directory for runs, and a state directory outside it.
pub(super) struct Fixture {
    pub(super) directory: tempfile::TempDir,
}

impl Fixture {
    pub(super) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(super) fn runs(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("runs")
    }

    pub(super) fn state(&self) -> State {
        State::open(&self.directory.path().join("state")).unwrap()
    }

    pub(super) fn compose(&self) -> PathBuf {
        composition::compose(&self.runs(), &self.state(), &composition()).unwrap().path
    }

    /// Returns the file in which the end of a run's log is kept.
    fn entry(&self, run: &Path) -> PathBuf {
        self.state().path().join("stages").join(crate::log_end::name(run))
    }
}

pub(super) fn open(run: &Path) -> StageRun {
    StageRun::open(run).unwrap().unwrap()
}

pub(super) fn trust(ground: &Fixture, run: &Path) -> LogTrust {
    open(run).log(Some(&ground.state())).unwrap().trust
}

pub(super) fn prepare(ground: &Fixture, run: &Path) -> Result<StageLogLine, LedgerError> {
    let (run, state) = (open(run), ground.state());
    let held = run.hold(&state)?.unwrap();
    let operation = StageChange::Prepared { sources: BTreeMap::new(), inputs: BTreeMap::new() };
    held.append(time(), Some(&stage("explore")), 0, "cli", operation)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn runs_are_composed_one_after_the_other_with_what_was_composed_in_the_log() {
    // WF-01
    let ground = Fixture::new();
    let (one, other) = (ground.compose(), ground.compose());
    assert_eq!(names(&ground.runs()), ["run-2026-11-22-001", "run-2026-11-22-002"]);
    assert_eq!(
        (one.file_name(), other.file_name()),
        (Some("run-2026-11-22-001".as_ref()), Some("run-2026-11-22-002".as_ref()))
    );
    let log = open(&other).log(Some(&ground.state())).unwrap();
    assert_eq!(log.trust, LogTrust::Kept);
    let [line] = log.lines.as_slice() else { panic!("{log:?}") };
    let StageChange::Composed { files, stages, .. } = &line.operation else { panic!("{line:?}") };
    assert_eq!(line.run_id, StageRunId::new("2026-11-22", 2).unwrap());
    assert_eq!(stages, &[stage("specify"), stage("explore")]);
    assert_eq!(files.len(), 4);
    assert_eq!(files["stages/explore/prompt/main.md"], Digest::of(b"do it"));
    assert!(other.join("stages/explore/inputs").is_dir());
    let record = referee_model::stage::run::read(&fs::read(other.join("wf-run.json")).unwrap()).unwrap();
    assert_eq!(record.run_id, line.run_id);
    let order: Vec<&str> = record.stages.iter().map(|stage| stage.id.as_str()).collect();
    assert_eq!(order, ["specify", "explore"]);
}

#[test]
fn a_number_that_anything_has_is_not_free() {
    let ground = Fixture::new();
    fs::create_dir_all(ground.runs().join("run-2026-11-22-001")).unwrap();
    fs::write(ground.runs().join("run-2026-11-22-002"), "").unwrap();
    symlink("nowhere", ground.runs().join("run-2026-11-22-003")).unwrap();
    assert_eq!(ground.compose().file_name(), Some("run-2026-11-22-004".as_ref()));
}

#[test]
fn what_cannot_be_composed_leaves_nothing() {
    let ground = Fixture::new();
    let compose = |change: &dyn Fn(&mut Composition)| {
        let mut wanted = composition();
        change(&mut wanted);
        composition::compose(&ground.runs().join("deep/below"), &ground.state(), &wanted)
    };
    // A file where a directory is needed, and names that Referee writes itself.
    for name in ["schemas/wf.schema.json/below", "wf-run.json", LOG] {
        let refused = compose(&|wanted| drop(wanted.files.insert(path(name), Vec::new())));
        assert!(refused.is_err(), "{name}");
        assert!(!ground.runs().exists(), "{name}");
    }
    fs::write(ground.runs(), "a file").unwrap();
    assert!(compose(&|_| {}).is_err());
    assert_eq!(names(ground.directory.path()), ["runs", "state"]);
}

#[test]
fn what_a_killed_composition_left_is_cleared_and_nothing_else_is() {
    let ground = Fixture::new();
    let chance = "0123456789abcdef0123456789abcdef";
    let [dead, live] =
        ["a", "b"].map(|end| ground.runs().join(format!(".run-2026-11-22.partial-{}{end}", &chance[1..])));
    let other = ground.runs().join(".run-2026-11-22.partial-mine");
    for directory in [&dead, &live, &other] {
        fs::create_dir_all(directory.join("stages")).unwrap();
    }
    let directory = Directory::open(&live).unwrap();
    let directory = crate::lock::of_directory(&directory).unwrap();
    ground.compose();
    assert!(!dead.exists() && live.exists() && other.exists());
    drop(directory);
    ground.compose();
    assert!(!live.exists() && other.exists());
}

#[test]
fn lines_follow_one_another_and_the_log_only_grows() {
    let ground = Fixture::new();
    let run = ground.compose();
    let before = fs::read(run.join(LOG)).unwrap();
    assert_eq!(prepare(&ground, &run).unwrap().sequence, 2);
    assert_eq!(prepare(&ground, &run).unwrap().sequence, 3);
    let after = fs::read(run.join(LOG)).unwrap();
    assert!(after.starts_with(&before));
    let log = open(&run).log(Some(&ground.state())).unwrap();
    assert_eq!((log.trust, log.lines.len()), (LogTrust::Kept, 3));
    assert_eq!(
        open(&run).log(None).unwrap().trust,
        LogTrust::Unknown,
        "nothing vouches for it without a state directory"
    );
}

/// A way to tamper with a run, the trust of its log afterwards, and whether it can be adopted.
type Meddling = (&'static str, fn(&Fixture, &Path), &'static str, bool);

/// Tampering with a run after two lines. Beside it are a copy of its state after the first line, and another
/// run.
const MEDDLING: [Meddling; 16] = [
    ("nothing", |_, _| {}, "kept", false),
    ("the log is removed", |_, run| fs::remove_file(run.join(LOG)).unwrap(), "differs: it is gone", false),
    ("the log is emptied", |_, run| fs::write(run.join(LOG), "").unwrap(), "differs: it is empty", false),
    (
        "a line is cut off",
        |_, run| fs::copy(run.with_extension("old").join(LOG), run.join(LOG)).map(drop).unwrap(),
        "differs: it has 1 lines where 2 were written: it is an older one, or was cut",
        false,
    ),
    (
        "the run is put back to an older copy",
        |_, run| {
            fs::remove_dir_all(run).unwrap();
            copy(&run.with_extension("old"), run);
        },
        "differs: it has 1 lines where 2 were written: it is an older one, or was cut",
        false,
    ),
    (
        "another run is put in its place",
        |_, run| {
            fs::remove_dir_all(run).unwrap();
            copy(&run.with_file_name("run-2026-11-22-002"), run);
        },
        "differs: it is the log of run-2026-11-22-002, and that of run-2026-11-22-001 was written here",
        false,
    ),
    (
        "the last line is changed",
        |_, run| change(run, |text| text.replace("\"prepared\"", "\"adopted\"")),
        "differs: it is another one than the one that was written here",
        false,
    ),
    (
        "the first line is changed",
        |_, run| change(run, |text| text.replacen("\"by\":\"cli\"", "\"by\":\"you\"", 1)),
        "differs: line 2 does not follow from the one before",
        false,
    ),
    (
        "a line is added that follows",
        |_, run| {
            let chain = lines::chain(&fs::read(run.join(LOG)).unwrap());
            let mut line = chain.lines[1].clone();
            line.sequence = 3;
            line.previous = Some(chain.end.digest);
            let text = String::from_utf8(writer::rendered(&line).unwrap()).unwrap();
            change(run, |before| format!("{before}{text}\n"));
        },
        "differs: it has 3 lines where 2 were written: another process added to it",
        false,
    ),
    (
        "half a line is added",
        |_, run| change(run, |text| format!("{text}{{\"log")),
        "differs: line 3 has no end",
        false,
    ),
    (
        "an empty line is added",
        |_, run| change(run, |text| format!("{text}\n")),
        "differs: line 3 cannot be read: cannot read a line of wf-log.jsonl: EOF while parsing a value at line 1 column 0",
        false,
    ),
    (
        "the log is a link to what it was",
        |_, run| {
            fs::rename(run.join(LOG), run.join("moved")).unwrap();
            symlink("moved", run.join(LOG)).unwrap();
        },
        "differs: it is not a regular file",
        false,
    ),
    (
        "the log is a directory",
        |_, run| {
            fs::remove_file(run.join(LOG)).unwrap();
            fs::create_dir(run.join(LOG)).unwrap();
        },
        "differs: it is not a regular file",
        false,
    ),
    ("what is kept of it is removed", |ground, run| fs::remove_file(ground.entry(run)).unwrap(), "unknown", true),
    (
        "what is kept and the log are removed",
        |ground, run| {
            fs::remove_file(ground.entry(run)).unwrap();
            fs::remove_file(run.join(LOG)).unwrap();
        },
        "absent",
        false,
    ),
    (
        "what is kept is removed and the log is broken",
        |ground, run| {
            fs::remove_file(ground.entry(run)).unwrap();
            change(run, |text| text.replacen("\"by\":\"cli\"", "\"by\":\"you\"", 1));
        },
        "broken: line 2 does not follow from the one before",
        false,
    ),
];

fn change(run: &Path, change: impl FnOnce(String) -> String) {
    let text = fs::read_to_string(run.join(LOG)).unwrap();
    fs::write(run.join(LOG), change(text)).unwrap();
}

fn said(trust: &LogTrust) -> String {
    match trust {
        LogTrust::Absent => "absent".to_owned(),
        LogTrust::Kept => "kept".to_owned(),
        LogTrust::Unknown => "unknown".to_owned(),
        LogTrust::Broken(reason) => format!("broken: {reason}"),
        LogTrust::Differs(reason) => format!("differs: {reason}"),
    }
}

#[test]
fn whoever_meddles_with_a_run_is_found_out() {
    for (name, meddle, expected, can_be_adopted) in MEDDLING {
        let ground = Fixture::new();
        let run = ground.compose();
        copy(&run, &run.with_extension("old"));
        prepare(&ground, &run).unwrap();
        ground.compose();
        meddle(&ground, &run);
        assert_eq!(said(&trust(&ground, &run)), expected, "{name}");

        let before = fs::read(run.join(LOG)).ok();
        assert_eq!(prepare(&ground, &run).is_ok(), expected == "kept", "{name}");
        if expected != "kept" {
            assert_eq!(fs::read(run.join(LOG)).ok(), before, "{name}: something was written");
        }
        let (opened, state) = (open(&run), ground.state());
        let held = opened.hold(&state).unwrap().unwrap();
        let adopted = held.adopt(time(), "a person");
        assert_eq!(adopted.is_ok(), can_be_adopted, "{name}: {adopted:?}");
        if can_be_adopted {
            assert_eq!(adopted.unwrap().operation, StageChange::Adopted);
            drop(held);
            assert_eq!(trust(&ground, &run), LogTrust::Kept, "{name}");
            prepare(&ground, &run).unwrap();
        }
    }
}

#[test]
fn a_run_that_is_moved_or_copied_is_unknown_there_and_a_link_to_it_is_the_run() {
    let ground = Fixture::new();
    let run = ground.compose();
    let moved = ground.runs().join("moved");
    copy(&run, &moved);
    assert_eq!(trust(&ground, &moved), LogTrust::Unknown);
    let link = ground.directory.path().join("link");
    symlink(&run, &link).unwrap();
    assert_eq!(trust(&ground, &link), LogTrust::Kept);
    assert_eq!(open(&link).path(), run);
    // A link in the run's place is treated as its target.
    fs::rename(&run, run.with_extension("old")).unwrap();
    symlink(&moved, &run).unwrap();
    assert_eq!(trust(&ground, &run), LogTrust::Unknown);
    assert!(StageRun::open(&ground.runs().join("nothing")).unwrap().is_none());
    assert!(matches!(StageRun::open(&moved.join(LOG)), Err(LedgerError::NotADirectory { .. })));
}

#[test]
fn what_is_kept_in_the_state_directory_is_believed_only_as_it_was_written() {
    let ground = Fixture::new();
    let (run, other) = (ground.compose(), ground.compose());
    let entry = fs::read(ground.entry(&run)).unwrap();
    for junk in [b"".as_slice(), b"{}", b"[]", &entry[..entry.len() / 2], &fs::read(ground.entry(&other)).unwrap()] {
        fs::write(ground.entry(&run), junk).unwrap();
        let read = open(&run).log(Some(&ground.state()));
        assert!(matches!(read, Err(LedgerError::Unreadable { .. })), "{read:?}");
        assert!(prepare(&ground, &run).is_err());
    }
    fs::write(ground.entry(&run), entry).unwrap();
    assert_eq!(trust(&ground, &run), LogTrust::Kept);
}

#[test]
fn a_state_directory_inside_the_run_vouches_for_nothing() {
    let ground = Fixture::new();
    let run = ground.compose();
    let state = State::open(&run.join("state")).unwrap();
    let opened = open(&run);
    let message = opened.log(Some(&state)).unwrap_err().to_string();
    assert!(message.contains("the state directory is in `"), "{message}");
    assert!(opened.hold(&state).unwrap().unwrap().adopt(time(), "cli").is_err());
}

#[test]
fn looking_at_a_log_writes_nothing() {
    let ground = Fixture::new();
    let fixture = ground.directory.path().join("fixture/stages/explore");
    fs::create_dir_all(&fixture).unwrap();
    let run = ground.directory.path().join("fixture");
    let state = ground.state();
    assert_eq!(open(&run).log(Some(&state)).unwrap().trust, LogTrust::Absent);
    assert_eq!(names(state.path()), Vec::<String>::new());
    assert_eq!(names(&run), ["stages"]);
    assert_eq!(open(&run).stages().unwrap(), [stage("explore")]);
}

#[test]
fn who_holds_a_run_is_waited_for_and_a_directory_that_was_swapped_is_not_held() {
    let ground = Fixture::new();
    let run = ground.compose();
    let (first, second, state) = (open(&run), open(&run), ground.state());
    let held = first.hold(&state).unwrap().unwrap();
    assert!(second.hold(&state).unwrap().is_none());
    drop(held);
    assert!(second.hold(&state).unwrap().is_some());
    fs::rename(&run, run.with_extension("old")).unwrap();
    copy(&run.with_extension("old"), &run);
    assert!(matches!(first.hold(&state), Err(LedgerError::Meddled { .. })));
}

#[test]
fn nothing_is_read_or_written_through_a_link_or_in_place_of_what_is_no_file() {
    let ground = Fixture::new();
    let run = ground.compose();
    let outside = ground.directory.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret"), "secret").unwrap();
    let explore = run.join("stages/explore");
    symlink(outside.join("secret"), explore.join("link")).unwrap();
    symlink(&outside, explore.join("way")).unwrap();
    fs::create_dir(explore.join("folder")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        explore.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let (opened, state, id) = (open(&run), ground.state(), stage("explore"));
    let held = opened.hold(&state).unwrap().unwrap();
    for name in ["link", "way/secret", "folder", "pipe"] {
        assert_eq!(opened.read(&id, &path(name)).unwrap(), FileContent::NotAFile, "{name}");
        assert_eq!(opened.look(&id, &path(name)).unwrap(), None, "{name}");
        let copied = held.copy((&id, &path(name)), (&id, &path("inputs/copy"))).unwrap();
        assert_eq!(copied, None, "{name}");
    }
    for name in ["nothing", "nothing/below", &format!("{0}/{0}", "x".repeat(250)), &"x".repeat(300)] {
        assert_eq!(opened.read(&id, &path(name)).unwrap(), FileContent::Absent, "{name}");
        assert_eq!(opened.look(&id, &path(name)).unwrap(), None, "{name}");
    }
    assert!(!explore.join("inputs/copy").exists());
    assert!(held.write(&id, &path("way/new"), b"x").is_err());
    assert!(held.write(&id, &path("folder"), b"x").is_err());
    assert!(held.discard(&id, &path("folder")).is_err());
    assert!(held.write_own(&path(LOG), b"x").is_err());
    held.write(&id, &path("link"), b"new").unwrap();
    assert_eq!(fs::read(outside.join("secret")).unwrap(), b"secret", "the link was replaced, not followed");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(opened.files_below(&id, &path("way")).unwrap(), Vec::<String>::new());
    held.discard(&id, &path("way")).unwrap();
    held.discard(&id, &path("way")).unwrap();
    assert!(outside.join("secret").exists());
}

#[test]
fn a_file_that_is_too_large_to_be_read_is_looked_at_and_copied() {
    let ground = Fixture::new();
    let run = ground.compose();
    let bytes = vec![b'x'; usize::try_from(limit::STAGE_FILE_BYTES).unwrap() + 1];
    fs::write(run.join("stages/explore/run/output-data/large"), &bytes).unwrap();
    let (opened, state, id) = (open(&run), ground.state(), stage("explore"));
    let large = path("run/output-data/large");
    assert_eq!(opened.read(&id, &large).unwrap(), FileContent::TooLarge);
    let seen = opened.look(&id, &large).unwrap().unwrap();
    assert_eq!((seen.bytes, seen.digest), (bytes.len() as u64, Digest::of(&bytes)));
    let held = opened.hold(&state).unwrap().unwrap();
    let target = path("inputs/deep/large");
    assert_eq!(held.copy((&id, &large), (&stage("specify"), &target)).unwrap(), Some(Digest::of(&bytes)));
    assert_eq!(fs::read(run.join("stages/specify/inputs/deep/large")).unwrap(), bytes);
    assert_eq!(names(&run.join("stages/specify/inputs/deep")), ["large"]);
}

#[test]
fn an_attempt_is_kept_with_what_it_left_and_again_where_that_was_cut_off() {
    let ground = Fixture::new();
    let run = ground.compose();
    let (opened, state, id) = (open(&run), ground.state(), stage("explore"));
    let held = opened.hold(&state).unwrap().unwrap();
    let write = |name: &str, text: &str| held.write(&id, &path(name), text.as_bytes()).unwrap();
    write("run/output-data/accept.json", "accept 1");
    write("run/output-data/findings.json", "findings 1");
    let moved = [path("run/output-data/accept.json"), path("run/output-data/handback.json")];
    let copied = [path("run/output-data/findings.json")];
    held.keep_attempt(&id, 1, &moved, &copied).unwrap();
    let explore = run.join("stages/explore");
    let kept = explore.join("attempts/001/run/output-data");
    assert_eq!(names(&explore.join("attempts")), ["001"]);
    assert_eq!(names(&kept), ["accept.json", "findings.json"]);
    assert_eq!(names(&explore.join("run/output-data")), ["findings.json"]);
    // A process died before the next attempt began, and the agent went on writing.
    write("run/output-data/handback.json", "handback 1");
    write("run/output-data/findings.json", "findings 2");
    held.keep_attempt(&id, 1, &moved, &copied).unwrap();
    assert_eq!(names(&kept), ["accept.json", "findings.json", "handback.json"]);
    assert_eq!(fs::read(kept.join("findings.json")).unwrap(), b"findings 2");
    assert_eq!(fs::read(kept.join("accept.json")).unwrap(), b"accept 1");
    assert_eq!(names(&explore.join("run/output-data")), ["findings.json"]);
    held.keep_attempt(&id, 2, &moved, &copied).unwrap();
    assert_eq!(names(&explore.join("attempts")), ["001", "002"]);
}

#[test]
fn all_files_below_a_directory_are_told() {
    let ground = Fixture::new();
    let run = ground.compose();
    let prompt = run.join("stages/explore/prompt");
    fs::create_dir_all(prompt.join("deep/er")).unwrap();
    fs::write(prompt.join("deep/er/file"), "").unwrap();
    symlink("nowhere", prompt.join("link")).unwrap();
    let below = open(&run).files_below(&stage("explore"), &path("prompt")).unwrap();
    assert_eq!(below, ["deep/er/file", "link", "main.md"]);
    assert_eq!(open(&run).files_below(&stage("explore"), &path("none")).unwrap(), Vec::<String>::new());
}

#[test]
fn the_number_of_a_run_that_is_gone_is_not_given_again() {
    let ground = Fixture::new();
    let run = ground.compose();
    fs::remove_dir_all(&run).unwrap();
    let other = ground.compose();
    assert_eq!(other.file_name(), Some("run-2026-11-22-002".as_ref()), "another run would be taken for the first");
    assert_eq!(said(&trust(&ground, &other)), "kept");
    // An unreadable record of a path still shows that there was a run.
    fs::remove_dir_all(&other).unwrap();
    fs::write(ground.entry(&other), "junk").unwrap();
    assert_eq!(ground.compose().file_name(), Some("run-2026-11-22-003".as_ref()));
}

#[test]
fn a_link_in_a_runs_place_leads_to_no_other_run() {
    let ground = Fixture::new();
    let run = ground.compose();
    let elsewhere = ground.runs().with_file_name("elsewhere");
    let other = composition::compose(&elsewhere, &ground.state(), &composition()).unwrap().path;
    assert_eq!(run.file_name(), other.file_name());
    let by_another_name = ground.runs().with_file_name("mine");
    symlink(&elsewhere, &by_another_name).unwrap();
    assert_eq!(
        said(&trust(&ground, &by_another_name.join("run-2026-11-22-001"))),
        "kept",
        "nothing was composed there"
    );

    fs::remove_dir_all(&run).unwrap();
    symlink(&other, &run).unwrap();
    let told = said(&trust(&ground, &run));
    assert!(told.starts_with("differs: a run was composed at") && told.contains("a link leads"), "{told}");
    assert_eq!(said(&trust(&ground, &other)), "kept");
    // The same if the directory around it is exchanged.
    fs::remove_dir_all(ground.runs()).unwrap();
    symlink(&elsewhere, ground.runs()).unwrap();
    assert!(said(&trust(&ground, &run)).starts_with("differs: a run was composed at"));
}

#[test]
fn a_file_of_holes_is_neither_read_nor_copied() {
    let ground = Fixture::new();
    let run = open(&ground.compose());
    let (stage, huge) = (stage("explore"), path("run/output-data/huge.md"));
    let file = File::create(run.stage_path(&stage).join(huge.as_str())).unwrap();
    file.set_len(limit::STAGE_LOOK_BYTES + 1).unwrap();
    assert_eq!(run.look(&stage, &huge).unwrap(), None);
    let state = ground.state();
    let held = run.hold(&state).unwrap().unwrap();
    held.keep_attempt(&stage, 1, &[], std::slice::from_ref(&huge)).unwrap();
    assert_eq!(run.files_below(&stage, &path("attempts")).unwrap(), Vec::<String>::new());
}
