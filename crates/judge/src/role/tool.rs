//! The table of tools: the purpose of a program, and its name in policies and readers.

use referee_model::plan::Role::{self, Compile, Format, Lint, Test, Typecheck};

use super::word::{first_plain, has, program};

/// A tool recognized in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) role: Role,
    /// Canonical name. None: the role is only known by a convention (`npm test`).
    pub(crate) tool: Option<&'static str>,
}

/// Programs that have one role whatever their arguments, except for mere queries ([`only_asks`]): program,
/// canonical name, role.
const PROGRAMS: &[(&str, &str, Role)] = &[
    ("jest", "jest", Test),
    ("vitest", "vitest", Test),
    ("mocha", "mocha", Test),
    ("_mocha", "mocha", Test),
    ("ava", "ava", Test),
    ("uvu", "uvu", Test),
    ("jasmine", "jasmine", Test),
    ("tap", "tap", Test),
    ("tape", "tap", Test),
    ("tstyche", "tstyche", Test),
    ("tsd", "tsd", Typecheck),
    ("karma", "karma", Test),
    ("pytest", "pytest", Test),
    ("py.test", "pytest", Test),
    ("unittest", "unittest", Test),
    ("tox", "tox", Test),
    ("nox", "nox", Test),
    ("gotestsum", "gotestsum", Test),
    ("cargo-nextest", "nextest", Test),
    ("ctest", "ctest", Test),
    ("phpunit", "phpunit", Test),
    ("pest", "pest", Test),
    ("rspec", "rspec", Test),
    ("bats", "bats", Test),
    ("prove", "prove", Test),
    ("busted", "busted", Test),
    ("qunit", "qunit", Test),
    ("nose2", "unittest", Test),
    ("trial", "unittest", Test),
    ("tsc", "tsc", Typecheck),
    ("vue-tsc", "tsc", Typecheck),
    ("tsgo", "tsc", Typecheck),
    ("mypy", "mypy", Typecheck),
    ("dmypy", "mypy", Typecheck),
    ("pyright", "pyright", Typecheck),
    ("basedpyright", "pyright", Typecheck),
    ("svelte-check", "svelte-check", Typecheck),
    ("eslint", "eslint", Lint),
    ("oxlint", "oxlint", Lint),
    ("stylelint", "stylelint", Lint),
    ("tslint", "tslint", Lint),
    ("jshint", "jshint", Lint),
    ("standard", "standard", Lint),
    ("xo", "xo", Lint),
    ("htmlhint", "htmlhint", Lint),
    ("solhint", "solhint", Lint),
    ("flake8", "flake8", Lint),
    ("pylint", "pylint", Lint),
    ("pyflakes", "pyflakes", Lint),
    ("bandit", "bandit", Lint),
    ("cargo-clippy", "clippy", Lint),
    ("staticcheck", "staticcheck", Lint),
    ("revive", "revive", Lint),
    ("shellcheck", "shellcheck", Lint),
    ("hadolint", "hadolint", Lint),
    ("yamllint", "yamllint", Lint),
    ("actionlint", "actionlint", Lint),
    ("markdownlint", "markdownlint", Lint),
    ("markdownlint-cli2", "markdownlint", Lint),
    ("ansible-lint", "ansible-lint", Lint),
    ("rubocop", "rubocop", Lint),
    ("reek", "reek", Lint),
    ("phpcs", "phpcs", Lint),
    ("phpstan", "phpstan", Lint),
    ("psalm", "psalm", Lint),
    ("luacheck", "luacheck", Lint),
    ("hlint", "hlint", Lint),
    ("cppcheck", "cppcheck", Lint),
    ("clang-tidy", "clang-tidy", Lint),
    ("codespell", "codespell", Lint),
    ("typos", "typos", Lint),
    ("misspell", "misspell", Lint),
    ("alex", "alex", Lint),
    ("brakeman", "brakeman", Lint),
    ("cfn-lint", "cfn-lint", Lint),
    ("checkstyle", "checkstyle", Lint),
    ("CodeChecker", "codechecker", Lint),
    ("commitlint", "commitlint", Lint),
    ("cspell", "cspell", Lint),
    ("depcheck", "depcheck", Lint),
    ("detekt", "detekt", Lint),
    ("dotenv-linter", "dotenv-linter", Lint),
    ("erb-lint", "erb-lint", Lint),
    ("erblint", "erb-lint", Lint),
    ("erb_lint", "erb-lint", Lint),
    ("pycodestyle", "flake8", Lint),
    ("flawfinder", "flawfinder", Lint),
    ("haml-lint", "haml-lint", Lint),
    ("htmltest", "htmltest", Lint),
    ("jsonlint", "jsonlint", Lint),
    ("knip", "knip", Lint),
    ("ktlint", "ktlint", Lint),
    ("lychee", "lychee", Lint),
    ("perlcritic", "perlcritic", Lint),
    ("phan", "phan", Lint),
    ("phpmd", "phpmd", Lint),
    ("pmd", "pmd", Lint),
    ("proselint", "proselint", Lint),
    ("protolint", "protolint", Lint),
    ("puppet-lint", "puppet-lint", Lint),
    ("pydocstyle", "pydocstyle", Lint),
    ("semgrep", "semgrep", Lint),
    ("slim-lint", "slim-lint", Lint),
    ("spectral", "spectral", Lint),
    ("spotbugs", "spotbugs", Lint),
    ("sqlfluff", "sqlfluff", Lint),
    ("standardrb", "standardrb", Lint),
    ("tflint", "tflint", Lint),
    ("vale", "vale", Lint),
    ("write-good", "write-good", Lint),
    ("black", "black", Format),
    ("isort", "isort", Format),
    ("rustfmt", "rustfmt", Format),
    ("cargo-fmt", "rustfmt", Format),
    ("clang-format", "clang-format", Format),
    ("shfmt", "shfmt", Format),
    ("gcc", "gcc", Compile),
    ("g++", "gcc", Compile),
    ("cc", "gcc", Compile),
    ("c++", "gcc", Compile),
    ("clang", "clang", Compile),
    ("clang++", "clang", Compile),
    ("javac", "javac", Compile),
    ("rustc", "rustc", Compile),
    ("kotlinc", "kotlinc", Compile),
    ("scalac", "scalac", Compile),
    ("swiftc", "swiftc", Compile),
    ("ghc", "ghc", Compile),
    ("ecj", "ecj", Compile),
    ("erlc", "erlc", Compile),
    ("gfortran", "gfortran", Compile),
    ("gnatmake", "gnat", Compile),
    ("gprbuild", "gnat", Compile),
    ("iverilog", "iverilog", Compile),
    ("verilator", "verilator", Compile),
    ("solc", "solc", Compile),
    ("solcjs", "solc", Compile),
    ("mcs", "mcs", Compile),
    ("ocamlc", "ocaml", Compile),
    ("ocamlopt", "ocaml", Compile),
    ("msbuild", "msbuild", Compile),
    ("ninja", "ninja", Compile),
    ("webpack", "webpack", Compile),
    ("rollup", "rollup", Compile),
    ("esbuild", "esbuild", Compile),
];

