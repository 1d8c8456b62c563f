//! The specifications that are named, or found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use referee_model::suite::Suite;
use referee_spec::discover::{self, Discovered};
use referee_spec::{Complaint, Loaded, Options, Remains, SpecError};

use super::Context;
use crate::error::EngineError;
use crate::request::{EventSink, Note};

/// Which specifications are meant.
#[derive(Debug, Clone, Default)]
pub struct SpecificationNames {
    /// Files, or directories for all that lie in them and below. Empty: the nearest one.
    pub files: Vec<PathBuf>,
    /// The workspace, whatever the specification says.
    pub workspace: Option<PathBuf>,
}

/// The specifications that are meant.
#[derive(Debug)]
pub struct LoadedSpecifications {
    /// Each by itself is a specification or a problem.
    pub all: Vec<Result<Loaded, EngineError>>,
    /// What is worth knowing of how they were found, one sentence each.
    pub notes: Vec<String>,
}

/// What is left of a specification that cannot be loaded.
#[derive(Debug)]
pub struct RemainingSpecification {
    /// What it still tells.
    pub remains: Remains,
    /// Whether the file is not there, and only may have been: nothing is there that was meant.
    pub is_guess: bool,
}

impl Context {
    /// Loads the specifications that are meant. All of them together are refused where two would write the same evidence.
    ///
    /// # Errors
    /// Fails where there is none, and where two write the same evidence.
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

    /// Loads the one specification that is meant. `refusal` is told where there are several.
    ///
    /// # Errors
    /// As [`Context::load_all`], and where there are several.
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

    /// Loads the specifications that are meant, all of them or none.
    ///
    /// # Errors
    /// As [`Context::load`], and where one of them is wrong.
    pub fn load_all(&self, names: &SpecificationNames, events: &mut dyn EventSink) -> Result<Vec<Suite>, EngineError> {
        let LoadedSpecifications { all, notes } = self.load(names)?;
        for note in notes {
            events.on_note(&Note::Text(note));
        }
        all.into_iter().map(|loaded| Ok(loaded?.suite)).collect()
    }

    /// Loads one specification. Its complaints call the file as [`Context::told`] does, so that those of several can be told
    /// apart.
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

    /// Finds the files that are meant.
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

    /// Finds the files that a name stands for: itself, or all in a directory.
    fn find_named(&self, name: &Path) -> Result<Vec<Discovered>, SpecError> {
        let file = self.directory.join(name);
        if file.is_dir() { discover::below(&file) } else { Ok(vec![Discovered { file, beside: Vec::new() }]) }
    }

    /// Returns what is left of the specifications that are meant and cannot be loaded.
    pub fn remains(&self, names: &SpecificationNames) -> Vec<RemainingSpecification> {
        let options = self.options(names);
        let left = |(file, is_guess): (PathBuf, bool)| {
            referee_spec::remains(&file, &options).map(|remains| RemainingSpecification { remains, is_guess })
        };
        self.meant(names).into_iter().filter_map(left).collect()
    }

    /// The files that are meant; where none is found, those that may have been, and whether it is so.
    fn meant(&self, names: &SpecificationNames) -> Vec<(PathBuf, bool)> {
        let found = |found: Vec<Discovered>| found.into_iter().map(|found| (found.file, false)).collect();
        if names.files.is_empty() {
            let guesses = || discover::places(&self.directory).into_iter().map(|file| (file, true)).collect();
            return discover::find(&self.directory).map_or_else(|_| guesses(), |one| found(vec![one]));
        }
        let guesses = |directory: &Path| {
            let directory = self.directory.join(directory);
            let within = discover::FILE_NAMES.map(|name| (directory.join(name), true));
            // A directory may stand where a specification was.
            std::iter::once((directory, true)).chain(within).collect::<Vec<_>>()
        };
        let of_name = |name: &PathBuf| self.find_named(name).map_or_else(|_| guesses(name), found);
        names.files.iter().flat_map(of_name).collect()
    }
}
