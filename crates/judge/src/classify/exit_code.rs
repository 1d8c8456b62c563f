//! Meaning of exit codes beyond zero and non-zero: by the conventions of shells, and by the manuals of tools.

use referee_model::outcome::Rule;
use referee_model::reading::Reading;
use referee_model::signal;
use referee_syntax::cut::first_line;

use super::case::Case;
use super::draft::Draft;
use crate::wording::file_name;

/// Exit code of shells for a command that exists but cannot be executed.
const NOT_EXECUTABLE: i32 = 126;

/// Exit code of shells, `env` and others for a command that is not found.
const NOT_FOUND: i32 = 127;

/// Explains a code to which shells give a meaning. None: the code is the program's own.
pub(super) fn meaning(code: i32) -> Option<String> {
    match code {
        NOT_EXECUTABLE => Some("a shell exits with 126 for a command that may not be executed".to_owned()),
        NOT_FOUND => Some("a shell exits with 127 for a command that it cannot find".to_owned()),
        129..=192 => {
            let number = code - 128;
            let name = signal::name(number)
                .map_or_else(|| format!("signal {number}"), |name| format!("signal {number} ({name})"));
            let tale = match number {
                6 => ": it aborted itself, as after a failed assertion or with the heap exhausted",
                9 => ": often the system's answer to memory running out",
                11 => ": it accessed memory that is not its own",
                13 => ": what read its output closed the pipe early",
                _ => "",
            };
            Some(format!("a shell exits with {code} when a command was ended by {name}{tale}"))
        }
        _ => None,
    }
}

/// First exit code of launchers: `timeout` and `xargs` exit with 124 and 125 themselves; the shell's own codes
/// follow.
const FIRST_OF_LAUNCHERS: i32 = 124;

/// Returns whether the code says that the work was not done: the code of a launcher that stopped the command or
/// could not start it, a shell's code for a command that is missing or was killed, or by the tool's manual the
/// code for a crash, wrong usage or wrong configuration.
///
/// | tool                      | codes that say so                                                          |
/// |---------------------------|----------------------------------------------------------------------------|
/// | any                       | 124 and above                                                              |
/// | eslint, ruff, staticcheck | 2                                                                          |
/// | tsc                       | 3 and above (a project that cannot be built)                               |
/// | prettier                  | 3 and above; for 2 see what was read                                       |
/// | stylelint                 | 64, 78                                                                     |
/// | pyright                   | 2, 3, 4                                                                    |
/// | javac                     | 2, 3, 4                                                                    |
/// | shellcheck                | 3, 4                                                                       |
/// | golangci-lint             | 2 to 7                                                                     |
/// | pylint                    | 32 and above (its bit for wrong usage), and its bit for a fatal message: 1 |
///
/// Not included: go vet, which exits with 2 if it was called wrongly, and before Go 1.22 also for findings; a
/// wrong call has no findings.
pub(super) fn says_not_done(tool: Option<&str>, code: i32) -> bool {
    code >= FIRST_OF_LAUNCHERS
        || match tool {
            Some("tsc" | "prettier") => code >= 3,
            Some("eslint" | "ruff" | "staticcheck") => code == 2,
            Some("stylelint") => matches!(code, 64 | 78),
            Some("pyright" | "javac") => matches!(code, 2..=4),
            Some("shellcheck") => matches!(code, 3 | 4),
            Some("golangci-lint") => matches!(code, 2..=7),
            Some("pylint") => code >= 32 || code & 1 == 1,
            _ => false,
        }
}

/// Meaning of a runner's exit code for failed tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaysFailed {
    /// Tests failed; no other cause.
    Tests,
    /// Tests failed, or could not be built or loaded: the runner uses the same code for both.
    TestsOrBuild,
}

/// Returns the meaning of the code by the runner's manual. None: the code is not one for failed tests.
///
/// | runner                                                           | code     | meaning          |
/// |------------------------------------------------------------------|----------|------------------|
/// | pytest                                                           | 1        | tests            |
/// | nextest                                                          | 100      | tests            |
/// | ctest                                                            | 8        | tests            |
/// | cargo test                                                       | 101      | tests, or build  |
/// | go, node, deno, bun, dotnet, Maven, Gradle                       | 1        | tests, or build  |
/// | unittest, rspec, phpunit, bats, ava, vitest                      | 1        | tests, or build  |
/// | mocha, which exits with the number of tests that failed          | 1 to 123 | tests, or build  |
///
/// Not included: jest, whose reader reads every summary, so that a missing summary means that jest did not
/// work. Codes from 124 on are those of launchers and shells.
pub(super) fn says_tests_failed(tool: Option<&str>, code: i32) -> Option<SaysFailed> {
    match (tool?, code) {
        ("pytest", 1) | ("nextest", 100) | ("ctest", 8) => Some(SaysFailed::Tests),
        ("cargo-test", 101)
        | ("mocha", 1..FIRST_OF_LAUNCHERS)
        | (
            "go-test" | "node-test" | "deno-test" | "bun-test" | "dotnet-test" | "maven" | "gradle" | "unittest"
            | "rspec" | "phpunit" | "bats" | "ava" | "vitest",
            1,
        ) => Some(SaysFailed::TestsOrBuild),
        _ => None,
    }
}