/// Programs whose first plain argument determines their role; otherwise it is [`Role::Other`]: program,
/// argument (empty: none is given), canonical name, role.
const SUBCOMMANDS: &[(&str, &str, &str, Role)] = &[
    ("cargo", "test", "cargo-test", Test),
    ("cargo", "t", "cargo-test", Test),
    ("cargo", "nextest", "nextest", Test),
    ("cargo", "llvm-cov", "cargo-test", Test),
    ("cargo", "check", "rustc", Typecheck),
    ("cargo", "c", "rustc", Typecheck),
    ("cargo", "build", "rustc", Compile),
    ("cargo", "b", "rustc", Compile),
    ("cargo", "clippy", "clippy", Lint),
    ("cargo", "fmt", "rustfmt", Format),
    ("go", "test", "go-test", Test),
    ("go", "vet", "govet", Lint),
    ("go", "build", "go-build", Compile),
    ("go", "install", "go-build", Compile),
    ("go", "fmt", "gofmt", Format),
    ("golangci-lint", "run", "golangci-lint", Lint),
    ("react-scripts", "test", "jest", Test),
    ("react-app-rewired", "test", "jest", Test),
    ("kcd-scripts", "test", "jest", Test),
    ("craco", "test", "jest", Test),
    ("tsdx", "test", "jest", Test),
    ("playwright", "test", "playwright", Test),
    ("cypress", "run", "cypress", Test),
    ("bun", "test", "bun-test", Test),
    ("deno", "test", "deno-test", Test),
    ("deno", "check", "deno", Typecheck),
    ("deno", "lint", "deno", Lint),
    ("deno", "fmt", "deno", Format),
    ("biome", "lint", "biome", Lint),
    ("biome", "check", "biome", Lint),
    ("biome", "ci", "biome", Lint),
    ("biome", "format", "biome", Format),
    ("ruff", "check", "ruff", Lint),
    ("ruff", "format", "ruff", Format),
    ("ty", "check", "ty", Typecheck),
    ("pyrefly", "check", "pyrefly", Typecheck),
    ("flow", "", "flow", Typecheck),
    ("flow", "check", "flow", Typecheck),
    ("flow", "status", "flow", Typecheck),
    ("buf", "lint", "buf", Lint),
    ("manage.py", "test", "unittest", Test),
    ("rails", "test", "test-unit", Test),
    ("rake", "test", "test-unit", Test),
    ("rake", "spec", "rspec", Test),
    ("artisan", "test", "phpunit", Test),
    ("mix", "test", "exunit", Test),
    ("mix", "compile", "elixir", Compile),
    ("mvn", "test", "maven", Test),
    ("mvn", "verify", "maven", Test),
    ("mvn", "compile", "maven", Compile),
    ("mvn", "test-compile", "maven", Compile),
    ("gradle", "test", "gradle", Test),
    ("gradle", "check", "gradle", Test),
    ("gradle", "compileJava", "gradle", Compile),
    ("gradle", "classes", "gradle", Compile),
    ("gradle", "assemble", "gradle", Compile),
    ("sbt", "test", "sbt", Test),
    ("sbt", "compile", "scalac", Compile),
    ("dotnet", "test", "dotnet-test", Test),
    ("dotnet", "build", "msbuild", Compile),
    ("dotnet", "format", "dotnet-format", Format),
    ("swift", "test", "swift-test", Test),
    ("swift", "build", "swiftc", Compile),
    ("flutter", "test", "dart-test", Test),
    ("flutter", "analyze", "dart-analyze", Lint),
    ("dart", "test", "dart-test", Test),
    ("dart", "analyze", "dart-analyze", Lint),
    ("dart", "format", "dart-format", Format),
    ("zig", "test", "zig", Test),
    ("zig", "build", "zig", Compile),
    ("vite", "build", "vite", Compile),
    ("next", "build", "next", Compile),
    ("next", "lint", "eslint", Lint),
];

