//! tox and nox, which run the commands that a project lists. If no command is a known test runner, the only
//! result is their own report of success; otherwise the test runner's summary must be in the output, and is
//! read from there.
//!
//! ```text
//! lint: commands[0]> ruff check
//!   lint: OK (0.06=setup[0.05]+cmd[0.00] seconds)
//!   congratulations :) (0.10 seconds)
//! ```

use crate::prelude::*;
use crate::shapes::outcome::passed;

pub(crate) static TOX: Tool = Tool::new("tox", &[], Role::Test)
    .lines(&[LineFormat::new(&["  congratulations :)"], |is_hinted| {
        Box::new(Launcher { is_hinted, ..Launcher::new("tox", of_tox) })
    })])
    .merge(candidate::together);

pub(crate) static NOX: Tool = Tool::new("nox", &[], Role::Test)
    .lines(&[LineFormat::new(&["nox > Session "], |is_hinted| {
        Box::new(Launcher { is_hinted, ..Launcher::new("nox", of_nox) })
    })])
    .merge(candidate::together);

/// Test runners that report results themselves.
const RUNNERS: &[&str] = &["pytest", "py.test", "unittest", "nose2", "trial", "manage.py"];

/// Meaning of a launcher's line.
enum Said<'l> {
    Command(&'l str),
    /// Everything, or one part, succeeded.
    Success,
    Failure,
}

fn of_tox(text: &str) -> Option<Said<'_>> {
    if let Some((environment, command)) = text.split_once("]> ") {
        return environment.contains(": commands").then_some(Said::Command(command));
    }
    if text.starts_with("  congratulations :)") {
        return Some(Said::Success);
    }
    text.starts_with("  evaluation failed :(").then_some(Said::Failure)
}

fn of_nox(text: &str) -> Option<Said<'_>> {
    let said = text.strip_prefix("nox > ")?;
    match said.strip_prefix("Session ") {
        Some(session) if session.ends_with(" was successful.") => Some(Said::Success),
        Some(_) => Some(Said::Failure),
        None => Some(Said::Command(said)),
    }
}

struct Launcher {
    name: &'static str,
    says: fn(&str) -> Option<Said<'_>>,
    is_hinted: bool,
    runs_tests: bool,
    has_failed: bool,
    is_successful: bool,
}

impl Launcher {
    fn new(name: &'static str, says: fn(&str) -> Option<Said<'_>>) -> Self {
        Self { name, says, is_hinted: false, runs_tests: false, has_failed: false, is_successful: false }
    }
}

impl LineReader for Launcher {
    fn line(&mut self, line: &Line<'_>) -> Use {
        match (self.says)(line.text.trim_end()) {
            Some(Said::Command(command)) => {
                let mut names = command.split(' ').map(|word| word.rsplit('/').next().unwrap_or(word));
                self.runs_tests |= names.any(|name| RUNNERS.contains(&name));
            }
            Some(Said::Success) => self.is_successful = true,
            Some(Said::Failure) => self.has_failed = true,
            None => return Use::None,
        }
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let is_last_word = self.is_hinted && self.is_successful && !self.has_failed && !self.runs_tests;
        let tests = Some(passed(self.name, false));
        is_last_word.then(|| Candidate { format: "text", tests, ..Candidate::default() })
    }
}

#[cfg(test)]
mod tests {
    use referee_model::reading::{ChosenBecause, CountAuthority};

    use crate::source::MemorySource;
    use crate::{Hint, read};

    #[test]
    fn a_launcher_s_word_counts_only_where_no_known_runner_has_one() {
        let tox = "lint: commands[0]> ruff check\n  lint: OK (0.06 seconds)\n  congratulations :) (0.10 seconds)\n";
        let nox = "nox > Running session lint\nnox > ruff check\nnox > Session lint was successful.\n";
        for (tool, text, counts) in [
            ("tox", tox.to_owned(), true),
            ("tox", tox.replace("ruff check", "python -m pytest -q"), false),
            ("tox", tox.replace("ruff check", "/p/.tox/py/bin/pytest"), false),
            ("tox", tox.replace("congratulations :)", "evaluation failed :("), false),
            ("nox", nox.to_owned(), true),
            ("nox", nox.replace("ruff check", "python -m unittest"), false),
            ("nox", format!("{nox}nox > Session docs failed.\n"), false),
        ] {
            let hint = Hint { tool: Some(tool.to_owned()), ..Hint::default() };
            let reading = read(&MemorySource::stdout(text.clone().into_bytes()), &hint).unwrap();
            let own = reading.reader.filter(|reader| reader.because == ChosenBecause::Command);
            let authority = reading.tests.map(|tests| tests.authority);
            assert_eq!(own.is_some() && authority == Some(CountAuthority::Unnumbered), counts, "{text}");
        }
    }
}
