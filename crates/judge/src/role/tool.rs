//! The table of tools: the purpose of a program, and its name in policies and readers.

use std::sync::LazyLock;

use referee_model::plan::Role::{self, Compile, Format, Lint, Test, Typecheck};
use referee_syntax::table::{self, Table};
use referee_syntax::tree::Node;

use super::word::{first_plain, has, program};

/// A tool recognized in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) role: Role,
    /// Canonical name. None: the role is only known by a convention (`npm test`).
    pub(crate) tool: Option<&'static str>,
}

/// The roles that the table has, in its order.
const ROLES: [Role; 5] = [Test, Typecheck, Lint, Format, Compile];

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("tool.toml")));

/// Programs that have one role whatever their arguments, except for mere queries ([`only_asks`]): program,
/// canonical name, role.
static PROGRAMS: LazyLock<Vec<(&str, &str, Role)>> = LazyLock::new(|| {
    let of_role = |role: Role| {
        let programs = TABLE.words(&format!("{}.programs", role.as_str())).map(|name| (name, name));
        let aliases = TABLE.texts(&format!("{}.aliases", role.as_str()));
        programs.chain(aliases).map(move |(program, tool)| (program, tool, role))
    };
    ROLES.into_iter().flat_map(of_role).collect()
});

/// Programs whose first plain argument determines their role; otherwise it is [`Role::Other`]: program,
/// argument (empty: none is given), canonical name, role.
static SUBCOMMANDS: LazyLock<Vec<(&str, &str, &str, Role)>> = LazyLock::new(|| {
    let of_role = |role: Role| {
        let rows = TABLE.texts(&format!("{}.subcommands", role.as_str()));
        rows.map(move |(words, tool)| {
            let (program, subcommand) = words.split_once(' ').unwrap_or((words, ""));
            (program, subcommand, tool, role)
        })
    };
    ROLES.into_iter().flat_map(of_role).collect()
});

/// Common formats of test reports, by reader.
const REPORTS: &[&str] = &["ctrf", "junit", "nunit", "tap", "trx", "xunit"];

/// Common formats of findings, by reader.
pub(super) const FINDING_REPORTS: &[&str] =
    &["azure-annotations", "checkstyle", "github-annotations", "gitlab-codequality", "junit", "pmd", "rdjson", "sarif"];

/// Returns whether a test runner may write output for the reader of another tool.
pub(super) fn writes(runner: &str, reader: &str) -> bool {
    let by = TABLE.row("writers", runner);
    let writes = |readers: &Node| readers.elements().is_empty() || table::words(readers).any(|known| known == reader);
    REPORTS.contains(&reader) || by.is_some_and(writes)
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
    let asking = TABLE.row("asking", tool);
    arguments.iter().any(|argument| {
        let long = argument.starts_with("--").then(|| argument.to_ascii_lowercase());
        let argument = long.as_deref().unwrap_or(argument);
        match argument {
            "--version" | "--help" => true,
            // `javac -h` names a directory, and `ctest -V` is its verbose mode.
            "-h" => tool != "javac",
            "-V" => tool != "ctest",
            other => asking.is_some_and(|options| table::words(options).any(|known| known == other)),
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
