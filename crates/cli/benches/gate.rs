//! What an answer of the gate costs where nothing changed, beside `git status` on the same tree, measured in the same run, in
//! turns: `cargo bench -p referee --bench gate`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement starts processes, makes files and prints"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;
const FOLDERS: usize = 500;
const FILES_IN_EACH: usize = 20;

fn main() {
    let outside = tempfile::tempdir().expect("a temporary directory can be made");
    let (workspace, state) = (outside.path().join("workspace"), outside.path().join("state"));
    repository(&workspace);
    let gate = |format: &str| {
        let program = Path::new(env!("CARGO_BIN_EXE_referee"));
        let mut command = Command::new(program);
        command.args(["gate", "--format", format]).env("REFEREE_STATE_DIR", &state);
        output(command.current_dir(&workspace))
    };
    gate("json");
    // Files that were written just now are read again until they are old enough to be told by their stamps.
    std::thread::sleep(Duration::from_secs(3));
    assert!(gate("json").contains("\"basis\": \"recorded\""), "an unchanged tree is answered by the recorded verdict");
    let status = || output(Command::new("git").args(["status", "--porcelain"]).current_dir(&workspace));
    status();
    let (answer, floor) = in_turns(|| timed(|| drop(gate("human"))), || timed(|| drop(status())));
    let files = FOLDERS * FILES_IN_EACH;
    println!("referee gate, nothing changed, {files} files: {:.1} ms (to reach: 100)", milliseconds(answer));
    println!("git status:                                  {:.1} ms", milliseconds(floor));
    println!("ratio: {:.2} (to reach: 1.00)", answer.as_secs_f64() / floor.as_secs_f64());
}

/// Makes a repository with so many committed files, and one check.
fn repository(workspace: &Path) {
    for folder in 0..FOLDERS {
        let folder = workspace.join(format!("src/part{}/folder{folder}", folder % 25));
        std::fs::create_dir_all(&folder).expect("directories can be made");
        for file in 0..FILES_IN_EACH {
            let text = format!("export const value{file} = {file};\n").repeat(20);
            std::fs::write(folder.join(format!("file{file}.ts")), text).expect("files can be written");
        }
    }
    let checks = "checks:\n  pass: { argv: ['true'] }\n";
    std::fs::write(workspace.join("referee.yaml"), checks).expect("a file can be written");
    std::fs::write(workspace.join(".gitignore"), "evidence/\n").expect("a file can be written");
    let git = |arguments: &[&str]| {
        let named = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"];
        output(Command::new("git").args(named).args(arguments).current_dir(workspace));
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "start"]);
}

fn output(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// The medians of both, measured in turns after one round that does not count, so that a drifting machine hits both.
fn in_turns(mut one: impl FnMut() -> Duration, mut other: impl FnMut() -> Duration) -> (Duration, Duration) {
    one();
    other();
    let (mut ones, mut others): (Vec<_>, Vec<_>) = (0..ROUNDS).map(|_| (one(), other())).unzip();
    ones.sort();
    others.sort();
    (ones[ROUNDS / 2], others[ROUNDS / 2])
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
