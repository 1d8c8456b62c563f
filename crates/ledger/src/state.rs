//! The user's state directory: data that changes of the workspace must not reach. Chain heads, marks of started runs,
//! the trust store, digests of locks, and caches (design, "Evidence and trust").
//!
//! ```text
//! <state>/chains/      heads of the chains of seals, and marks of started runs
//! <state>/trust/       the trust store: trusted keys and their roles
//! <state>/locks/       locks written by a person, and the content of the locked files
//! <state>/trees/       caches of tree digests
//! <state>/caches/      dependencies of clean rooms
//! <state>/rooms/       clean rooms
//! <state>/orders/      trees of orders that this machine performs, each with its evidence
//! <state>/temporary/   private temporary directories of confined runs
//! <state>/staging/     runs that are being written
//! <state>/receipts/    the basis of recorded verdicts
//! <state>/sessions/    agent sessions, as observed by hooks
//! <state>/enrolled/    projects enrolled for hooks
//! <state>/agents/      agent runs, turn by turn
//! <state>/held-out/    evidence of checks that agents never see
//! <state>/probes/      evidence of runs with a reverted change or a planted defect
//! <state>/probe-sets/  the defects that checks are known to report
//! <state>/approvals/   records of unsigned approvals of plans
//! <state>/stages/      log ends of workflow runs and of incidents
//! <state>/incidents/   caches of lists of incidents
//! <state>/doors/       the tokens of `referee serve`, and its audit log
//! <state>/elsewhere/   links to other state directories that contain locks and enrolments
//! ```

use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use referee_model::id::Digest;

use crate::directory::Directory;
use crate::error::LedgerError;

/// The user's state directory.
#[derive(Debug, Clone)]
pub struct State {
    directory: PathBuf,
}

/// A part of the state directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// Chain heads, and marks of started runs.
    Chains,
    Trust,
    /// Locks written by a person.
    Locks,
    Trees,
    /// Dependencies of clean rooms.
    Caches,
    Rooms,
    /// Orders that this machine performs.
    Orders,
    /// Private temporary directories.
    Temporary,
    /// Runs that are being written.
    Staging,
    /// Basis of recorded verdicts.
    Receipts,
    /// Agent sessions, as observed by hooks.
    Sessions,
    /// Projects enrolled for hooks.
    Enrolled,
    /// Agent runs, turn by turn.
    Agents,
    /// Evidence of checks that agents never see.
    HeldOut,
    /// Evidence of runs with a reverted change or a planted defect.
    Probes,
    /// Defects that checks are known to report.
    ProbeSets,
    /// Records of unsigned approvals of plans.
    Approvals,
    /// Which checks of incidents failed.
    Redness,
    /// Highest number of tests that each check ran.
    TestCounts,
    /// Log ends of workflow runs and of incidents.
    Stages,
    /// Caches of lists of incidents.
    Incidents,
    Doors,
    /// Links to other state directories.
    Elsewhere,
}

impl Area {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chains => "chains",
            Self::Trust => "trust",
            Self::Locks => "locks",
            Self::Trees => "trees",
            Self::Caches => "caches",
            Self::Rooms => "rooms",
            Self::Orders => "orders",
            Self::Temporary => "temporary",
            Self::Staging => "staging",
            Self::Receipts => "receipts",
            Self::Sessions => "sessions",
            Self::Enrolled => "enrolled",
            Self::Agents => "agents",
            Self::HeldOut => "held-out",
            Self::Probes => "probes",
            Self::ProbeSets => "probe-sets",
            Self::Approvals => "approvals",
            Self::Redness => "redness",
            Self::TestCounts => "test-counts",
            Self::Stages => "stages",
            Self::Incidents => "incidents",
            Self::Doors => "doors",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// The user database, which gives a user's home directory regardless of environment variables.
#[cfg(not(target_os = "macos"))]
const USERS: &str = "/etc/passwd";

/// Default path of the state directory, relative to the home directory.
const BELOW_HOME: &str = ".local/state/referee";

impl State {
    /// Returns the default path of the state directory in a home directory.
    pub fn below_home(home: &Path) -> PathBuf {
        home.join(BELOW_HOME)
    }

    /// Returns the default path in the home directory of the current user, as given by the user database.
    #[cfg(not(target_os = "macos"))]
    pub fn place_of_user() -> Option<PathBuf> {
        let users = std::fs::read_to_string(USERS).ok()?;
        home(&users, rustix::process::getuid().as_raw()).map(|home| Self::below_home(&home))
    }

