//! Files that tools load because they exist, as data: one row per source in a tool's documentation, which a
//! comment names.
//!
//! The part of a pattern that matches `**/` at its beginning is the directory that the file governs: a new file
//! is drift if the baseline has files there. Files that tools load only because something names them are not
//! listed here.

mod languages;
mod node;

use super::table::{Default, Ecosystem, governing};

use Ecosystem::Any;

const AUTOLOADED: &str = "it is loaded by its mere presence";
const RUNNER: &str = "it says which tests run, and how";
const LINTER: &str = "it says what a checker finds";
const BUILD: &str = "it runs while the project is built";
const VERSION: &str = "it says which version of a tool runs";

/// All defaults; of two that match a file the stricter one wins.
pub(super) const LOADED: [&[Default]; 3] = [COMMON, node::LOADED, languages::LOADED];

/// Defaults for tools that every kind of project may use.
const COMMON: &[Default] = &[
    // dotenv, vite and next: "Env files"; direnv: "envrc"; flask: "dotenv"
    governing(
        Any,
        AUTOLOADED,
        &["**/.env", "**/.env.{local,test,ci,development,production}*", "**/.envrc", "**/.flaskenv"],
    ),
    // mise: "Configuration"; asdf: "Versions"; nvm, fnm, pyenv, rbenv, jenv, sdkman, bazelisk: their version files
    governing(
        Any,
        VERSION,
        &[
            "**/.tool-versions",
            "**/{mise,.mise}.{toml,local.toml}",
            "**/.config/mise.toml",
            "**/.{node,python,ruby,java,go,bazel}-version",
            "**/.nvmrc",
            "**/.sdkmanrc",
        ],
    ),
    // Checkers of text, data and deployments: the page "Configuration" of each.
    governing(
        Any,
        LINTER,
        &[
            "**/.editorconfig",
            "**/sonar-project.properties",
            "**/{.shellcheckrc,shellcheckrc}",
            "**/.yamllint*",
            "**/.hadolint.y*ml",
            "**/.markdownlint*",
            "**/.semgrep.y*ml",
            "**/.semgrepignore",
            "**/.semgrep/**",
            "**/.typos.toml",
            "**/_typos.toml",
            "**/typos.toml",
            "**/.codespellrc",
            "**/{cspell,.cspell}.{json,jsonc,yaml,yml,config.*}",
            "**/cspell.config.*",
            "**/.vale.ini",
            "**/{.gitleaks.toml,.gitleaksignore}",
            "**/{trivy.yaml,.trivyignore*}",
            "**/{.sqlfluff,.sqlfluffignore}",
            "**/.tflint.hcl",
            "**/.checkov.y*ml",
            "**/{.ansible-lint*,.config/ansible-lint.yml}",
            "**/.cfnlintrc*",
            "**/.protolint.y*ml",
            "**/.spectral.*",
            "**/buf.y*ml",
            ".github/actionlint.y*ml",
            "**/.lycheeignore",
            "**/lychee.toml",
        ],
    ),
    // clang-tidy, clang-format; cmake-presets(7); ctest(1), "CTestCustom"; bazel: "bazelrc"; bats: "setup_suite"; gcovr: "Configuration"
    governing(
        Any,
        RUNNER,
        &[
            "**/{.clang-tidy,.clang-format,.clang-format-ignore}",
            "**/{CMakePresets,CMakeUserPresets}.json",
            "**/{CTestCustom,CTestConfig}.cmake",
            "**/{.bazelrc,user.bazelrc,.bazelignore}",
            "**/setup_suite.bash",
            "**/{gcovr.cfg,.lcovrc}",
        ],
    ),
    // luacheck, busted; perlcritic, prove; credo, mix format; dart; swiftlint; hlint, cabal; foundry, solhint; terraform: "Override Files"
    governing(
        Any,
        LINTER,
        &[
            "**/{.luacheckrc,.busted}",
            "**/{.perlcriticrc,.proverc,.perltidyrc}",
            "**/{.credo.exs,.formatter.exs,test/test_helper.exs}",
            "**/{analysis_options.yaml,dart_test.yaml,pubspec_overrides.yaml}",
            "**/.swiftlint.y*ml",
            "**/Package@swift-*.swift",
            "**/{.hlint.yaml,cabal.project.local,.ghci}",
            "**/{foundry.toml,.solhint.json,.solhintignore}",
            "**/{override.tf,*_override.tf,*.auto.tfvars}",
        ],
    ),
];
