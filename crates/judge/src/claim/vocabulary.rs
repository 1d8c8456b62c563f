//! The words that claims are made of, in English. All of them are in lower case, without hyphens and apostrophes.

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Tests,
    Types,
    Build,
    Lint,
    Format,
    Everything,
}

/// Returns what a noun is about that can be a subject by itself. The second value is whether it names one tool.
pub(super) fn head(word: &str) -> Option<(Topic, bool)> {
    Some(match word {
        "tests" | "specs" | "testsuite" => (Topic::Tests, false),
        "pytest" | "jest" | "vitest" | "mocha" | "rspec" | "phpunit" | "nextest" | "playwright" | "cypress" => {
            (Topic::Tests, true)
        }
        "types" | "typecheck" | "typechecks" | "typechecking" | "typechecker" => (Topic::Types, false),
        "tsc" | "mypy" | "pyright" | "typescript" => (Topic::Types, true),
        "build" | "builds" | "compilation" => (Topic::Build, false),
        "lint" | "linter" | "linters" | "linting" => (Topic::Lint, false),
        "eslint" | "clippy" | "ruff" | "flake8" | "pylint" | "rubocop" | "golangcilint" | "oxlint" | "stylelint"
        | "biome" => (Topic::Lint, true),
        "formatting" | "formatter" | "format" | "fmt" => (Topic::Format, false),
        "prettier" | "rustfmt" | "gofmt" => (Topic::Format, true),
        "everything" | "checks" | "gates" => (Topic::Everything, false),
        _ => return None,
    })
}

/// Whether a word is one of several, which are written with spaces between them.
fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|other| other == word)
}

/// What a word is about before a noun such as "check" or "suite", or after a program such as "npm".
pub(super) fn stem(word: &str) -> Option<Topic> {
    match word {
        "test" => Some(Topic::Tests),
        "type" => Some(Topic::Types),
        "compile" | "compiler" => Some(Topic::Build),
        _ => None,
    }
}

/// What an adjective of "no … errors" is about.
pub(super) fn of_error(word: &str) -> Option<Topic> {
    match word {
        "type" | "types" | "typescript" | "tsc" | "mypy" | "pyright" => Some(Topic::Types),
        "lint" | "linter" | "linting" | "eslint" | "clippy" | "ruff" => Some(Topic::Lint),
        "format" | "formatting" => Some(Topic::Format),
        "test" | "tests" => Some(Topic::Tests),
        "build" | "compile" | "compiler" | "compilation" => Some(Topic::Build),
        _ => None,
    }
}

/// What runs tests, builds and the like: `npm test`.
pub(super) fn is_program(word: &str) -> bool {
    is_among("npm pnpm yarn bun npx cargo go make gradle mvn dotnet poetry uv run", word)
}

/// Whether a program runs tests, builds and the like of one ecosystem by itself, whatever a project says of it.
pub(super) fn is_own_program(word: &str) -> bool {
    is_among("cargo go gradle mvn dotnet", word)
}

/// Whether a flag of a command leaves nothing out.
pub(super) fn is_harmless_flag(flag: &str) -> bool {
    is_among(
        "-- -D --noEmit --workspace --all --all-targets --all-features --locked --ci --run --silent --coverage --check \
         --max-warnings=0 --verbose -v -race --passWithNoTests --no-fail-fast",
        flag,
    )
}

/// Nouns behind the word that says what it is about: "test suite", "type check".
pub(super) fn is_noun(word: &str) -> bool {
    is_among("suite suites check checks checking checker run result results status step", word)
}

/// What makes a subject a whole one.
pub(super) fn is_determiner(word: &str) -> bool {
    is_among("all the of our every entire full whole complete project projects", word)
}

/// What makes a subject a part of the whole, by a name that a check may have.
pub(super) fn is_qualifier(word: &str) -> bool {
    is_among(
        "\
         unit integration e2e endtoend acceptance smoke functional frontend backend ui api python rust \
         javascript typescript go",
        word,
    )
}

/// What may stand between a subject and what is said of it.
pub(super) fn is_auxiliary(word: &str) -> bool {
    is_among(
        "\
         is are was has have been now all again still also both currently successfully cleanly fully \
         completely finished finishes completed completes reports reported shows with returns returned came \
         comes back gives found finds status result 100%",
        word,
    )
}

/// What is said of a subject that came out well.
pub(super) fn is_passing(word: &str) -> bool {
    is_among("pass passes passed passing green clean succeed succeeds succeeded successful ok okay", word)
}

/// What may follow it: what takes an object ("passes the options on") is no claim.
pub(super) fn may_follow(word: &str) -> bool {
    is_among("now again locally successfully cleanly and too here afterwards there fine", word)
}

