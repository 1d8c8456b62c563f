//! What every line is measured with: the program, a directory, floors and peers.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::Options;
use crate::growth::Curve;
use crate::log::Kind;
use crate::measurement::{Fallible, output, timed};
use crate::peer::Peers;
use crate::table::Row;

/// What came of measuring a line.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    pub(crate) rows: Vec<Row>,
    pub(crate) curves: Vec<Curve>,
}

pub(crate) struct Workbench {
    directory: TempDir,
    /// The program that is measured.
    pub(crate) program: PathBuf,
    pub(crate) is_quick: bool,
    /// Whether builds and tests of the whole project are measured, too.
    pub(crate) builds: bool,
    pub(crate) peers: Peers,
}

impl Workbench {
    pub(crate) fn new(options: &Options, peers: Peers) -> Fallible<Self> {
        let directory = tempfile::Builder::new().prefix("referee-performance-").tempdir_in(&options.directory)?;
        let program = options.program.canonicalize()?;
        Ok(Self { directory, program, is_quick: options.quick, builds: options.builds, peers })
    }

    /// Chooses what is done in a quick measurement, and what in a whole one.
    pub(crate) fn choose<T>(&self, quick: T, whole: T) -> T {
        if self.is_quick { quick } else { whole }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A new directory within that of the bench.
    pub(crate) fn directory(&self, name: &str) -> Fallible<PathBuf> {
        let path = self.path().join(name);
        fs::create_dir_all(&path)?;
        Ok(path)
    }

    /// Where state is kept that belongs to no workspace.
    pub(crate) fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    /// Referee in a workspace, with nothing of the user's environment that changes what it does.
    pub(crate) fn referee(&self, workspace: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        let kept = ["PATH", "HOME", "LANG"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.args(arguments).current_dir(workspace).env_clear().envs(kept).env("REFEREE_STATE_DIR", self.state());
        command
    }

    /// A file with a log of this kind and length.
    pub(crate) fn log(&self, kind: Kind, bytes: u64) -> Fallible<PathBuf> {
        let path = self.path().join(format!("{}-{bytes}.log", kind.name()));
        if !path.exists() {
            let file = fs::File::create(&path)?;
            let status = floor(&["write", kind.name(), &bytes.to_string()])?.stdout(file).status()?;
            if !status.success() {
                return Err(format!("a log could not be written: {status}").into());
            }
        }
        Ok(path)
    }

    /// Forgets the runs of a workspace.
    pub(crate) fn forget(&self, workspace: &Path) -> Fallible<()> {
        for directory in [workspace.join("evidence"), self.state()] {
            if directory.exists() {
                fs::remove_dir_all(directory)?;
            }
        }
        Ok(())
    }
}

/// A floor as a program of its own.
pub(crate) fn floor(arguments: &[&str]) -> Fallible<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--floor").args(arguments);
    Ok(command)
}

/// Writes a specification with checks that run these words, one each.
pub(crate) fn specification(workspace: &Path, checks: usize, argv: &str) -> Fallible<()> {
    let mut text = "checks:\n".to_owned();
    (0..checks).try_for_each(|number| writeln!(text, "  c{number}: {{ argv: {argv} }}"))?;
    Ok(fs::write(workspace.join("referee.yaml"), text)?)
}

/// Runs git for somebody without a configuration of their own.
pub(crate) fn git(workspace: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]).args(arguments);
    command.current_dir(workspace).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

/// Makes a repository with so many committed files, 20 in a directory.
pub(crate) fn repository(workspace: &Path, files: usize) -> Fallible<()> {
    for number in 0..files {
        let part = number / 20;
        let directory = workspace.join(format!("src/part{}/directory{part}", part % 25));
        if number % 20 == 0 {
            fs::create_dir_all(&directory)?;
        }
        let text = format!("export const value{number} = {number};\n").repeat(20);
        fs::write(directory.join(format!("file{number}.ts")), text)?;
    }
    fs::write(workspace.join(".gitignore"), "evidence/\n")?;
    timed(&mut git(workspace, &["init", "-q"]))?;
    timed(&mut git(workspace, &["add", "."]))?;
    output(&mut git(workspace, &["commit", "-qm", "start"])).map(drop)
}
