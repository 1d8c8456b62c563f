//! Findings that a type checker raises only in strict mode: the subject of `strictMode` and `allowImplicitAny` of
//! a policy (seed 1, "Configuration location"; contract of `TypeCheckToolPolicy`).
//!
//! Strictness is recognized by the codes of findings, never by a checker's own configuration: a code in the list
//! of its tool is one that the checker does not raise when its own option of that name is off. Codes that are
//! also raised without the option, such as `TS2322` and mypy's `misc` or `type-arg`, are in no list: they may be
//! real errors, as may syntax errors and findings without a code.
//!
//! | tools                    | implicit any                                        | other strictness options             |
//! |--------------------------|-----------------------------------------------------|--------------------------------------|
//! | `tsc`, `deno`            | `noImplicitAny`                                     | `strictNullChecks`, `noImplicitThis`, `strictPropertyInitialization`, `useUnknownInCatchVariables` |
//! | `svelte-check`           | the same, as the number only                        | the same                             |
//! | `mypy`                   | `--disallow-untyped-*`, `--disallow-any-unimported`, `--warn-return-any` | `--warn-redundant-casts`, `--warn-unused-ignores`, `--strict-equality` |
//! | `pyright`                | `reportUnknown*`, `reportUntyped*`, `reportMissingParameterType`, `reportMissingTypeArgument` | the rules that `strict` enables and `standard` does not |
//!
//! Sources: the checker of TypeScript 5.9 (which option guards which message; literal `null` and `undefined` may
//! also raise TS2531 and TS2721 to TS2723 without strictness), mypy's `errorcodes.py` and `main.py` (which flags
//! are part of `--strict`, and the code that each raises), and the table of defaults in pyright's configuration
//! document.

/// Codes that one type checker raises only in strict mode, as its reader reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strictness {
    /// Codes removed by `allowImplicitAny: true`, and by `strictMode: false` as well.
    implicit_any: &'static [&'static str],
    /// Additional codes removed by `strictMode: false`.
    strict: &'static [&'static str],
}

/// Tools with known strictness, by canonical name.
const TOOLS: &[(&str, Strictness)] =
    &[("tsc", TYPESCRIPT), ("deno", TYPESCRIPT), ("svelte-check", TYPESCRIPT), ("mypy", MYPY), ("pyright", PYRIGHT)];

/// Returns the names of the tools with known strictness.
pub fn tools() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(tool, _)| *tool)
}

/// Returns the strictness of a tool, by its canonical name. None: not known.
pub fn of(tool: &str) -> Option<Strictness> {
    TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, strictness)| *strictness)
}

impl Strictness {
    /// Returns whether a code is raised only where implicit `any` is not allowed.
    pub fn is_implicit_any(self, code: &str) -> bool {
        holds(self.implicit_any, code)
    }

    /// Returns whether a code is raised only in strict mode, which includes those raised for implicit `any`.
    pub fn is_strict_only(self, code: &str) -> bool {
        holds(self.strict, code) || self.is_implicit_any(code)
    }
}

/// TypeScript codes are listed as numbers, since svelte-check reports them without `TS`.
fn holds(codes: &[&str], code: &str) -> bool {
    codes.contains(&code.strip_prefix("TS").unwrap_or(code))
}

const TYPESCRIPT: Strictness = Strictness {
    implicit_any: &[
        "2602", "7005", "7006", "7008", "7009", "7010", "7011", "7012", "7013", "7014", "7015", "7016", "7017", "7018",
        "7019", "7020", "7022", "7023", "7024", "7025", "7026", "7031", "7032", "7033", "7034", "7039", "7051", "7052",
        "7053", "7055", "7057",
    ],
    strict: &[
        // strictNullChecks
        "2454", "2531", "2532", "2533", "2721", "2722", "2723", "2774", "2783", "2790", "2801", "18047", "18048",
        "18049", // strictPropertyInitialization
        "2564",  // noImplicitThis
        "2683", "7041", // strictNullChecks and useUnknownInCatchVariables
        "2571", "18046",
    ],
};

