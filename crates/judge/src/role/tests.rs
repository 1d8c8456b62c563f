use proptest::prelude::{prop_assert_eq, proptest};
use proptest::{collection, sample};
use referee_model::plan::{FileExpectation, Shell};

use super::*;

fn command(invocation: Invocation) -> Command {
    Command::of(invocation)
}

fn line(line: &str) -> Command {
    command(Invocation::Shell { line: line.to_owned(), pipefail: true, shell: Shell::Posix })
}

fn told(text: &str) -> String {
    let told = tell(&line(text));
    format!("{} {}", told.role.as_str(), told.tool.as_deref().unwrap_or("-"))
}

#[test]
fn roles_are_told_from_the_tool() {
    for (text, expected) in [
        ("npx jest --ci", "test jest"),
        ("jest", "test jest"),
        ("vitest run --coverage", "test vitest"),
        ("npx vitest src/quote", "test vitest"),
        ("mocha -V", "other -"),
        ("node --test tests/", "test node-test"),
        ("npx playwright test", "test playwright"),
        ("npx playwright install", "other -"),
        ("cypress run --headless", "test cypress"),
        ("pytest -q -V", "other -"),
        ("pytest -q", "test pytest"),
        ("go test ./...", "test go-test"),
        ("go vet ./...", "lint govet"),
        ("go build ./...", "compile go-build"),
        ("go run ./cmd", "other -"),
        ("cargo +nightly test --workspace", "test cargo-test"),
        ("cargo test --no-run", "compile rustc"),
        ("cargo nextest run", "test nextest"),
        ("cargo nextest list", "other -"),
        ("cargo check", "typecheck rustc"),
        ("cargo build --release", "compile rustc"),
        ("cargo clippy -- -D warnings", "lint clippy"),
        ("cargo fmt --check", "format rustfmt"),
        ("ctest -V", "test ctest"),
        ("mvn -q test", "test maven"),
        ("./gradlew test", "test gradle"),
        ("npx tsc --noEmit -p variants/unfinished", "typecheck tsc"),
        ("vue-tsc", "typecheck tsc"),
        ("tsc --version", "other -"),
        ("tsc -v", "other -"),
        ("tsc --init", "other -"),
        ("tsc --showConfig", "other -"),
        ("mypy src", "typecheck mypy"),
        ("eslint . --fix", "lint eslint"),
        ("eslint --version", "other -"),
        ("eslint --help", "other -"),
        ("npx @biomejs/biome lint .", "lint biome"),
        ("biome format", "format biome"),
        ("ruff check .", "lint ruff"),
        ("ruff format --check", "format ruff"),
        ("golangci-lint run", "lint golangci-lint"),
        ("golangci-lint version", "other -"),
        ("prettier --check .", "format prettier"),
        ("prettier -l src", "format prettier"),
        ("prettier --write .", "format prettier"),
        ("prettier src/a.ts", "other -"),
        ("gofmt -l .", "format gofmt"),
        ("gofmt a.go", "other -"),
        ("black --check .", "format black"),
        ("gcc -c a.c -o a.o", "compile gcc"),
        ("javac -h include A.java", "compile javac"),
        ("cmake --build build", "compile cmake"),
        ("cmake -S . -B build", "other -"),
        ("echo jest", "other -"),
        ("cat eslint.log", "other -"),
        ("", "other -"),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn launchers_and_shells_are_looked_through() {
    for (text, expected) in [
        ("CI=1 NODE_ENV=test npx --yes jest", "test jest"),
        ("npx -y jest@29 --ci", "test jest"),
        ("npx --no-install -p typescript tsc", "typecheck tsc"),
        ("npx -c 'eslint .'", "lint eslint"),
        ("npm exec -- eslint .", "lint eslint"),
        ("npm --prefix web exec eslint .", "lint eslint"),
        ("pnpm exec vitest", "test vitest"),
        ("pnpm --filter web exec tsc", "typecheck tsc"),
        ("pnpm dlx eslint .", "lint eslint"),
        ("pnpm eslint .", "lint eslint"),
        ("yarn jest", "test jest"),
        ("yarn run -s eslint .", "lint eslint"),
        ("yarn workspace web tsc", "typecheck tsc"),
        ("yarn test", "test -"),
        ("yarn install", "other -"),
        ("bunx prettier -c .", "format prettier"),
        ("bun test", "test bun-test"),
        ("bun run lint", "lint -"),
        ("python -m pytest -q", "test pytest"),
        ("python3.12 -W error -m unittest", "test unittest"),
        ("python manage.py test", "test unittest"),
        ("python build.py", "other -"),
        ("python -c 'import pytest'", "other -"),
        ("uv run --with pytest pytest", "test pytest"),
        ("uv run -m pytest", "test pytest"),
        ("uvx ruff check", "lint ruff"),
        ("poetry run mypy .", "typecheck mypy"),
        ("poetry install", "other -"),
        ("bundle exec rspec", "test rspec"),
        ("coverage run -m pytest", "test pytest"),
        ("npx c8 --reporter=lcov node --test", "test node-test"),
        ("node --experimental-vm-modules node_modules/jest/bin/jest.js", "test jest"),
        ("node_modules/.bin/eslint .", "lint eslint"),
        ("php vendor/bin/phpunit", "test phpunit"),
        ("node server.js", "other -"),
        ("node -e 'jest'", "other -"),
        ("env -u CI FOO=1 jest", "test jest"),
        ("cross-env CI=1 jest", "test jest"),
        ("time -p jest", "test jest"),
        ("nice -n 10 timeout -k 5 60s exec jest", "test jest"),
        ("bash -c 'cd web && npx jest'", "test jest"),
        ("bash -lc \"npx jest\"", "test jest"),
        ("bash -eu -o pipefail -c 'npx jest | tee log'", "test jest"),
        ("sh test.sh", "other -"),
        ("cd web && npx jest", "test jest"),
        ("rm -rf out; npx jest || true", "test jest"),
        ("(cd web; npx jest)", "test jest"),
        ("if npx jest; then echo fine; fi", "test jest"),
        ("git ls-files '*.ts' | xargs -n 50 eslint", "lint eslint"),
        ("npm test", "test -"),
        ("npm t", "test -"),
        ("npm run lint", "lint -"),
        ("npm run test:unit", "test -"),
        ("npm run build", "other -"),
        ("npm ci", "other -"),
        ("make test", "test -"),
        ("make -C web lint", "lint -"),
        ("make", "other -"),
        ("command -v jest", "other -"),
        ("! npx jest", "other -"),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn several_roles_in_one_line_are_none_and_the_reason_says_to_split() {
    let told = tell(&line("tsc --noEmit && jest"));
    assert_eq!((told.role, told.tool), (Role::Other, None));
    assert!(told.because.contains("split"), "{}", told.because);
    // Two tools of one role keep the role, but have no single name.
    assert_eq!(self::told("eslint . && stylelint '**/*.css'"), "lint -");
    assert_eq!(self::told("eslint a && eslint b"), "lint eslint");
}

#[test]
fn the_declared_role_goes_before_the_told_one() {
    let mut declared = line("tsc --noEmit && jest");
    declared.role = Some(Role::Test);
    let told = tell(&declared);
    assert_eq!((told.role, told.tool.as_deref()), (Role::Test, Some("jest")));
    assert_eq!(told.contradiction, None);
    declared = line("./check.sh");
    declared.role = Some(Role::Lint);
    assert_eq!((tell(&declared).role, tell(&declared).tool), (Role::Lint, None));
    assert_eq!(tell(&declared).contradiction, None);
    declared = line("npx jest --ci || true");
    declared.role = Some(Role::Lint);
    assert_eq!(
        tell(&declared).contradiction.as_deref(),
        Some("the declared role is lint, and `jest` runs tests: the declared role decided")
    );
}

#[test]
fn scripts_that_were_seen_through_go_before_the_line() {
    let mut seen = line("npm test");
    seen.seen_through = vec!["npm run unit".to_owned(), "jest --ci".to_owned()];
    assert_eq!(tell(&seen).tool.as_deref(), Some("jest"));
    // For a script without known tools the convention of its name applies.
    seen.seen_through = vec!["node run-tests.js".to_owned()];
    assert_eq!((tell(&seen).role, tell(&seen).tool), (Role::Test, None));
    seen.seen_through = vec!["@tsc --noEmit\n-eslint .".to_owned()];
    assert_eq!(tell(&seen).role, Role::Other);
}

#[test]
fn an_exit_code_is_of_the_tool_only_where_nothing_else_could_set_it() {
    for (text, expected) in [
        ("npx eslint .", true),
        ("cd web && npx eslint .", true),
        ("./prepare; npx eslint . 2>&1; echo \"done: $?\" >&2", true),
        ("npx eslint . && printf 'done\\n' || true", true),
        ("bash -c 'npx eslint . && echo fine'", true),
        ("if npx eslint .; then :; fi", false),
        // Commands that can fail by themselves, set the code, or hide the tool's own.
        ("npx eslint . | tee log", false),
        ("npx eslint . | cat", false),
        ("npx eslint . && cat missing.txt", false),
        ("npx eslint . || exit 1", false),
        ("npx eslint . ; exit 1", false),
        ("npx eslint . && cd web", false),
        ("npx eslint . && false", false),
        ("npx eslint . && echo fine > /nonexistent/x", false),
        ("npx eslint . && echo ${NAME:?}", false),
        ("npx eslint . && printf %d x", false),
        ("npx eslint . && npx tsc", false),
        ("npx eslint . && node check.js", false),
        ("npx eslint .; ./deploy", false),
        ("npx eslint . | node filter.js", false),
        ("./list | npx eslint --stdin", false),
        ("npx eslint a && ./x && npx eslint b", false),
        ("bash -c 'npx eslint . && ./x'", false),
        ("npm run lint", false),
        ("./lint.sh", false),
    ] {
        assert_eq!(exit_is_of_tool(&line(text)), expected, "{text}");
    }
    let mut recipe = line("make lint");
    recipe.seen_through = vec!["eslint .".to_owned(), "@echo done".to_owned()];
    assert!(exit_is_of_tool(&recipe));
    recipe.seen_through.push("./deploy".to_owned());
    assert!(!exit_is_of_tool(&recipe));
    let argv = ["npx", "eslint", "."].map(str::to_owned).to_vec();
    assert!(exit_is_of_tool(&command(Invocation::Argv(argv))));
}

#[test]
fn what_can_have_failed_before_a_tool_counts_where_nothing_was_understood() {
    for (text, expected) in [
        ("pytest", Failing::Tool),
        ("timeout 60 pytest", Failing::Tool),
        ("bash -c 'pytest a; pytest b'", Failing::Tool),
        ("echo tests && pytest", Failing::Tool),
        ("cd app && pytest", Failing::ToolOrPreparation),
        ("set -e; . venv/bin/activate; pytest", Failing::ToolOrPreparation),
        ("bash -c 'cd app && pytest'", Failing::ToolOrPreparation),
        ("./set-up && pytest", Failing::Others),
        ("bash -c './set-up && pytest'", Failing::Others),
        ("pytest && ./report", Failing::Others),
        ("pytest | tee log", Failing::Others),
        ("pytest && npx jest", Failing::Others),
        ("npm test", Failing::Others),
        ("./test.sh", Failing::Others),
        ("", Failing::Others),
    ] {
        assert_eq!(failing(&line(text)), expected, "{text}");
    }
    let mut script = line("npm test");
    script.seen_through = vec!["npm run unit".to_owned(), "cd app && pytest".to_owned(), "@echo done".to_owned()];
    assert_eq!(failing(&script), Failing::ToolOrPreparation);
    script.seen_through[0] = "npm run set-up && npm run unit".to_owned();
    assert_eq!(failing(&script), Failing::Others);
    let argv = |words: &[&str]| command(Invocation::Argv(words.iter().map(|&word| word.to_owned()).collect()));
    assert_eq!(failing(&argv(&["python", "-m", "pytest"])), Failing::Tool);
    assert_eq!(failing(&argv(&["sh", "-c", "./set-up && pytest"])), Failing::Others);
}

#[test]
fn options_are_found_in_every_line_of_a_command() {
    let mut seen = line("npm run lint -- --max-warnings 3");
    seen.seen_through = vec!["bash -c 'eslint . --max-warnings=0'".to_owned(), "eslint --max-warnings".to_owned()];
    assert_eq!(option_values(&seen, "--max-warnings"), ["0", "", "3"]);
    assert!(option_values(&line("eslint --max-warnings-of=0"), "--max-warnings").is_empty());
}

proptest! {
    #[test]
    fn no_line_and_no_argv_makes_it_panic(text in "\\PC*", words in collection::vec("[ -~]{0,12}", 0..6)) {
        tell(&line(&text));
        failing(&line(&text));
        tell(&command(Invocation::Argv(words)));
    }

    #[test]
    fn lines_of_shell_shaped_pieces_never_panic(pieces in collection::vec(sample::select(vec![
        "npx", "jest", "bash", "-c", "'", "\"", "\\", "$(", ")", "`", "&&", "|", "||", ";", ">", "<", "&", "env", "A=b", "--",
        "python", "-m", "timeout", "npm", "run", "exec", "#", "\n", " ", "node", "--test", "-p", "uv", "yarn", "workspace",
    ]), 0..24)) {
        tell(&line(&pieces.join(" ")));
        failing(&line(&pieces.join(" ")));
        tell(&line(&pieces.concat()));
    }

    #[test]
    fn every_launcher_before_a_known_tool_keeps_its_role(launchers in collection::vec(
        sample::select(vec!["env", "time", "A=b", "npx", "exec", "nice", "timeout 5", "npm exec --", "uv run", "nohup"]),
        0..6,
    )) {
        prop_assert_eq!(told(&format!("{} jest --ci", launchers.join(" "))), "test jest");
    }
}

#[test]
fn each_kind_of_work_has_its_level_and_a_declared_one_goes_before() {
    use crate::fixture::{browser, dev_server, file, glob, http, line, query, request, service};
    for (action, level) in [
        (file("STEP.1", FileExpectation::Absent), Level::Smoke),
        (glob("STEP.1", FileExpectation::Absent), Level::Smoke),
        (service("STEP.1", dev_server()), Level::Smoke),
        (line("STEP.1", "npx tsc"), Level::Smoke),
        (line("STEP.1", "gcc a.c"), Level::Smoke),
        (line("STEP.1", "npx jest"), Level::Fast),
        (line("STEP.1", "npx eslint ."), Level::Fast),
        (http("STEP.1", request("http://localhost/")), Level::Fast),
        (line("STEP.1", "npx prettier --check ."), Level::Strict),
        (line("STEP.1", "./deploy"), Level::Strict),
        (line("STEP.1", "npx tsc && npx jest"), Level::Strict),
        (query("STEP.1", Vec::new()), Level::Fast),
        (browser("STEP.1"), Level::Fast),
    ] {
        assert_eq!(super::level(&action), level, "{:?}", action.work);
        for declared in [Level::Smoke, Level::Fast, Level::Strict] {
            assert_eq!(super::level(&Action { level: Some(declared), ..action.clone() }), declared);
        }
    }
}