/// What may stand before a subject, so that the subject is the whole of one.
pub(super) fn may_precede(word: &str) -> bool {
    is_among("and now so yes also confirmed verified finally additionally both plus", word)
}

/// What is said of whatever makes an artifact of the project: "the project compiles".
pub(super) fn verb(word: &str) -> Option<Topic> {
    match word {
        "compiles" | "builds" | "compiled" | "built" => Some(Topic::Build),
        "typechecks" => Some(Topic::Types),
        "lints" => Some(Topic::Lint),
        _ => None,
    }
}

/// What compiles and works.
pub(super) fn is_project(word: &str) -> bool {
    is_among("project code app application codebase crate workspace program everything", word)
}

/// The whole of what was asked for.
pub(super) fn is_work(word: &str) -> bool {
    is_among(
        "\
         task tasks work implementation feature features fix bug issue problem job change changes everything \
         it this refactor refactoring migration request ticket story requirements status",
        word,
    )
}

/// That it is done.
pub(super) fn is_done(word: &str) -> bool {
    ["done", "complete", "completed", "finished", "implemented", "fixed", "resolved"].contains(&word)
}

/// What somebody did who is done.
pub(super) fn is_deed(word: &str) -> bool {
    ["completed", "finished", "implemented", "fixed", "resolved"].contains(&word)
}

/// What may follow the work that is said to be done: whatever does not make something smaller of it, as "issue template".
pub(super) fn may_follow_work(word: &str) -> bool {
    is_among("that where which by in as with for from described requested using so to", word)
}

/// What makes a whole sentence something else than a claim: it is denied, hoped, asked for, planned, or was so once; or it
/// tells what somebody else says.
pub(super) fn is_hedge(word: &str) -> bool {
    is_denial(word)
        || is_failure(word)
        || is_reservation(word)
        || is_condition(word)
        || is_partial(word)
        || is_report(word)
        || is_past(word)
}

/// That something is not so.
pub(super) fn is_denial(word: &str) -> bool {
    is_among(
        "\
         not no never neither nor none nothing cannot cant couldnt unable dont doesnt didnt isnt arent wasnt \
         werent hasnt havent wont wouldnt shouldnt mustnt without zero untested unverified skipped skipping \
         disabled impossible yet hardly barely",
        word,
    )
}

/// That something failed.
pub(super) fn is_failure(word: &str) -> bool {
    is_among(
        "\
         fail fails failed failing failure failures broken breaks broke red error errors crash crashes \
         crashed flaky incomplete unfinished remaining remains remain pending blocked wip unresolved",
        word,
    )
}

/// What says that something is left, whatever came out well.
pub(super) fn is_reservation(word: &str) -> bool {
    is_among(
        "\
         violation violations violates complain complains complained complaint complaints nonzero excluded \
         unknown caveat caveats limitation limitations warning warnings flags flagged unhappy dislikes",
        word,
    )
}

/// What is only wished, planned, supposed or demanded.
pub(super) fn is_condition(word: &str) -> bool {
    is_among(
        "\
         if unless once when whenever until till before after while whether should would could might may must \
         will shall ill well itll theyll going plan planned plans todo next need needs needed want wants \
         wanted expect expects expected hope hopefully assume assumes assuming likely probably presumably \
         seem seems appear appears maybe perhaps possibly think believe guess suppose supposed ensure ensures \
         ensuring make makes making get gets getting let lets please verify confirm try trying require \
         required requires goal target criteria criterion keep keeps see provided run rerun wait waiting aim \
         requirement able can be",
        word,
    )
}

/// What leaves something out.
pub(super) fn is_partial(word: &str) -> bool {
    is_among(
        "\
         except excluding besides apart most mostly some many several few half majority largely nearly almost \
         partially partly partial only however halfway somewhat",
        word,
    )
}

/// What others say, and what is about other trees.
pub(super) fn is_report(word: &str) -> bool {
    is_among(
        "\
         you your youre user users reviewer said says say told tells wrote asked claim claims claimed example \
         eg main master upstream stash stashed documentation readme comment message prints logs",
        word,
    )
}

/// What was so once.
pub(super) fn is_past(word: &str) -> bool {
    ["previously", "originally", "initially", "earlier", "were", "used", "formerly", "old"].contains(&word)
}

/// What tells of a failure that it is over.
pub(super) fn is_mended(word: &str) -> bool {
    is_past(word)
        || is_among(
            "\
         fixed fix fixes solved solves resolved repaired corrected was had before longer now addressed caused handled \
         handle handles handling",
            word,
        )
}

/// Headings and lead-ins of what is planned or asked for.
pub(super) fn is_plan(word: &str) -> bool {
    is_among(
        "\
         plan next todo todos steps criteria requirements goal goals remaining acceptance expected should \
         checklist before when definition need needs will instructions example asked until if once usage \
         pending want original prompt request",
        word,
    )
}
