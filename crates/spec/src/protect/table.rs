//! Default protection, as data.

use std::collections::BTreeSet;

use referee_model::lock::Newcomers;
use referee_model::run_context::protection::Mode;

/// Kind of project that a default applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ecosystem {
    Any,
    Node,
    Python,
    Rust,
    Go,
    Jvm,
    Dotnet,
    Ruby,
    Php,
}

/// Files that identify the kind of a project: whole names, or suffixes.
const MARKERS: &[(Ecosystem, &[&str], &[&str])] = &[
    (Ecosystem::Node, &["package.json", "deno.json", "bunfig.toml"], &[]),
    (Ecosystem::Python, &["pyproject.toml", "setup.cfg", "Pipfile"], &[".py"]),
    (Ecosystem::Rust, &["Cargo.toml"], &[]),
    (Ecosystem::Go, &["go.mod"], &[]),
    (Ecosystem::Jvm, &["pom.xml", "build.gradle", "build.gradle.kts", "build.sbt"], &[]),
    (Ecosystem::Dotnet, &[], &[".csproj", ".fsproj", ".sln"]),
    (Ecosystem::Ruby, &["Gemfile", "Rakefile"], &[]),
    (Ecosystem::Php, &["composer.json"], &[]),
];

impl Ecosystem {
    /// Determines the kinds of a project from the names of its files.
    pub(super) fn of(files: &BTreeSet<&str>) -> BTreeSet<Self> {
        let name = |path: &&str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let names: BTreeSet<String> = files.iter().map(name).collect();
        let is = |(_, whole, endings): &&(Self, &[&str], &[&str])| {
            whole.iter().any(|name| names.contains(*name))
                || endings.iter().any(|ending| names.iter().any(|name| name.ends_with(ending)))
        };
        MARKERS.iter().filter(is).map(|(ecosystem, ..)| *ecosystem).chain([Self::Any]).collect()
    }
}

/// Files of one kind with the same protection.
pub(super) struct Default {
    pub(super) ecosystem: Ecosystem,
    pub(super) mode: Mode,
    pub(super) newcomers: Newcomers,
    /// Reason, as the end of a sentence that begins with the file.
    pub(super) reason: &'static str,
    pub(super) patterns: &'static [&'static str],
}

const fn frozen(
    ecosystem: Ecosystem,
    newcomers: Newcomers,
    reason: &'static str,
    patterns: &'static [&'static str],
) -> Default {
    Default { ecosystem, mode: Mode::Frozen, newcomers, reason, patterns }
}

const fn additive(ecosystem: Ecosystem, reason: &'static str, patterns: &'static [&'static str]) -> Default {
    Default { ecosystem, mode: Mode::Additive, newcomers: Newcomers::Free, reason, patterns }
}

const fn review(ecosystem: Ecosystem, reason: &'static str, patterns: &'static [&'static str]) -> Default {
    Default { ecosystem, mode: Mode::Review, newcomers: Newcomers::Free, reason, patterns }
}

/// Returns a default for files that a tool loads because they exist. New ones are drift if they govern existing
/// files.
pub(super) const fn governing(
    ecosystem: Ecosystem,
    reason: &'static str,
    patterns: &'static [&'static str],
) -> Default {
    frozen(ecosystem, Newcomers::Governing, reason, patterns)
}

/// Returns the same for files whose edits are ordinary work.
pub(super) const fn governing_review(
    ecosystem: Ecosystem,
    reason: &'static str,
    patterns: &'static [&'static str],
) -> Default {
    Default { ecosystem, mode: Mode::Review, newcomers: Newcomers::Governing, reason, patterns }
}

const HOOKS: &str = "it says what runs when an agent or git does something";
const CI: &str = "it says what is checked elsewhere";
const TESTS: &str = "it holds tests";
const BUILD: &str = "it runs while the project is built";

/// All defaults except those for files that tools load by themselves; of two that match a file the stricter one wins.
pub(super) const DEFAULTS: &[Default] = &[
    frozen(
        Ecosystem::Any,
        Newcomers::Free,
        CI,
        &[
            ".github/workflows/**",
            ".github/actions/**",
            ".gitlab-ci.yml",
            ".gitlab/ci/**",
            ".circleci/**",
            ".buildkite/**",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
            ".travis.yml",
            "Jenkinsfile",
            ".drone.yml",
            ".woodpecker/**",
        ],
    ),
    frozen(
        Ecosystem::Any,
        Newcomers::Refused,
        HOOKS,
        &[
            "**/.claude/settings*.json",
            "**/.claude/hooks/**",
            "**/.codex/**",
            "**/.cursor/hooks.json",
            "**/.cursor/hooks/**",
            "**/.gemini/settings.json",
            "**/.gemini/hooks/**",
            "**/.qwen/settings.json",
            "**/.qwen/hooks/**",
            ".github/hooks/**",
            "**/.opencode/plugin/**",
            "**/.opencode/plugins/**",
            ".husky/*",
            ".githooks/**",
            "lefthook.y*ml",
            ".lefthook.y*ml",
            ".pre-commit-config.yaml",
            ".overcommit.yml",
        ],
    ),
    review(
        Ecosystem::Any,
        BUILD,
        &[
            "**/Makefile",
            "**/makefile",
            "**/GNUmakefile",
            "**/justfile",
            "**/Justfile",
            "**/Taskfile.y*ml",
            "**/CMakeLists.txt",
        ],
    ),
    review(
        Ecosystem::Any,
        "it says what git, and so Referee, passes over",
        &["**/.gitignore", "**/.gitattributes", "**/.gitmodules"],
    ),
    additive(
        Ecosystem::Any,
        TESTS,
        &["**/*.{test,spec}.*", "**/__tests__/**", "tests/**", "test/**", "**/*_{test,spec}.*"],
    ),
    additive(Ecosystem::Any, "it holds what tests compare with", &["**/__snapshots__/**", "**/*.snap"]),
    frozen(
        Ecosystem::Node,
        Newcomers::Free,
        "a configuration may extend it",
        &["**/jest.*.config.*", "**/vitest.*.config.*", "**/tsconfig.*.json"],
    ),
    review(Ecosystem::Python, BUILD, &["**/setup.py"]),
    frozen(
        Ecosystem::Python,
        Newcomers::Refused,
        "python finds plugins and modules by it",
        &["**/*.egg-info/entry_points.txt"],
    ),
    additive(Ecosystem::Python, TESTS, &["**/test_*.py", "**/tests/**/*.py"]),
    additive(Ecosystem::Rust, TESTS, &["**/tests/**"]),
    review(Ecosystem::Jvm, BUILD, &["**/pom.xml", "**/build.gradle", "**/build.gradle.kts", "**/build.sbt"]),
    additive(Ecosystem::Jvm, TESTS, &["**/src/test/**"]),
    review(Ecosystem::Dotnet, BUILD, &["**/*.props", "**/*.targets"]),
    additive(Ecosystem::Dotnet, TESTS, &["**/*Tests.cs", "**/*Test.cs"]),
    review(Ecosystem::Ruby, BUILD, &["**/Rakefile"]),
    additive(Ecosystem::Ruby, TESTS, &["spec/**"]),
    additive(Ecosystem::Php, TESTS, &["**/*Test.php"]),
];
