//! What is protected by default, as data.

use std::collections::BTreeSet;

use referee_model::circumstances::protection::Mode;
use referee_model::lock::Newcomers;

/// What kind of project a default is for.
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

/// Files that tell what kind of project it is: whole names, or how names end.
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
    /// Tells the kinds of a project from the names of its files.
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

/// Files of one kind that are protected alike.
pub(super) struct Default {
    pub(super) ecosystem: Ecosystem,
    pub(super) mode: Mode,
    pub(super) newcomers: Newcomers,
    /// Why, as the end of a sentence that begins with the file.
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

const AUTOLOADED: &str = "it is loaded by its mere presence";
const RUNNER: &str = "it says which tests run, and how";
const LINTER: &str = "it says what a checker finds";
const HOOKS: &str = "it says what runs when an agent or git does something";
const CI: &str = "it says what is checked elsewhere";
const TESTS: &str = "it holds tests";
const BUILD: &str = "it runs while the project is built";

/// All defaults; of two that name a file the stricter one holds.
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
    frozen(
        Ecosystem::Any,
        Newcomers::Refused,
        AUTOLOADED,
        &["**/.env", "**/.env.{local,test,ci,development,production}*", "**/.envrc"],
    ),
    frozen(
        Ecosystem::Any,
        Newcomers::Refused,
        LINTER,
        &[
            "**/.editorconfig",
            "**/sonar-project.properties",
            "**/.shellcheckrc",
            "**/.yamllint*",
            "**/.hadolint.y*ml",
            "**/.markdownlint*",
            "**/.semgrep.y*ml",
            "**/.typos.toml",
            "**/_typos.toml",
            "**/typos.toml",
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
    review(Ecosystem::Any, "it says what git, and so Referee, passes over", &["**/.gitignore", "**/.gitattributes"]),
    additive(
        Ecosystem::Any,
        TESTS,
        &["**/*.{test,spec}.*", "**/__tests__/**", "tests/**", "test/**", "**/*_{test,spec}.*"],
    ),
    additive(Ecosystem::Any, "it holds what tests compare with", &["**/__snapshots__/**", "**/*.snap"]),
    // Node
    frozen(
        Ecosystem::Node,
        Newcomers::Refused,
        RUNNER,
        &[
            "**/jest.config.*",
            "**/jest.*.config.*",
            "**/vitest.config.*",
            "**/vitest.workspace.*",
            "**/vite.config.*",
            "**/playwright.config.*",
            "**/cypress.config.*",
            "**/cypress.json",
            "**/karma.conf.*",
            "**/ava.config.*",
            "**/wdio.conf.*",
            "**/.nycrc*",
            "**/.c8rc*",
        ],
    ),
    frozen(
        Ecosystem::Node,
        Newcomers::Refused,
        AUTOLOADED,
        &[
            "**/jest.setup.*",
            "**/jest-setup.*",
            "**/vitest.setup.*",
            "**/setupTests.*",
            "**/.npmrc",
            "**/.yarnrc*",
            "**/.pnpmfile.cjs",
            "**/pnpm-workspace.yaml",
            "**/bunfig.toml",
            "**/.mocharc*",
            "**/babel.config.*",
            "**/.babelrc*",
            "**/.swcrc",
        ],
    ),
    frozen(
        Ecosystem::Node,
        Newcomers::Refused,
        LINTER,
        &[
            "**/tsconfig.json",
            "**/tsconfig.*.json",
            "**/jsconfig.json",
            "**/eslint.config.*",
            "**/.eslintrc*",
            "**/.eslintignore",
            "**/biome.json*",
            "**/.prettierrc*",
            "**/prettier.config.*",
            "**/.prettierignore",
            "**/oxlint.json",
            "**/.oxlintrc.json",
            "**/stylelint.config.*",
            "**/.stylelintrc*",
            "**/.stylelintignore",
            "**/.xo-config*",
        ],
    ),
    // Python
    frozen(
        Ecosystem::Python,
        Newcomers::Never,
        AUTOLOADED,
        &["**/conftest.py", "**/sitecustomize.py", "**/usercustomize.py", "**/*.pth"],
    ),
    frozen(
        Ecosystem::Python,
        Newcomers::Refused,
        RUNNER,
        &["**/pytest.ini", "**/.pytest.ini", "**/tox.ini", "**/noxfile.py", "**/.coveragerc"],
    ),
    frozen(
        Ecosystem::Python,
        Newcomers::Refused,
        LINTER,
        &[
            "**/setup.cfg",
            "**/mypy.ini",
            "**/.mypy.ini",
            "**/ruff.toml",
            "**/.ruff.toml",
            "**/.flake8",
            "**/.pylintrc",
            "**/pylintrc",
            "**/pyrightconfig.json",
            "**/.bandit",
        ],
    ),
    review(
        Ecosystem::Python,
        "it configures tools beside what it says of the project",
        &["**/pyproject.toml", "**/setup.py"],
    ),
    additive(Ecosystem::Python, TESTS, &["**/test_*.py", "**/tests/**/*.py"]),
    // Rust
    frozen(
        Ecosystem::Rust,
        Newcomers::Never,
        AUTOLOADED,
        &["**/.cargo/config", "**/.cargo/config.toml", "**/rust-toolchain", "**/rust-toolchain.toml"],
    ),
    frozen(
        Ecosystem::Rust,
        Newcomers::Refused,
        LINTER,
        &["**/clippy.toml", "**/.clippy.toml", "**/rustfmt.toml", "**/.rustfmt.toml", "**/deny.toml"],
    ),
    frozen(Ecosystem::Rust, Newcomers::Refused, RUNNER, &["**/.config/nextest.toml"]),
    review(Ecosystem::Rust, BUILD, &["**/build.rs"]),
    additive(Ecosystem::Rust, TESTS, &["**/tests/**"]),
    // Go
    frozen(Ecosystem::Go, Newcomers::Refused, LINTER, &["**/.golangci.*"]),
    // Java and its kin
    review(
        Ecosystem::Jvm,
        BUILD,
        &[
            "**/pom.xml",
            "**/build.gradle",
            "**/build.gradle.kts",
            "**/settings.gradle*",
            "**/gradle.properties",
            "**/build.sbt",
            "**/.mvn/**",
        ],
    ),
    frozen(
        Ecosystem::Jvm,
        Newcomers::Refused,
        LINTER,
        &["**/checkstyle*.xml", "**/pmd*.xml", "**/spotbugs*.xml", "**/detekt.y*ml"],
    ),
    additive(Ecosystem::Jvm, TESTS, &["**/src/test/**"]),
    // .NET
    review(Ecosystem::Dotnet, BUILD, &["**/Directory.Build.*", "**/*.props", "**/*.targets"]),
    frozen(Ecosystem::Dotnet, Newcomers::Refused, RUNNER, &["**/*.runsettings", "**/xunit.runner.json"]),
    additive(Ecosystem::Dotnet, TESTS, &["**/*Tests.cs", "**/*Test.cs"]),
    // Ruby
    frozen(
        Ecosystem::Ruby,
        Newcomers::Refused,
        RUNNER,
        &["**/.rspec", "**/spec_helper.rb", "**/rails_helper.rb", "**/test_helper.rb"],
    ),
    frozen(Ecosystem::Ruby, Newcomers::Refused, LINTER, &["**/.rubocop*.yml"]),
    review(Ecosystem::Ruby, BUILD, &["**/Rakefile"]),
    additive(Ecosystem::Ruby, TESTS, &["spec/**"]),
    // PHP
    frozen(Ecosystem::Php, Newcomers::Refused, RUNNER, &["**/phpunit.xml*"]),
    frozen(
        Ecosystem::Php,
        Newcomers::Refused,
        LINTER,
        &["**/phpstan*.neon*", "**/psalm.xml*", "**/phpcs.xml*", "**/.php-cs-fixer*"],
    ),
    additive(Ecosystem::Php, TESTS, &["**/*Test.php"]),
];
