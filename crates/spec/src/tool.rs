//! Names of common tools.

/// Names for which similar ones are reported as misspelled. Any other name is accepted.
pub(crate) const COMMON: [&str; 16] = [
    "eslint",
    "typescript",
    "prettier",
    "jest",
    "vitest",
    "mocha",
    "biome",
    "stylelint",
    "oxlint",
    "pytest",
    "pylint",
    "flake8",
    "ruff",
    "mypy",
    "clippy",
    "cargo",
];

/// Names that are too short or ambiguous to be suggested for a misspelled one.
const OTHERS: [&str; 24] = [
    "tsc",
    "tsgo",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "node",
    "go",
    "gofmt",
    "vet",
    "make",
    "gcc",
    "clang",
    "rustc",
    "rustfmt",
    "black",
    "pyright",
    "javac",
    "dotnet",
    "playwright",
    "cypress",
    "ava",
];

/// Returns whether a name is that of a well-known tool.
pub(crate) fn is_known(name: &str) -> bool {
    COMMON.iter().chain(&OTHERS).any(|known| known.eq_ignore_ascii_case(name))
}