const MYPY: Strictness = Strictness {
    implicit_any: &["no-untyped-def", "no-untyped-call", "untyped-decorator", "no-any-return", "no-any-unimported"],
    strict: &["redundant-cast", "unused-ignore", "comparison-overlap"],
};

const PYRIGHT: Strictness = Strictness {
    implicit_any: &[
        "reportMissingParameterType",
        "reportMissingTypeArgument",
        "reportUnknownArgumentType",
        "reportUnknownLambdaType",
        "reportUnknownMemberType",
        "reportUnknownParameterType",
        "reportUnknownVariableType",
        "reportUntypedBaseClass",
        "reportUntypedClassDecorator",
        "reportUntypedFunctionDecorator",
        "reportUntypedNamedTuple",
    ],
    strict: &[
        "reportConstantRedefinition",
        "reportDeprecated",
        "reportDuplicateImport",
        "reportIncompleteStub",
        "reportInconsistentConstructor",
        "reportInvalidStubStatement",
        "reportMatchNotExhaustive",
        "reportMissingTypeStubs",
        "reportPrivateUsage",
        "reportTypeCommentUsage",
        "reportUnnecessaryCast",
        "reportUnnecessaryComparison",
        "reportUnnecessaryContains",
        "reportUnnecessaryIsInstance",
        "reportUnusedClass",
        "reportUnusedFunction",
        "reportUnusedImport",
        "reportUnusedVariable",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_holds_what_its_option_raises_and_nothing_that_is_raised_without_it() {
        for (tool, code, implicit_any, strict) in [
            ("tsc", "TS7006", true, true),
            ("tsc", "TS7053", true, true),
            ("tsc", "TS7016", true, true),
            ("tsc", "TS2531", false, true),
            ("tsc", "TS2564", false, true),
            ("tsc", "TS2683", false, true),
            ("tsc", "TS7041", false, true),
            ("tsc", "TS18046", false, true),
            ("tsc", "TS18048", false, true),
            // Also raised without strictness: a type mismatch, a value that is not an object, a switch that falls
            // through, and a syntax error.
            ("tsc", "TS2322", false, false),
            ("tsc", "TS2345", false, false),
            ("tsc", "TS18050", false, false),
            ("tsc", "TS7029", false, false),
            ("tsc", "TS1005", false, false),
            ("tsc", "", false, false),
            ("tsc", "TS", false, false),
            ("deno", "TS7006", true, true),
            ("svelte-check", "7006", true, true),
            ("mypy", "no-untyped-def", true, true),
            ("mypy", "unused-ignore", false, true),
            ("mypy", "type-arg", false, false),
            ("mypy", "misc", false, false),
            ("mypy", "syntax", false, false),
            ("pyright", "reportUnknownMemberType", true, true),
            ("pyright", "reportUnusedImport", false, true),
            ("pyright", "reportGeneralTypeIssues", false, false),
            ("pyright", "reportPossiblyUnbound", false, false),
        ] {
            let strictness = of(tool).unwrap();
            assert_eq!(
                (strictness.is_implicit_any(code), strictness.is_strict_only(code)),
                (implicit_any, strict),
                "{tool} {code}"
            );
        }
    }

    #[test]
    fn nothing_is_known_of_other_tools() {
        for tool in ["eslint", "flow", "typescript", "TSC", "", "rustc"] {
            assert_eq!(of(tool), None, "{tool}");
        }
        assert!(tools().all(|tool| of(tool).is_some()));
    }

    #[test]
    fn no_code_stands_in_two_lists() {
        for (tool, strictness) in TOOLS {
            let all: Vec<_> = strictness.implicit_any.iter().chain(strictness.strict).collect();
            let distinct: std::collections::BTreeSet<_> = all.iter().collect();
            assert_eq!(all.len(), distinct.len(), "{tool}");
        }
    }
}
