//! From what was typed to values that the rooms understand. The environment, the clock and the disk are looked at here,
//! once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use referee_exec::Clock;
use referee_ledger::State;
use referee_model::id::ExecutionId;
use referee_model::record::Host;
use referee_model::time::Timestamp;
use referee_spec::discover::{self, Discovered};
use referee_spec::{Complaint, Loaded, Options, Remains, SpecError};

use crate::args::{Global, Specification};
use crate::error::Problem;
use crate::output;
use crate::terminal::{self, Terminal};

/// The world as it was when the program began.
pub(crate) struct World {
    /// The folder that relative paths start from.
    pub(crate) directory: PathBuf,
    /// All variables.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// How to write for people.
    pub(crate) terminal: Terminal,
}

/// The variables that coding agents set for the commands they start, and the agents' names.
const AGENTS: [(&str, &str); 18] = [
    ("CLAUDECODE", "claude-code"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_CI", "codex"),
    ("GEMINI_CLI", "gemini-cli"),
    ("QWEN_CODE", "qwen-code"),
    ("CURSOR_AGENT", "cursor"),
    ("COPILOT_CLI", "copilot"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
    ("COPILOT_AGENT", "copilot"),
    ("OPENCODE", "opencode"),
    ("AIDER", "aider"),
    ("AUGMENT_AGENT", "augment"),
    ("CLINE_ACTIVE", "cline"),
    ("GOOSE_TERMINAL", "goose"),
    ("AMP_CURRENT_THREAD_ID", "amp"),
    ("ANTIGRAVITY_AGENT", "antigravity"),
    // What several of them agreed on comes last: it may hold anything.
    ("AI_AGENT", "agent"),
];

impl World {
    /// Looks at the world.
    pub(crate) fn look(global: &Global) -> Result<Self, Problem> {
        let start = std::env::current_dir()
            .map_err(|error| Problem::usage(format!("the current folder cannot be told: {error}")))?;
        let directory = match &global.directory {
            Some(directory) => {
                let directory = start.join(directory);
                if !directory.is_dir() {
                    return Err(Problem::usage(format!("-C: {} is no folder", directory.display())));
                }
                directory
            }
            None => start,
        };
        let environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        let terminal = Terminal::look(global, &environment);
        Ok(Self { directory, environment, terminal })
    }

    /// Loads the specifications that are meant. Each by itself is a specification or a problem; all of them together are
    /// refused where two would write the same evidence.
    pub(crate) fn load(&self, specification: &Specification) -> Result<Vec<Result<Loaded, Problem>>, Problem> {
        let workspace = specification.workspace.as_ref().map(|workspace| self.directory.join(workspace));
        let options = Options { workspace };
        let files = self.named(self.find(specification)?)?;
        let loaded: Vec<_> = files.iter().map(|file| self.load_one(file, &options)).collect();
        let mut places = BTreeMap::new();
        for (file, suite) in
            files.iter().zip(&loaded).filter_map(|(file, loaded)| Some((file, &loaded.as_ref().ok()?.suite)))
        {
            for plan in &suite.tasks {
                if let Some(other) = places.insert((&plan.evidence_root, &plan.task), file) {
                    return Err(Problem::usage(format!(
                        "{} and {} both write the evidence of {} to {}: give one of them another task or folder",
                        other.display(),
                        file.display(),
                        plan.task,
                        plan.evidence_root.display()
                    )));
                }
            }
        }
        Ok(loaded)
    }

    /// Loads one specification. Its complaints call the file as [`World::told`] does, so that those of several can be told
    /// apart.
    fn load_one(&self, file: &Path, options: &Options) -> Result<Loaded, Problem> {
        let called = self.told(file);
        let call = |complaints: &mut Vec<Complaint>| {
            for complaint in complaints {
                complaint.file.clone_from(&called);
            }
        };
        match referee_spec::load(file, options) {
            Ok(mut loaded) => {
                call(&mut loaded.warnings);
                Ok(loaded)
            }
            Err(mut error) => {
                if let SpecError::Complaints(complaints) = &mut error {
                    call(complaints);
                }
                Err(error.into())
            }
        }
    }

    /// Finds the files that are meant.
    fn find(&self, specification: &Specification) -> Result<Vec<Discovered>, SpecError> {
        if specification.files.is_empty() {
            return Ok(vec![discover::find(&self.directory)?]);
        }
        let mut files: Vec<Discovered> = Vec::new();
        for file in &specification.files {
            files.extend(self.find_named(file)?);
        }
        files.dedup_by(|one, other| one.file == other.file);
        Ok(files)
    }

    /// Finds the files that a name stands for: itself, or all in a folder.
    fn find_named(&self, name: &Path) -> Result<Vec<Discovered>, SpecError> {
        let file = self.directory.join(name);
        if file.is_dir() { discover::below(&file) } else { Ok(vec![Discovered { file, beside: Vec::new() }]) }
    }

    /// Tells of files that could have been meant, too.
    fn named(&self, discovered: Vec<Discovered>) -> Result<Vec<PathBuf>, Problem> {
        for Discovered { file, beside } in discovered.iter().filter(|found| !found.beside.is_empty()) {
            let shown = self.shown(file).display();
            output::aside(format!("note: {shown} is taken, and not {} beside it\n", beside.join(", ")).as_bytes())?;
        }
        Ok(discovered.into_iter().map(|found| found.file).collect())
    }

    /// Returns what is left of the specifications that are meant and cannot be loaded.
    pub(crate) fn remains(&self, specification: &Specification) -> Vec<Left> {
        let workspace = specification.workspace.as_ref().map(|workspace| self.directory.join(workspace));
        let options = Options { workspace };
        let left = |(file, is_guess): (PathBuf, bool)| {
            referee_spec::remains(&file, &options).map(|remains| Left { remains, is_guess })
        };
        self.meant(specification).into_iter().filter_map(left).collect()
    }

    /// The files that are meant; where none is found, those that may have been, and whether it is so.
    fn meant(&self, specification: &Specification) -> Vec<(PathBuf, bool)> {
        let found = |found: Vec<Discovered>| found.into_iter().map(|found| (found.file, false)).collect();
        if specification.files.is_empty() {
            let guesses = || discover::places(&self.directory).into_iter().map(|file| (file, true)).collect();
            return discover::find(&self.directory).map_or_else(|_| guesses(), |one| found(vec![one]));
        }
        let guesses = |folder: &Path| {
            let folder = self.directory.join(folder);
            let within = discover::FILE_NAMES.map(|name| (folder.join(name), true));
            // A folder may stand where a specification was.
            std::iter::once((folder, true)).chain(within).collect::<Vec<_>>()
        };
        let of_name = |name: &PathBuf| self.find_named(name).map_or_else(|_| guesses(name), found);
        specification.files.iter().flat_map(of_name).collect()
    }

    /// Returns the world as `exec` needs it.
    pub(crate) fn for_exec(&self) -> Result<referee_exec::Host, Problem> {
        let shim = std::env::current_exe()
            .map_err(|error| Problem::internal(format!("this program's own file cannot be told: {error}")))?;
        Ok(referee_exec::Host {
            environment: self.environment.clone(),
            shim,
            controlling_terminal: terminal::has_controlling_terminal(),
            clock: Clock::starting_at(now()),
            confines: referee_exec::Confines::default(),
        })
    }

    /// Opens the user's state folder: `REFEREE_STATE_DIR`, or else `referee` in the folder that the XDG base directories name
    /// for state. None: the environment names no such place. A place inside one of the workspaces is refused: whoever
    /// changes the workspace could change it too.
    pub(crate) fn state<'path>(
        &self,
        workspaces: impl IntoIterator<Item = &'path Path>,
    ) -> Result<Option<State>, Problem> {
        let Some(folder) = self.state_folder() else { return Ok(None) };
        let state = State::open(&folder).map_err(referee_engine::request::Failure::from)?;
        if let Some(workspace) = workspaces.into_iter().find(|workspace| state.lies_in(workspace)) {
            return Err(Problem::usage(format!(
                "the state folder {} lies in the workspace {}, in reach of whoever changes it: set REFEREE_STATE_DIR to a \
                 place outside",
                state.path().display(),
                workspace.display()
            )));
        }
        Ok(Some(state))
    }

    /// Finds the user's state folder for who only reads it. None: there is none yet, and none is made.
    pub(crate) fn state_if_any(&self) -> Result<Option<State>, Problem> {
        let Some(folder) = self.state_folder() else { return Ok(None) };
        Ok(State::find(&folder).map_err(referee_engine::request::Failure::from)?)
    }

    /// The place that the environment names for the user's state.
    pub(crate) fn state_folder(&self) -> Option<PathBuf> {
        self.state_folders().into_iter().next()
    }

    /// All places that the environment names for the user's state. The first is meant; the others would be without it.
    pub(crate) fn state_folders(&self) -> Vec<PathBuf> {
        let value = |name: &str| {
            let found = self.environment.iter().find(|(key, value)| key == name && !value.is_empty());
            found.map(|(_, value)| PathBuf::from(value))
        };
        let absolute = |name| value(name).filter(|path| path.is_absolute());
        let places = [
            value("REFEREE_STATE_DIR").map(|folder| self.directory.join(folder)),
            absolute("XDG_STATE_HOME").map(|folder| folder.join("referee")),
            absolute("HOME").map(|home| home.join(".local/state/referee")),
        ];
        places.into_iter().flatten().collect()
    }

    /// Returns the machine and program, for the record.
    pub(crate) fn host(&self) -> Host {
        let is_set = |name: &str| self.environment.iter().any(|(key, value)| key == name && !value.is_empty());
        Host {
            platform: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            process_id: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent: AGENTS.iter().find(|(name, _)| is_set(name)).map(|(_, agent)| (*agent).to_owned()),
        }
    }

    /// Returns a path as people like to see it: relative to where they stand, where it lies below.
    pub(crate) fn shown<'path>(&self, path: &'path Path) -> &'path Path {
        path.strip_prefix(&self.directory).unwrap_or(path)
    }

    /// Returns a specification's file as people are told of it: relative to where they stand, also where it is found in a
    /// folder above.
    pub(crate) fn told(&self, file: &Path) -> String {
        let here = self.directory.canonicalize().unwrap_or_else(|_| self.directory.clone());
        let below = file.strip_prefix(&self.directory).or_else(|_| file.strip_prefix(&here)).ok();
        let above = || {
            let steps = here.strip_prefix(file.parent()?).ok()?.components().count();
            Some(Path::new(&"../".repeat(steps)).join(file.file_name()?))
        };
        let told = below.map(Path::to_owned).or_else(above).unwrap_or_else(|| file.to_owned());
        told.to_string_lossy().into_owned()
    }
}

/// What is left of a specification.
pub(crate) struct Left {
    pub(crate) remains: Remains,
    /// Whether the file is not there, and only may have been: nothing is there that was meant.
    pub(crate) is_guess: bool,
}

/// Returns the time.
pub(crate) fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millisecond(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

/// Makes an id for a run that begins now: its time, so that ids sort, and chance, so that two never meet.
pub(crate) fn new_execution() -> Result<ExecutionId, Problem> {
    let mut chance = [0_u8; 4];
    let filled = rustix::rand::getrandom(&mut chance, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| Problem::internal(format!("no random numbers: {}", io::Error::from(error))))?;
    if filled < chance.len() {
        return Err(Problem::internal("too few random numbers".to_owned()));
    }
    let time: String = now().to_string().chars().filter(|character| !matches!(character, '-' | ':' | '.')).collect();
    let chance = u32::from_be_bytes(chance);
    ExecutionId::parse(format!("exec-{time}-{chance:08x}")).map_err(|error| Problem::internal(error.to_string()))
}