    /// Returns the default path in the home directory of the current user. The user database is no file on macOS; home
    /// directories lie in `/Users`, where only an administrator can make entries, and belong to their users.
    #[cfg(target_os = "macos")]
    pub fn place_of_user() -> Option<PathBuf> {
        use std::os::unix::fs::MetadataExt;

        let user = rustix::process::getuid().as_raw();
        let homes = std::fs::read_dir("/Users").ok()?.flatten();
        let own = homes.filter(|entry| entry.metadata().is_ok_and(|facts| facts.is_dir() && facts.uid() == user));
        own.map(|entry| entry.path()).min().map(|home| Self::below_home(&home))
    }

    /// Opens a state directory. Creates it, accessible by this user only, if it is missing.
    ///
    /// # Errors
    /// Fails if it is a link or a file, if it cannot be created, or if other users can write to it.
    pub fn open(directory: &Path) -> Result<Self, LedgerError> {
        make_private(directory)?;
        let directory = std::fs::canonicalize(directory).map_err(LedgerError::io("find", directory))?;
        let facts = directory.metadata().map_err(LedgerError::io("look at", &directory))?;
        if facts.mode() & 0o022 != 0 {
            return Err(LedgerError::NotPrivate { path: directory });
        }
        Ok(Self { directory })
    }

    /// Opens a state directory without creating or changing anything. Returns `None` if there is none yet.
    ///
    /// # Errors
    /// Fails if it is a link or a file, or if other users can write to it.
    pub fn find(directory: &Path) -> Result<Option<Self>, LedgerError> {
        match directory.symlink_metadata() {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(LedgerError::io("look at", directory)(error)),
        }
        // Opening validates an existing directory, and creates nothing if it exists.
        Self::open(directory).map(Some)
    }

    pub fn path(&self) -> &Path {
        &self.directory
    }

    /// Returns whether the directory is inside another one, such as the workspace, and so unsuitable for data that must
    /// be out of reach.
    pub fn lies_in(&self, other: &Path) -> bool {
        self.directory.starts_with(other)
    }

    /// Returns the path of an area. Creates the area if it is missing.
    pub fn area(&self, area: Area) -> Result<PathBuf, LedgerError> {
        let path = self.directory.join(area.name());
        make_private(&path)?;
        Ok(path)
    }

    /// Records that another state directory is in use as well, so that its content is found from this one.
    /// Removes links to directories that no longer exist.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn mention(&self, other: &Self) -> Result<(), LedgerError> {
        let area = self.open_area(Area::Elsewhere)?;
        for (name, _) in area.entries()? {
            if !area.path().join(&name).is_dir() {
                area.discard(&name)?;
            }
        }
        let name = place_name(&other.directory);
        match rustix::fs::symlinkat(&other.directory, &area, &name) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(error) => Err(LedgerError::io("write", &area.path().join(name))(error)),
        }
    }

    /// Returns the other recorded state directories that exist.
    pub fn mentioned(&self) -> Vec<Self> {
        let Ok(Some(area)) = self.look_into(Area::Elsewhere) else { return Vec::new() };
        let links = area.entries().unwrap_or_default();
        let directories = links.iter().filter_map(|(name, _)| std::fs::read_link(area.path().join(name)).ok());
        directories.filter_map(|directory| Self::find(&directory).ok().flatten()).collect()
    }

    /// Opens an area as a directory handle. Creates the area if it is missing.
    pub(crate) fn open_area(&self, area: Area) -> Result<Directory, LedgerError> {
        Directory::open(&self.area(area)?)
    }

    /// Opens an area without creating it. Returns `None` if it does not exist yet.
    pub(crate) fn look_into(&self, area: Area) -> Result<Option<Directory>, LedgerError> {
        Directory::open(&self.directory)?.child(area.name())
    }

    /// Reads a document of an area. Returns `None` if it does not exist. An unreadable one is an error, never `None`.
    pub(crate) fn read<Document, Reason: Display>(
        &self,
        area: Area,
        name: &str,
        parse: impl FnOnce(&[u8]) -> Result<Document, Reason>,
    ) -> Result<Option<Document>, LedgerError> {
        let Some(directory) = self.look_into(area)? else { return Ok(None) };
        let Some(bytes) = directory.read(name)? else { return Ok(None) };
        parse(&bytes)
            .map(Some)
            .map_err(|reason| LedgerError::Unreadable { path: directory.path().join(name), reason: reason.to_string() })
    }

    /// Writes a document of an area, replacing the previous one.
    pub(crate) fn write<Reason: Display>(
        &self,
        area: Area,
        name: &str,
        laid_out: Result<Vec<u8>, Reason>,
    ) -> Result<(), LedgerError> {
        let directory = self.open_area(area)?;
        let bytes = laid_out.map_err(|reason| LedgerError::Unusable {
            path: directory.path().join(name),
            reason: reason.to_string(),
        })?;
        directory.replace(name, &bytes).map(drop)
    }
}