/// Arguments with which a tool only answers a query, beside `--version` and `--help`.
const ASKING: &[(&str, &[&str])] = &[
    ("tsc", &["-v", "--init", "--showconfig", "--listfilesonly", "--all"]),
    ("eslint", &["-v", "--init", "--print-config", "--inspect-config", "--env-info"]),
    ("prettier", &["-v", "--find-config-path", "--file-info", "--support-info"]),
    ("jest", &["-v", "--init", "--showconfig", "--listtests", "--clearcache"]),
    ("vitest", &["-v", "list", "init", "bench"]),
    ("pytest", &["--collect-only", "--co", "--fixtures", "--markers", "--setup-plan"]),
    ("ctest", &["-N", "--show-only"]),
    ("cargo-test", &["--list"]),
    ("go-test", &["-list"]),
    ("playwright", &["--list"]),
];

/// Common formats of test reports, by reader.
const REPORTS: &[&str] = &["ctrf", "junit", "nunit", "tap", "trx", "xunit"];

/// Common formats of findings, by reader.
pub(super) const FINDING_REPORTS: &[&str] =
    &["azure-annotations", "checkstyle", "github-annotations", "gitlab-codequality", "junit", "pmd", "rdjson", "sarif"];

/// Test runners with (partial) output for other readers. An empty list: the project chooses what they run, so
/// any runner's summary may be theirs.
const WRITERS: &[(&str, &[&str])] = &[
    ("tox", &[]),
    ("nox", &[]),
    ("gradle", &[]),
    ("maven", &[]),
    ("sbt", &[]),
    ("karma", &[]),
    // Rake and Rails run the framework that the project's test helper loads.
    ("test-unit", &["minitest", "rspec"]),
    ("minitest", &["test-unit"]),
    ("tap", &["mocha"]),
    ("jasmine", &["mocha"]),
    ("cypress", &["mocha"]),
    ("phpunit", &["pest"]),
    ("pest", &["phpunit"]),
    // `cargo llvm-cov` runs either.
    ("cargo-test", &["nextest"]),
    ("nextest", &["cargo-test"]),
    ("gotestsum", &["go-test"]),
    ("unittest", &["pytest"]),
];