/// Returns whether the runner's output names a failed test, and not only suites that could not be built or loaded.
pub(super) fn names_failed_tests(reading: &Reading) -> bool {
    let Some(tests) = &reading.tests else { return false };
    tests.counts.failed > 0 || tests.failures.iter().any(|failure| !failure.suite)
}

/// Returns whether the runner uses this code if there was no test to run.
pub(super) fn says_no_tests(tool: Option<&str>, code: i32) -> bool {
    matches!(
        (tool, code),
        (Some("pytest" | "unittest"), 5) | (Some("jest" | "vitest" | "playwright"), 1) | (Some("nextest"), 4)
    )
}

/// Returns which program or module is missing, if that made the command fail: by the well-known messages of
/// shells, package runners and Python, else by the shell's exit code.
///
/// Only for failures without other findings: a program under test may print such messages, too.
pub(super) fn missing_program(case: &Case<'_>, code: i32) -> Option<String> {
    let by_code = matches!(code, NOT_EXECUTABLE | NOT_FOUND);
    let lines = std::iter::once(case.command.invocation.as_line()).chain(case.command.seen_through.iter().cloned());
    let by_npx = lines.into_iter().any(|line| line.split_whitespace().any(|word| file_name(word) == "npx"));
    let streams = [&case.reading.excerpts.stderr, &case.reading.excerpts.stdout];
    let said = streams
        .into_iter()
        .flat_map(|excerpt| [&excerpt.tail, &excerpt.head])
        .flat_map(|text| text.lines().rev())
        .find(|line| names_missing(line) || (by_code && line.contains("not found")) || (by_npx && asks_registry(line)));
    match said {
        Some(line) => Some(first_line(line, 200)),
        None if by_code => meaning(code),
        None => None,
    }
}

/// Returns which program the shell did not find, if that complaint, read as a finding of the tool, is the only
/// finding.
pub(super) fn only_missing_program(case: &Case<'_>, code: i32) -> Option<String> {
    let found = &case.reading.diagnostics;
    let is_missing = |message: &str| message.lines().any(names_missing);
    let only = matches!(code, NOT_EXECUTABLE | NOT_FOUND) && case.reading.keeps_all_findings() && !found.is_empty();
    (only && found.iter().all(|diagnostic| is_missing(&diagnostic.message)))
        .then(|| missing_program(case, code))
        .flatten()
}

/// Returns whether a shell itself reports an error, such as `bash: line 1: cd: app: No such file or directory`.
pub(super) fn shell_complains(reading: &Reading) -> bool {
    let stderr = &reading.excerpts.stderr;
    [&stderr.head, &stderr.tail].into_iter().flat_map(|text| text.lines()).any(|line| {
        let said_by = line.split_once(':').map_or("", |(program, _)| file_name(program));
        matches!(said_by, "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash")
    })
}

/// Returns whether the line is npx reporting that its registry does not have the package.
fn asks_registry(line: &str) -> bool {
    let said = line.strip_prefix("npm error ").or_else(|| line.strip_prefix("npm ERR! "));
    said.is_some_and(|said| said.contains("request to http") && said.contains(" failed"))
}

fn names_missing(line: &str) -> bool {
    const WORDS: [&str; 9] = [
        "command not found",
        "No module named ",
        "could not determine executable to run",
        "is not recognized as an internal",
        // npx; the second for a missing package where installing is not allowed.
        "npx canceled due to missing packages",
        "canceled due to missing packages and no YES option",
        // npx and npm, for a package that does not exist.
        "404 Not Found - GET ",
        // cargo, poetry
        "error: no such command: ",
        "Command not found: ",
    ];
    // yarn and pnpm: `error Command "tsc" not found.`
    let is_quoted = line.split_once("ommand \"").is_some_and(|(_, rest)| rest.contains("\" not found"));
    is_quoted || WORDS.iter().any(|words| line.contains(words))
}

/// Judges a command that is not found.
pub(super) fn not_found(code: i32, said: &str) -> Draft {
    Draft::execution_error(Rule::CommandNotFound, format!("exit code {code}: a program is missing ({said})"))
        .because_of(["a tool or a dependency is not installed", "a name in the command is misspelt"])
        .because_of(meaning(code))
        .advise("Install what is missing, or correct its name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_shells_are_explained_and_others_are_not() {
        for code in [126, 127, 134, 137, 139, 141, 143, 192] {
            assert!(meaning(code).is_some(), "{code}");
        }
        assert!(meaning(137).unwrap_or_default().contains("SIGKILL"));
        for code in [i32::MIN, -1, 0, 1, 2, 101, 125, 128, 193, 255, i32::MAX] {
            assert_eq!(meaning(code), None, "{code}");
        }
    }
}
