use super::*;

fn command(line: &str, seen_through: &[&str]) -> Command {
    Command {
        seen_through: seen_through.iter().map(|line| (*line).to_owned()).collect(),
        ..Command::of(Invocation::line(line))
    }
}

/// The command line, the scripts that it runs, the runner, its tests, and the expected command.
type Row<'a> = (&'a str, &'a [&'a str], &'a str, &'a [&'a str], Option<&'a str>);

#[test]
fn a_few_tests_are_run_as_their_runner_takes_them() {
    let caller = [(OsString::from("GOFLAGS"), OsString::from("-mod=mod"))];
    let rows: [Row<'_>; 19] = [
        (
            "pytest -q",
            &[],
            "pytest",
            &["t/a.py::test_b[1-2]", "t/a.py::T::test_c"],
            Some("PYTEST_ADDOPTS=-k 'test_b or test_c'"),
        ),
        ("pytest", &[], "pytest", &["a.py::test b"], None),
        (
            "node --test test/",
            &[],
            "node-test",
            &["cart > adds (1 + 1)"],
            Some("node --test '--test-name-pattern=^(adds..1...1.)$' test/"),
        ),
        ("make test", &[], "node-test", &["adds"], None),
        ("node --test test/ && node b.js", &[], "node-test", &["adds"], None),
        ("go test ./...", &[], "go-test", &["TestA/one", "TestB"], Some("GOFLAGS=-mod=mod -run=^(TestA|TestB)$")),
        ("npx jest", &[], "jest", &["sum › adds"], Some("npx jest -t '(adds)$'")),
        ("npm test", &["jest --ci"], "jest", &["sum > adds"], Some("npm test -- -t '(adds)$'")),
        ("npm test", &["tsc && jest"], "jest", &["adds"], None),
        ("npm test", &[], "jest", &["adds"], None),
        ("yarn vitest run", &["vitest run"], "vitest", &["adds"], Some("yarn vitest run -t '(adds)$'")),
        ("node_modules/.bin/vitest run", &[], "vitest", &["adds"], Some("node_modules/.bin/vitest run -t '(adds)$'")),
        ("jest | tee log", &[], "jest", &["adds"], None),
        ("cargo test", &[], "cargo-test", &["tests > adds", "b::c"], Some("cargo test -- b::c tests::adds")),
        ("cargo test -- --nocapture", &[], "cargo-test", &["b::c"], Some("cargo test -- --nocapture b::c")),
        ("make test", &[], "cargo-test", &["b::c"], None),
        ("cargo test", &[], "cargo-test", &["src/lib.rs - f (line 3)"], None),
        ("ctest", &[], "ctest", &["a"], None),
        ("pytest", &[], "pytest", &[], None),
    ];
    for (line, seen_through, runner, tests, expected) in rows {
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        let selected = select(&command(line, seen_through), runner, &tests, &caller);
        let shown = selected.map(|selected| match selected.environment.first_key_value() {
            Some((name, value)) => format!("{name}={value}"),
            None => selected.invocation.as_line(),
        });
        assert_eq!(shown.as_deref(), expected, "{line} {tests:?}");
    }
    let many = (0..=TESTS_MAX).map(|number| format!("a.py::test_{number}")).collect();
    assert!(select(&command("pytest", &[]), "pytest", &many, &[]).is_none());
}