/// Returns whether a test runner may write output for the reader of another tool.
pub(super) fn writes(runner: &str, reader: &str) -> bool {
    let by = WRITERS.iter().find(|(name, _)| *name == runner);
    REPORTS.contains(&reader) || by.is_some_and(|(_, readers)| readers.is_empty() || readers.contains(&reader))
}

/// Canonical names of tools that are recognized by options, see [`by_arguments`].
const BY_ARGUMENTS: &[&str] = &["node-test", "prettier", "gofmt", "cmake", "rustc", "go-build"];

/// Returns the canonical names of all tools that are known, some of them several times.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let programs = PROGRAMS.iter().map(|(_, tool, _)| *tool);
    programs.chain(SUBCOMMANDS.iter().map(|(_, _, tool, _)| *tool)).chain(BY_ARGUMENTS.iter().copied())
}

/// Returns the roles of a tool, by its canonical name; a role may occur several times.
pub(super) fn roles(name: &str) -> impl Iterator<Item = Role> {
    let programs = PROGRAMS.iter().map(|(_, tool, role)| (*tool, *role));
    let all = programs.chain(SUBCOMMANDS.iter().map(|(_, _, tool, role)| (*tool, *role)));
    all.filter(move |(tool, _)| *tool == name).map(|(_, role)| role)
}

/// Returns the canonical name of the tool that a program always is.
pub(super) fn canonical(program: &str) -> Option<&'static str> {
    let program = if program == "typescript" { "tsc" } else { program };
    PROGRAMS.iter().find(|(name, ..)| *name == program).map(|(_, tool, _)| *tool)
}

/// Determines the role of a command from the program and its arguments.
pub(super) fn told(words: &[String]) -> Option<Named> {
    let (first, arguments) = words.split_first()?;
    let program = match program(first) {
        "gradlew" => "gradle",
        "mvnw" => "mvn",
        name => name,
    };
    let named = by_arguments(program, arguments)
        .or_else(|| by_program(program))
        .or_else(|| by_subcommand(program, arguments))?;
    (!only_asks(named.tool.unwrap_or_default(), arguments)).then_some(named)
}

/// Handles the few programs whose options determine their role.
fn by_arguments(program: &str, arguments: &[String]) -> Option<Named> {
    let named = |role, tool| Some(Named { role, tool: Some(tool) });
    match program {
        "node" | "nodejs" | "tsx" | "ts-node" if has(arguments, &["--test"]) => named(Test, "node-test"),
        // Without one of these it prints formatted sources.
        "prettier" if has(arguments, &["-c", "--check", "-l", "--list-different", "-w", "--write"]) => {
            named(Format, "prettier")
        }
        "gofmt" | "goimports" if has(arguments, &["-l", "-d", "-w"]) => named(Format, "gofmt"),
        "cmake" if has(arguments, &["--build"]) => named(Compile, "cmake"),
        "nx" | "turbo" | "lerna" | "wireit" => task(arguments),
        "cargo" if has(arguments, &["--no-run"]) => named(Compile, "rustc"),
        "go" if first_plain(arguments) == Some("test") && has(arguments, &["-c"]) => named(Compile, "go-build"),
        _ => None,
    }
}

