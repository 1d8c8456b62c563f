//! Test commands that print no summary even in a correct run, so that only their exit code shows the result.

use referee_syntax::shell::lex;

/// Words of the program, options of which one makes it silent, and the missing output.
type Form = (&'static [&'static str], &'static [&'static str], &'static str);

/// Only forms that were tried, or that the tool's manual describes, are listed.
const FORMS: &[Form] = &[
    (&["mvn", "mvnw", "./mvnw"], &["-q", "--quiet"], "Maven prints nothing of tests that pass"),
    (&["gradle", "gradlew", "./gradlew"], &["-q", "--quiet"], "Gradle prints nothing of tests that pass"),
    (&["ctest"], &["-Q", "--quiet"], "ctest prints nothing"),
    (&["cypress"], &["-q", "--quiet"], "Cypress prints nothing"),
    (&["phpunit"], &["--no-output"], "PHPUnit prints nothing"),
    (&["tap"], &["--reporter=silent", "-Rsilent"], "tap prints nothing"),
    (&["dart", "flutter"], &["--reporter=silent", "-rsilent"], "the reporter prints nothing"),
    (
        &["jest"],
        &["--reporters=jest-junit", "--reporters=github-actions"],
        "its reporter sums up nothing in the output",
    ),
    (&["vitest"], &["--reporter=github-actions"], "its reporter sums up nothing in the output"),
    (&["mocha"], &["--reporter=mocha-junit-reporter"], "its reporter writes to a file"),
    (&["pytest"], &["no:terminal"], "pytest prints nothing without its terminal plugin"),
    (&["node"], &["--test-reporter=lcov"], "its reporter tells the coverage alone"),
];

/// Returns why a command line is known to print no summary. None: it prints one, or is unknown.
pub(super) fn why(line: &str) -> Option<&'static str> {
    lex(line).all_commands().into_iter().find_map(|command| {
        let words = command.texts();
        // `--reporter x` is `--reporter=x`.
        let pairs = words.windows(2).filter(|pair| !pair[0].contains('=')).map(|pair| pair.join("="));
        let given: Vec<String> = words.iter().cloned().chain(pairs).collect();
        let is_given = |option: &str| given.iter().any(|word| word == option);
        let is_of = |(programs, options, _): &&Form| {
            words.iter().any(|word| programs.contains(&word.as_str())) && options.iter().any(|option| is_given(option))
        };
        let (.., what) = FORMS.iter().find(is_of)?;
        // Beside another reporter, which may print a summary, a silent one has no effect.
        let is_reporter = |word: &String| word.split_once('=').is_some_and(|(option, _)| option.contains("-reporter"));
        (given.iter().filter(|word| is_reporter(word)).count() <= 1).then_some(*what)
    })
}

#[cfg(test)]
mod tests {
    use super::why;

    #[test]
    fn only_forms_that_are_known_to_print_no_summary_are_silent() {
        for line in [
            "mvn -q test",
            "tsc && ./gradlew test --quiet",
            "jest --ci --reporters=jest-junit",
            "jest --reporters jest-junit",
            "npx vitest run --reporter=github-actions",
            "node --test --test-reporter=lcov",
            "pytest -p no:terminal",
            "ctest -Q",
        ] {
            assert!(why(line).is_some(), "{line}");
        }
        for line in [
            "mvn test",
            "pytest -q",
            "jest --silent",
            "jest --reporters=default --reporters=jest-junit",
            "vitest run --reporter=dot",
            "node --test --test-reporter=spec --test-reporter=lcov",
            "cargo test -q",
            "go test ./... -q",
            "mocha --reporter dot",
        ] {
            assert_eq!(why(line), None, "{line}");
        }
    }
}
