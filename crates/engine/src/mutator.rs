//! Client of `referee-mutants`, the program beside this one that parses sources. Sources are untrusted and the
//! parsers are written in C, so they run in a separate process that receives one file and nothing else.

use std::path::PathBuf;
use std::time::Duration;

use referee_exec::program::Call;
use referee_model::document::from_bytes;
use referee_model::mutant::{DefectKind, HollowedTest, Language, Mutant, MutantAnswer, MutantRequest, MutantTask};

/// Name of the program.
const PROGRAM: &str = "referee-mutants";

/// Time limit for one file.
const BOUND: Duration = Duration::from_secs(30);

/// Maximum size of an answer, in bytes.
const OUTPUT_BYTES: u64 = 256 * 1024 * 1024;

/// The `referee-mutants` program.
#[derive(Debug, Clone)]
pub(crate) struct Mutator {
    program: PathBuf,
}

impl Mutator {
    /// Finds the program beside this one.
    ///
    /// # Errors
    /// Returns what to do if the program is missing.
    pub(crate) fn beside(host: &referee_exec::Host) -> Result<Self, String> {
        let program = host.shim.with_file_name(PROGRAM);
        if program.is_file() {
            return Ok(Self { program });
        }
        Err(format!("{} is missing: install it beside referee", program.display()))
    }

    /// Returns the mutants of a file.
    pub(crate) fn mutants(&self, language: Language, text: &str) -> Result<Vec<Mutant>, String> {
        Ok(self.all(language, text, MutantTask::Mutants)?.into_iter().flatten().collect())
    }

    /// Finds a mutant of an earlier version of a file in this version. `None`: the mutated code is gone.
    pub(crate) fn fit(&self, mutant: &Mutant, text: &str) -> Result<Option<Mutant>, String> {
        let task = MutantTask::Fit { mutants: vec![mutant.clone()] };
        Ok(self.all(mutant.language, text, task)?.into_iter().flatten().next())
    }

    /// Returns a copy of a file with defect number `choice` (0-based) of a kind. `None`: there are not that
    /// many, or the file cannot be parsed.
    pub(crate) fn defect(&self, language: Language, text: &str, defect: DefectKind, choice: usize) -> Option<String> {
        match self.ask(language, text, MutantTask::Defects { defect }).ok()? {
            MutantAnswer::Defects { texts } => texts.into_iter().nth(choice),
            _ => None,
        }
    }

    /// Returns the tests of a file that assert less than in an earlier version of it.
    pub(crate) fn hollowed(&self, language: Language, before: &str, text: &str) -> Result<Vec<HollowedTest>, String> {
        match self.ask(language, text, MutantTask::Hollowed { before: before.to_owned() })? {
            MutantAnswer::Hollowed { tests } => Ok(tests),
            other => Err(misunderstood(other)),
        }
    }

    fn all(&self, language: Language, text: &str, task: MutantTask) -> Result<Vec<Option<Mutant>>, String> {
        match self.ask(language, text, task)? {
            MutantAnswer::Mutants { mutants } => Ok(mutants),
            other => Err(misunderstood(other)),
        }
    }

    fn ask(&self, language: Language, text: &str, task: MutantTask) -> Result<MutantAnswer, String> {
        let request = MutantRequest { language, text: text.to_owned(), task };
        let call = Call {
            program: self.program.clone(),
            arguments: Vec::new(),
            directory: PathBuf::from("/"),
            environment: Vec::new(),
            input: serde_json::to_vec(&request).map_err(|error| error.to_string())?,
            bound: BOUND,
            output_bytes: OUTPUT_BYTES,
        };
        let called = call.run().map_err(|error| format!("{PROGRAM} cannot be run: {error}"))?;
        if called.was_stopped {
            return Err(format!("{PROGRAM} took too long, or said too much"));
        }
        if called.exit != Some(0) {
            return Err(format!("{PROGRAM} failed: {}", called.complaint()));
        }
        from_bytes("the answer of referee-mutants", &called.stdout).map_err(|error| error.to_string())
    }
}

/// Returns why an answer cannot be used.
fn misunderstood(answer: MutantAnswer) -> String {
    match answer {
        MutantAnswer::Refused { reason } => reason,
        _ => format!("{PROGRAM} answered another question"),
    }
}
