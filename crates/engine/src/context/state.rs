//! The user's state directory, and others beside it. What one of them knows of a project holds whichever is named:
//! whoever names another one is held to it all the same.

use std::path::{Path, PathBuf};

use referee_ledger::State;

use super::Context;
use crate::error::EngineError;

impl Context {
    /// Opens the user's state directory: `REFEREE_STATE_DIR`, or else `referee` in the one that the XDG base
    /// directories name for state. None: the environment names no such place.
    ///
    /// # Errors
    /// Fails where it cannot be used, and where it lies in one of the workspaces: whoever changes the workspace could change
    /// it too.
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

    /// Finds the user's state directory for who only reads it. None: there is none yet, and none is made.
    ///
    /// # Errors
    /// Fails where it cannot be used.
    pub fn state_if_any(&self) -> Result<Option<State>, EngineError> {
        let Some(directory) = self.state_directory() else { return Ok(None) };
        Ok(State::find(&directory)?)
    }

    /// Returns the place that the environment names for the user's state.
    pub fn state_directory(&self) -> Option<PathBuf> {
        self.state_directories().into_iter().next()
    }

    /// Returns all places that the environment names for the user's state. The first is meant; the others would be without it.
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

    /// Returns the state directories beside the one that is meant, each once, but for those in the workspace, which
    /// whoever changes it could make:
    ///
    /// | in this order | because |
    /// |---|---|
    /// | what `XDG_STATE_HOME` and `HOME` name, where another variable goes before | it would be meant without that |
    /// | the usual place in the home directory that the system names | variables are anybody's to set |
    /// | what is mentioned in one of those | a lock or an enrolment is kept there |
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

    /// Remembers in the usual place that a lock or an enrolment is kept in another state directory. Where that place
    /// cannot be written to, nothing remembers it.
    pub fn mention(&self, state: &State) {
        let usual = self.state_directories().into_iter().skip(1).find_map(|directory| State::open(&directory).ok());
        if let Some(usual) = usual.filter(|usual| usual.path() != state.path()) {
            drop(usual.mention(state));
        }
    }
}
