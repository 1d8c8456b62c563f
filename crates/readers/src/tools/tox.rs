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
    .lines(&[LineFormat::new(&["  congratulations :)"], |is_hinted| Launcher::reader("tox", &TOX_LINES, is_hinted))])
    .merge(candidate::together);

pub(crate) static NOX: Tool = Tool::new("nox", &[], Role::Test)
    .lines(&[LineFormat::new(&["nox > Session "], |is_hinted| Launcher::reader("nox", &NOX_LINES, is_hinted))])
    .merge(candidate::together);

/// Test runners that report results themselves.
const RUNNERS: &[&str] = &["pytest", "py.test", "unittest", "nose2", "trial", "manage.py"];

/// Lines of tox and of nox: a command, or that everything, or one part, succeeded or failed.
static TOX_LINES: Pattern = Pattern::new(
    r"^(?:.*?: commands.*?\]> (?<command>.*)|  (?<success>congratulations :\)).*|  evaluation failed :\(.*)$",
);

static NOX_LINES: Pattern = Pattern::new(r"^nox > (?:Session (?:.*(?<success> was successful\.)|.*)|(?<command>.*))$");

struct Launcher {
    name: &'static str,
    lines: &'static Pattern,
    is_hinted: bool,
    runs_tests: bool,
    has_failed: bool,
    is_successful: bool,
}

impl Launcher {
    fn reader(name: &'static str, lines: &'static Pattern, is_hinted: bool) -> Box<dyn LineReader> {
        Box::new(Self { name, lines, is_hinted, runs_tests: false, has_failed: false, is_successful: false })
    }
}

impl LineReader for Launcher {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let Some(found) = self.lines.find(line.text.trim_end()) else { return Use::None };
        if let Some(command) = found.get("command") {
            let mut names = command.split(' ').map(|word| word.rsplit('/').next().unwrap_or(word));
            self.runs_tests |= names.any(|name| RUNNERS.contains(&name));
        } else {
            let has_succeeded = found.has("success");
            self.is_successful |= has_succeeded;
            self.has_failed |= !has_succeeded;
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
