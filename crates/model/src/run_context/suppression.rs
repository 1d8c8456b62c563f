//! Ways to silence a tool or a test that a change can add (design, "Lock"; attacks, row 1).

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal,)*) => {
        /// What a suppression is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum SuppressionKind {
            $($(#[doc = $doc])* #[serde(rename = $word)] $name,)*
        }

        impl SuppressionKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the kind as documents spell it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

kinds! {
    /// ESLint is told to pass over a rule, a line or a file.
    EslintDisable = "eslint-disable",
    /// Biome is.
    BiomeIgnore = "biome-ignore",
    /// Oxlint is.
    OxlintDisable = "oxlint-disable",
    /// Prettier is.
    PrettierIgnore = "prettier-ignore",
    /// Stylelint is.
    StylelintDisable = "stylelint-disable",
    /// TypeScript passes over the next line, whatever is wrong with it.
    TsIgnore = "ts-ignore",
    /// TypeScript expects the next line to be wrong.
    TsExpectError = "ts-expect-error",
    /// TypeScript passes over the file.
    TsNocheck = "ts-nocheck",
    /// A value is given the type `any`.
    AsAny = "as-any",
    /// Something is declared with the type `any`.
    AnyType = "any-type",
    /// A source is out of the type checker's reach: in JavaScript now, or where no configuration includes it.
    TypesLeft = "types-left",
    /// Lines are left out of the coverage.
    CoverageIgnore = "coverage-ignore",
    /// A test is skipped, or only announced.
    SkippedTest = "skipped-test",
    /// A test is run alone, so that all others are not.
    FocusedTest = "focused-test",
    /// A test is expected to fail.
    ExpectedFailure = "expected-failure",
    /// Nothing is left in the body of a test.
    EmptiedTest = "emptied-test",
    /// A test asserts less often than it did.
    FewerAssertions = "fewer-assertions",
    /// A type checker of Python passes over a line or a file.
    TypeIgnore = "type-ignore",
    /// A linter of Python passes over a line or a file.
    Noqa = "noqa",
    /// Pylint passes over a rule.
    PylintDisable = "pylint-disable",
    /// A formatter of Python or Rust passes over lines.
    FormatOff = "format-off",
    /// Bandit passes over a line.
    Nosec = "nosec",
    /// A lint of Rust is allowed, or expected.
    AllowAttribute = "allow-attribute",
    /// An item of Rust is never compiled.
    NeverCompiled = "never-compiled",
    /// A file or a test is compiled under a condition only.
    BuildCondition = "build-condition",
    /// A linter of Go, C or C++ passes over a line.
    Nolint = "nolint",
    /// A warning of Java, Kotlin or C# is suppressed by an annotation.
    SuppressWarnings = "suppress-warnings",
    /// Sonar passes over a line.
    Nosonar = "nosonar",
    /// Checkstyle is turned off.
    CheckstyleOff = "checkstyle-off",
    /// A warning of a compiler is turned off by a pragma.
    PragmaWarning = "pragma-warning",
    /// A type checker of PHP passes over a line.
    PhpstanIgnore = "phpstan-ignore",
    /// A linter of PHP passes over lines.
    PhpcsIgnore = "phpcs-ignore",
    /// RuboCop is told to pass over a rule.
    RubocopDisable = "rubocop-disable",
    /// ShellCheck is.
    ShellcheckDisable = "shellcheck-disable",
    /// Hadolint is.
    HadolintIgnore = "hadolint-ignore",
    /// yamllint is.
    YamllintDisable = "yamllint-disable",
    /// Production code imports a test library.
    TestImport = "test-import",
    /// Production code asks whether it is under test.
    TestAwareness = "test-awareness",
    /// An assertion, a runner or the end of the process is replaced by another one.
    PatchedAssertion = "patched-assertion",
}

impl SuppressionKind {
    /// Whether it switches tests off, or turns them round.
    pub fn is_of_tests(self) -> bool {
        matches!(
            self,
            Self::SkippedTest | Self::FocusedTest | Self::ExpectedFailure | Self::EmptiedTest | Self::FewerAssertions
        )
    }

    /// Whether it is about the line or item that it stands at, and goes where that goes.
    pub fn moves_with_its_line(self) -> bool {
        !self.is_of_tests() && !matches!(self, Self::TsNocheck | Self::BuildCondition | Self::NeverCompiled)
    }
}