fn by_program(program: &str) -> Option<Named> {
    PROGRAMS.iter().find(|(name, ..)| *name == program).map(|(_, tool, role)| Named { role: *role, tool: Some(tool) })
}

fn by_subcommand(program: &str, arguments: &[String]) -> Option<Named> {
    let given = first_plain(arguments).unwrap_or_default();
    let (_, sub, tool, role) = SUBCOMMANDS.iter().find(|(name, sub, ..)| *name == program && *sub == given)?;
    // `cargo nextest list` and `archive` run nothing.
    if *sub == "nextest" && !has(arguments, &["run", "r"]) {
        return None;
    }
    Some(Named { role: *role, tool: Some(tool) })
}

/// Returns whether the arguments only query the tool: its version, its help, its configuration.
fn only_asks(tool: &str, arguments: &[String]) -> bool {
    let asking = ASKING.iter().find(|(name, _)| *name == tool).map_or(&[][..], |(_, options)| options);
    arguments.iter().any(|argument| {
        let long = argument.starts_with("--").then(|| argument.to_ascii_lowercase());
        let argument = long.as_deref().unwrap_or(argument);
        match argument {
            "--version" | "--help" => true,
            // `javac -h` names a directory, and `ctest -V` is its verbose mode.
            "-h" => tool != "javac",
            "-V" => tool != "ctest",
            other => asking.contains(&other),
        }
    })
}

/// Returns the task of a monorepo task runner: `nx run web:test`, `nx run-many -t test`, `turbo run test`.
fn task(arguments: &[String]) -> Option<Named> {
    let (first, rest) = arguments.split_first()?;
    let name = match first.as_str() {
        "run-many" | "affected" => rest.iter().enumerate().find_map(|(at, word)| match word.as_str() {
            "-t" | "--target" | "--targets" => rest.get(at + 1).map(String::as_str),
            word => word.strip_prefix("--target=").or_else(|| word.strip_prefix("--targets=")),
        })?,
        "run" => rest.first()?,
        name => name,
    };
    by_convention(name).or_else(|| by_convention(name.split_once(':')?.1))
}

/// Formatters of TAP whose output can be read, and programs that pass it on unchanged.
const TAP_READ: &[&str] = &["tap-spec", "tap-dot", "faucet", "tee", "cat"];

/// Returns whether a program's rendering of TAP is known, so that a runner's summary can be found in it.
pub(super) fn keeps_tap(program: &str) -> bool {
    TAP_READ.contains(&program)
}

/// Returns the role that a script or target has by convention, if what it runs is not known.
pub(super) fn by_convention(script: &str) -> Option<Named> {
    let role = match script {
        "format:check" | "check:format" | "format-check" | "fmt:check" => Format,
        other => match other.split(':').next().unwrap_or(other) {
            "test" | "tests" | "unittest" => Test,
            "lint" => Lint,
            "typecheck" | "type-check" | "check-types" | "types" => Typecheck,
            _ => return None,
        },
    };
    Some(Named { role, tool: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_named_as_their_readers() {
        let tool = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            told(&words).map(|named| (named.tool.unwrap_or_default(), named.role))
        };
        assert_eq!(tool("pycodestyle src"), Some(("flake8", Lint)));
        assert_eq!(tool("erblint --lint-all"), Some(("erb-lint", Lint)));
        assert_eq!(tool("codechecker check"), None);
        assert_eq!(tool("solcjs --bin a.sol"), Some(("solc", Compile)));
        assert_eq!(tool("trial package"), Some(("unittest", Test)));
        assert!(names().any(|name| name == "verilator"));
    }

    #[test]
    fn no_program_stands_in_the_tables_twice() {
        let mut programs: Vec<_> = PROGRAMS.iter().map(|(name, ..)| (*name, "")).collect();
        programs.extend(SUBCOMMANDS.iter().map(|(name, sub, ..)| (*name, *sub)));
        let all = programs.len();
        programs.sort_unstable();
        programs.dedup();
        assert_eq!(programs.len(), all);
    }
}
