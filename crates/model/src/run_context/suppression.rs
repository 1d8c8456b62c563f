//! Suppressions that a change can add to silence a tool or a test (design, "Lock"; attacks, row 1).

use serde::{Deserialize, Serialize};

document_words! {
    /// Kind of a suppression.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum SuppressionKind {
        /// A comment makes ESLint ignore a rule, a line or a file.
        EslintDisable = "eslint-disable",
        /// A comment makes Biome ignore a rule, a line or a file.
        BiomeIgnore = "biome-ignore",
        /// A comment makes Oxlint ignore a rule, a line or a file.
        OxlintDisable = "oxlint-disable",
        /// A comment makes Prettier ignore code.
        PrettierIgnore = "prettier-ignore",
        /// A comment makes Stylelint ignore a rule, a line or a file.
        StylelintDisable = "stylelint-disable",
        /// TypeScript ignores all errors in the next line.
        TsIgnore = "ts-ignore",
        /// TypeScript expects an error in the next line.
        TsExpectError = "ts-expect-error",
        /// TypeScript ignores the whole file.
        TsNocheck = "ts-nocheck",
        /// A value is cast to the type `any`.
        AsAny = "as-any",
        /// Something is declared with the type `any`.
        AnyType = "any-type",
        /// A source is no longer type-checked: it is JavaScript now, or no configuration includes it.
        TypesLeft = "types-left",
        /// Lines are excluded from coverage.
        CoverageIgnore = "coverage-ignore",
        /// A test is skipped, or only announced.
        SkippedTest = "skipped-test",
        /// A test is focused, so that all others do not run.
        FocusedTest = "focused-test",
        /// A test is expected to fail.
        ExpectedFailure = "expected-failure",
        /// The body of a test is now empty.
        EmptiedTest = "emptied-test",
        /// A test contains fewer assertions than before.
        FewerAssertions = "fewer-assertions",
        /// A Python type checker ignores a line or a file.
        TypeIgnore = "type-ignore",
        /// A Python linter ignores a line or a file.
        Noqa = "noqa",
        /// Pylint ignores a rule.
        PylintDisable = "pylint-disable",
        /// A formatter of Python or Rust ignores lines.
        FormatOff = "format-off",
        /// Bandit ignores a line.
        Nosec = "nosec",
        /// A Rust lint is allowed, or expected.
        AllowAttribute = "allow-attribute",
        /// A Rust item is never compiled.
        NeverCompiled = "never-compiled",
        /// A file or a test is compiled only under a condition.
        BuildCondition = "build-condition",
        /// A linter of Go, C or C++ ignores a line.
        Nolint = "nolint",
        /// An annotation suppresses a warning of Java, Kotlin or C#.
        SuppressWarnings = "suppress-warnings",
        /// Sonar ignores a line.
        Nosonar = "nosonar",
        /// Checkstyle is turned off.
        CheckstyleOff = "checkstyle-off",
        /// A pragma turns off a compiler warning.
        PragmaWarning = "pragma-warning",
        /// A PHP type checker ignores a line.
        PhpstanIgnore = "phpstan-ignore",
        /// A PHP linter ignores lines.
        PhpcsIgnore = "phpcs-ignore",
        /// A comment makes RuboCop ignore a rule.
        RubocopDisable = "rubocop-disable",
        /// A comment makes ShellCheck ignore a rule.
        ShellcheckDisable = "shellcheck-disable",
        /// A comment makes Hadolint ignore a rule.
        HadolintIgnore = "hadolint-ignore",
        /// A comment makes yamllint ignore a rule.
        YamllintDisable = "yamllint-disable",
        /// Production code imports a test library.
        TestImport = "test-import",
        /// Production code checks whether it runs under test.
        TestAwareness = "test-awareness",
        /// An assertion, a runner or the exit of the process is replaced.
        PatchedAssertion = "patched-assertion",
    }
}

impl SuppressionKind {
    /// Returns whether the suppression disables or inverts tests.
    pub fn is_of_tests(self) -> bool {
        matches!(
            self,
            Self::SkippedTest | Self::FocusedTest | Self::ExpectedFailure | Self::EmptiedTest | Self::FewerAssertions
        )
    }

    /// Returns whether the suppression applies to its own line or item, and thus moves together with it.
    pub fn moves_with_its_line(self) -> bool {
        !self.is_of_tests() && !matches!(self, Self::TsNocheck | Self::BuildCondition | Self::NeverCompiled)
    }
}
