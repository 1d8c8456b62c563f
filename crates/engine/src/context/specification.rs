//! Specifications that are named on the command line, or discovered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use referee_model::suite::Suite;
use referee_spec::discover::{self, Discovered};
use referee_spec::{Complaint, Loaded, Options, Remains, SpecError};

use super::Context;
use crate::error::EngineError;
use crate::event_sink::{EventSink, Note};

/// Selects the specifications of a command.
#[derive(Debug, Clone, Default)]
pub struct SpecificationNames {
    /// Files, or directories that stand for all specifications in and below them. Empty: the nearest one.
    pub files: Vec<PathBuf>,
    /// Workspace that overrides the one in the specification.
    pub workspace: Option<PathBuf>,
}

/// The selected specifications.
#[derive(Debug)]
pub struct LoadedSpecifications {
    /// The specifications, each either loaded or an error.
    pub all: Vec<Result<Loaded, EngineError>>,
    /// Notes on how they were found, one sentence each.
    pub notes: Vec<String>,
}

/// The readable rest of a specification that cannot be loaded.
#[derive(Debug)]
pub struct RemainingSpecification {
    /// Settings that could still be read.
    pub remains: Remains,
    /// Whether the file does not exist and its name is only a guess, because no specification was found.
    pub is_guess: bool,
}

impl Context {
    /// Loads the selected specifications.
    ///
    /// # Errors
    /// Fails if there is none, or if two of them would write the same evidence.
    pub fn load(&self, names: &SpecificationNames) -> Result<LoadedSpecifications, EngineError> {
        let options = self.options(names);
        let found = self.find(names)?;
        let all: Vec<_> = found.iter().map(|found| self.load_one(&found.file, &options)).collect();
        let mut places = BTreeMap::new();
        let loaded =
            found.iter().zip(&all).filter_map(|(found, loaded)| Some((&found.file, &loaded.as_ref().ok()?.suite)));
        for (file, suite) in loaded {
            for plan in &suite.tasks {
                if let Some(other) = places.insert((&plan.evidence_root, &plan.task), file) {
                    return Err(EngineError::usage(format!(
                        "{} and {} both write the evidence of {} to {}: give one of them another task or directory",
                        other.display(),
                        file.display(),
                        plan.task,
                        plan.evidence_root.display()
                    )));
                }
            }
        }
        let of_several = found.iter().filter(|found| !found.beside.is_empty());
        let note = |found: &Discovered| {
            format!("{} is taken, and not {} beside it", self.shown(&found.file).display(), found.beside.join(", "))
        };
        let notes = of_several.map(note).collect();
        Ok(LoadedSpecifications { all, notes })
    }

    /// Loads the selected specification. `refusal` is the error message if several are selected.
    ///
    /// # Errors
    /// As [`Context::load_all`], and if several are selected.
    pub fn load_single(
        &self,
        names: &SpecificationNames,
        refusal: &str,
        events: &mut dyn EventSink,
    ) -> Result<Suite, EngineError> {
        let LoadedSpecifications { mut all, notes } = self.load(names)?;
        for note in notes {
            events.on_note(&Note::Text(note));
        }
        match (all.pop(), all.is_empty()) {
            (Some(loaded), true) => Ok(loaded?.suite),
            _ => Err(EngineError::usage(refusal.to_owned())),
        }
    }

    /// Loads the selected specifications, all of them or none.
    ///
    /// # Errors
    /// As [`Context::load`], and if one of them is invalid.
    pub fn load_all(&self, names: &SpecificationNames, events: &mut dyn EventSink) -> Result<Vec<Suite>, EngineError> {
        let LoadedSpecifications { all, notes } = self.load(names)?;
        for note in notes {
            events.on_note(&Note::Text(note));
        }
        all.into_iter().map(|loaded| Ok(loaded?.suite)).collect()
    }

    /// Loads one specification. Its complaints name the file as [`Context::told`] does, so that those of several
    /// specifications can be told apart.
    fn load_one(&self, file: &Path, options: &Options) -> Result<Loaded, EngineError> {
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

    fn options(&self, names: &SpecificationNames) -> Options {
        Options { workspace: names.workspace.as_ref().map(|workspace| self.directory.join(workspace)) }
    }

    /// Finds the selected files.
    fn find(&self, names: &SpecificationNames) -> Result<Vec<Discovered>, SpecError> {
        if names.files.is_empty() {
            return Ok(vec![discover::find(&self.directory)?]);
        }
        let mut files: Vec<Discovered> = Vec::new();
        for file in &names.files {
            files.extend(self.find_named(file)?);
        }
        files.dedup_by(|one, other| one.file == other.file);
        Ok(files)
    }

    /// Finds the files that a name stands for: itself, or all specifications in and below a directory.
    fn find_named(&self, name: &Path) -> Result<Vec<Discovered>, SpecError> {
        let file = self.directory.join(name);
        if file.is_dir() { discover::below(&file) } else { Ok(vec![Discovered { file, beside: Vec::new() }]) }
    }

    /// Returns the readable rest of the selected specifications that cannot be loaded.
    pub fn remains(&self, names: &SpecificationNames) -> Vec<RemainingSpecification> {
        let options = self.options(names);
        let left = |(file, is_guess): (PathBuf, bool)| {
            referee_spec::remains(&file, &options).map(|remains| RemainingSpecification { remains, is_guess })
        };
        self.meant(names).into_iter().filter_map(left).collect()
    }

    /// Returns the selected files, each with whether it is a guess; if none is found, the paths where one could
    /// have been.
    fn meant(&self, names: &SpecificationNames) -> Vec<(PathBuf, bool)> {
        let found = |found: Vec<Discovered>| found.into_iter().map(|found| (found.file, false)).collect();
        if names.files.is_empty() {
            let guesses = || discover::places(&self.directory).into_iter().map(|file| (file, true)).collect();
            return discover::find(&self.directory).map_or_else(|_| guesses(), |one| found(vec![one]));
        }
        let guesses = |directory: &Path| {
            let directory = self.directory.join(directory);
            let within = discover::FILE_NAMES.map(|name| (directory.join(name), true));
            // A directory may be in place of a former specification file.
            std::iter::once((directory, true)).chain(within).collect::<Vec<_>>()
        };
        let of_name = |name: &PathBuf| self.find_named(name).map_or_else(|_| guesses(name), found);
        names.files.iter().flat_map(of_name).collect()
    }
}