/// Returns the file name for the record of an outside path: the digest of that path.
pub(crate) fn place_name(place: &Path) -> String {
    Digest::of(place.as_os_str().as_bytes()).to_string()
}

/// Returns the home directory of a user according to the user database (passwd(5)).
#[cfg(any(test, not(target_os = "macos")))]
fn home(users: &str, user: u32) -> Option<PathBuf> {
    let of_user = |line: &str| {
        let mut fields = line.split(':').skip(2);
        let is_it = fields.next()?.parse() == Ok(user);
        fields.nth(2).filter(|home| is_it && home.starts_with('/')).map(PathBuf::from)
    };
    users.lines().find_map(of_user)
}

/// Creates a directory that only this user can access; parents get default permissions. An existing directory is left
/// as it is; a link or file at the path is an error.
pub(crate) fn make_private(directory: &Path) -> Result<(), LedgerError> {
    if let Some(above) = directory.parent() {
        std::fs::create_dir_all(above).map_err(LedgerError::io("make the directory", above))?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(directory) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => match directory.symlink_metadata() {
            Ok(facts) if facts.is_dir() => Ok(()),
            Ok(_) => Err(LedgerError::NotADirectory { path: directory.to_path_buf() }),
            Err(error) => Err(LedgerError::io("look at", directory)(error)),
        },
        Err(error) => Err(LedgerError::io("make the directory", directory)(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_home_directory_is_found_by_the_users_number() {
        let users =
            "root:x:0:0:root:/root:/bin/sh\n# junk\nada:x:1000:1000:Ada,,,:/home/ada:/bin/sh\nnobody:x:7:7::nowhere:\n";
        for (user, found) in [(0, Some("/root")), (1000, Some("/home/ada")), (7, None), (8, None)] {
            assert_eq!(home(users, user), found.map(PathBuf::from));
        }
    }

    #[test]
    fn a_state_directory_is_made_for_its_user_alone() {
        let outside = tempfile::tempdir().unwrap();
        let directory = outside.path().join("a/b");
        let state = State::open(&directory).unwrap();
        assert_eq!(directory.metadata().unwrap().mode() & 0o777, 0o700);
        assert_eq!(state.area(Area::Trust).unwrap().metadata().unwrap().mode() & 0o777, 0o700);
        assert!(state.lies_in(&outside.path().canonicalize().unwrap()));
        assert!(!state.lies_in(Path::new("/elsewhere")));
    }

    #[test]
    fn a_state_directory_that_is_looked_for_is_not_made() {
        let outside = tempfile::tempdir().unwrap();
        let directory = outside.path().join("a/b");
        assert!(State::find(&directory).unwrap().is_none());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
        State::open(&directory).unwrap();
        let found = State::find(&directory).unwrap().unwrap();
        assert!(found.look_into(Area::Chains).unwrap().is_none());
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
    }

    #[test]
    fn another_state_directory_is_mentioned_as_long_as_it_is_there() {
        let outside = tempfile::tempdir().unwrap();
        let open = |name: &str| State::open(&outside.path().join(name)).unwrap();
        let (usual, one, other) = (open("usual"), open("one"), open("other"));
        assert!(usual.mentioned().is_empty());
        for state in [&one, &other, &one] {
            usual.mention(state).unwrap();
        }
        let paths = |states: Vec<State>| states.iter().map(|state| state.path().to_owned()).collect::<Vec<_>>();
        assert_eq!(paths(usual.mentioned()).len(), 2);
        std::fs::remove_dir_all(one.path()).unwrap();
        assert_eq!(paths(usual.mentioned()), [other.path()]);
        usual.mention(&other).unwrap();
        assert_eq!(std::fs::read_dir(usual.area(Area::Elsewhere).unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_state_directory_that_others_write_to_or_that_is_a_link_is_refused() {
        let outside = tempfile::tempdir().unwrap();
        let directory = outside.path().join("open");
        State::open(&directory).unwrap();
        std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(State::open(&directory), Err(LedgerError::NotPrivate { .. })));
        let link = outside.path().join("link");
        symlink(outside.path(), &link).unwrap();
        assert!(matches!(State::open(&link), Err(LedgerError::NotADirectory { .. })));
        let file = outside.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(State::open(&file), Err(LedgerError::NotADirectory { .. })));
    }
}
