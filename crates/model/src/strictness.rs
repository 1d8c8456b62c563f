//! Which findings of a type checker its strictness alone raises: what `strictMode` and `allowImplicitAny` of a policy are
//! about (seed 1, "Configuration location"; contract of `TypeCheckToolPolicy`).
//!
//! The options are told from findings, never from a checker's own configuration: a finding whose code stands in the list
//! of its tool is one that the checker leaves out when its own option of that name is off. Codes that it raises without
//! the option as well, such as `TS2322` and mypy's `misc` or `type-arg`, stand in no list: they may be real errors, and so
//! may syntax errors and whatever has no code.
//!
//! | tools                    | implicit any                                        | strictness beside it                 |
//! |--------------------------|-----------------------------------------------------|--------------------------------------|
//! | `tsc`, `deno`            | `noImplicitAny`                                     | `strictNullChecks`, `noImplicitThis`, `strictPropertyInitialization`, `useUnknownInCatchVariables` |
//! | `svelte-check`           | the same, the number alone                          | the same                             |
//! | `mypy`                   | `--disallow-untyped-*`, `--disallow-any-unimported`, `--warn-return-any` | `--warn-redundant-casts`, `--warn-unused-ignores`, `--strict-equality` |
//! | `pyright`                | `reportUnknown*`, `reportUntyped*`, `reportMissingParameterType`, `reportMissingTypeArgument` | the rules that `standard` leaves out and `strict` raises |
//!
//! Sources: the checker of TypeScript 5.9 (which option guards which message; `null` and `undefined` as they stand may
//! raise TS2531 and TS2721 to TS2723 without strictness, too), mypy's `errorcodes.py` and `main.py` (which flags are part
//! of `--strict`, and which code each raises), and the table of defaults in pyright's configuration document.

/// The findings of one type checker that strictness alone raises, as the codes that its reader gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strictness {
    /// What `allowImplicitAny: true` takes away; `strictMode: false` takes it away as well.
    implicit_any: &'static [&'static str],
    /// What `strictMode: false` takes away beside it.
    strict: &'static [&'static str],
}

/// Tools whose strictness is known, by their canonical names.
const TOOLS: &[(&str, Strictness)] =
    &[("tsc", TYPESCRIPT), ("deno", TYPESCRIPT), ("svelte-check", TYPESCRIPT), ("mypy", MYPY), ("pyright", PYRIGHT)];

/// Returns the names of the tools whose strictness is known.
pub fn tools() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(tool, _)| *tool)
}

/// Returns what strictness raises of a tool, by its canonical name. None: nothing is known of it.
pub fn of(tool: &str) -> Option<Strictness> {
    TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, strictness)| *strictness)
}

impl Strictness {
    /// Whether a code is raised only where an implicit `any` is not allowed.
    pub fn is_implicit_any(self, code: &str) -> bool {
        holds(self.implicit_any, code)
    }

    /// Whether a code is raised only in strict mode; whatever an implicit `any` raises is.
    pub fn is_strict_only(self, code: &str) -> bool {
        holds(self.strict, code) || self.is_implicit_any(code)
    }
}

/// Codes of TypeScript stand in the lists as numbers: svelte-check gives them without `TS`.
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
            // Raised without strictness as well: a mismatch of types, a value that is no object, a switch that falls
            // through, and what cannot be parsed.
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
