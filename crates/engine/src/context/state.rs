//! The user's state directory, and other ones beside it. Locks and enrolments of a project in any of them apply,
//! no matter which one is named: naming another state directory does not evade them.

use std::path::{Path, PathBuf};

use referee_ledger::State;

use super::Context;
use crate::error::EngineError;

impl Context {
    /// Opens the user's state directory: `REFEREE_STATE_DIR`, or else `referee` in the XDG state directory.
    /// Returns `None` if the environment names no such directory.
    ///
    /// # Errors
    /// Fails if it cannot be used, or if it is inside one of the workspaces, where a change of the workspace could
    /// change it too.
    pub fn state<'path>(
        &self,
        workspaces: impl IntoIterator<Item = &'path Path>,
    ) -> Result<Option<State>, EngineError> {
        let Some(directory) = self.state_directory() else { return Ok(None) };
        let state = State::open(&directory)?;
        if let Some(workspace) = workspaces.into_iter().find(|workspace| state.lies_in(workspace)) {
            return Err(EngineError::usage(format!(
                "the state directory {} is in the workspace {}, where agents can write: set REFEREE_STATE_DIR to a \
                 place outside",
                state.path().display(),
                workspace.display()
            )));
        }
        Ok(Some(state))
    }

    /// Finds the user's state directory for reading. Returns `None` if there is none yet, and creates none.
    ///
    /// # Errors
    /// Fails if it cannot be used.
    pub fn state_if_any(&self) -> Result<Option<State>, EngineError> {
        let Some(directory) = self.state_directory() else { return Ok(None) };
        Ok(State::find(&directory)?)
    }

    /// Returns the path that the environment names for the user's state.
    pub fn state_directory(&self) -> Option<PathBuf> {
        self.state_directories().into_iter().next()
    }

    /// Returns all paths that the environment names for the user's state. The first one is used; each other one
    /// would be used if the ones before it were unset.
    pub fn state_directories(&self) -> Vec<PathBuf> {
        let value = |name| self.variable(name).map(PathBuf::from);
        let absolute = |name| value(name).filter(|path| path.is_absolute());
        let places = [
            value("REFEREE_STATE_DIR").map(|directory| self.directory.join(directory)),
            absolute("XDG_STATE_HOME").map(|directory| directory.join("referee")),
            absolute("HOME").map(|home| State::below_home(&home)),
        ];
        places.into_iter().flatten().collect()
    }

    /// Returns the state directories beside the one in use, each once. Those in the workspace are left out, since
    /// a change of the workspace could create them:
    ///
    /// | in this order | because |
    /// |---|---|
    /// | those that `XDG_STATE_HOME` and `HOME` name | used if a variable that takes precedence is unset |
    /// | the default one in the home directory that the system reports | anything can set variables |
    /// | those mentioned in one of these | a lock or an enrolment is kept there |
    pub fn other_states(&self, meant: Option<&State>, workspace: &Path) -> Vec<State> {
        let places = self.state_directories().into_iter().chain(State::place_of_user());
        let usual: Vec<State> = places.filter_map(|directory| State::find(&directory).ok().flatten()).collect();
        let mentioned: Vec<State> = usual.iter().flat_map(State::mentioned).collect();
        let mut found: Vec<State> = Vec::new();
        for state in usual.into_iter().chain(mentioned) {
            let is_known = meant.into_iter().chain(&found).any(|known| known.path() == state.path());
            if !is_known && !state.lies_in(workspace) {
                found.push(state);
            }
        }
        found
    }

    /// Records in the default state directory that a lock or an enrolment is kept in another one. Records nothing
    /// if the default one cannot be written to.
    pub fn mention(&self, state: &State) {
        let usual = self.state_directories().into_iter().skip(1).find_map(|directory| State::open(&directory).ok());
        if let Some(usual) = usual.filter(|usual| usual.path() != state.path()) {
            drop(usual.mention(state));
        }
    }
}
