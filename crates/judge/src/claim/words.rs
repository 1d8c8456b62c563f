//! The words that say what something is about, and those that make a sentence no claim, in English. All of them are in lower
//! case, without hyphens and apostrophes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

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

/// Whether a word is one of several, which are written with spaces between them.
pub(super) fn is_among(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|other| other == word)
}

/// Nouns that can be a subject by themselves, what they are about, and whether they name a tool.
const HEADS: [(Topic, bool, &str); 10] = [
    (Topic::Tests, false, "tests specs testsuite testsuites"),
    (
        Topic::Tests,
        true,
        "pytest jest vitest mocha rspec phpunit nextest playwright cypress unittest ctest junit jasmine karma ava",
    ),
    (Topic::Types, false, "types typecheck typechecks typechecking typechecker"),
    (Topic::Types, true, "tsc mypy pyright typescript"),
    (Topic::Build, false, "build builds compilation"),
    (Topic::Lint, false, "lint linter linters linting"),
    (Topic::Lint, true, "eslint clippy ruff flake8 pylint rubocop golangcilint oxlint stylelint biome shellcheck"),
    (Topic::Format, false, "formatting formatter format fmt"),
    (Topic::Format, true, "prettier rustfmt gofmt"),
    (Topic::Everything, false, "everything checks gates validations verification validation"),
];

static HEAD: LazyLock<BTreeMap<&'static str, (Topic, bool)>> = LazyLock::new(|| {
    let of = |(topic, is_tool, list): &(Topic, bool, &'static str)| {
        let (topic, is_tool) = (*topic, *is_tool);
        list.split_ascii_whitespace().map(move |word| (word, (topic, is_tool)))
    };
    HEADS.iter().flat_map(of).collect()
});

/// What a tool looks at.
pub(super) fn tool(word: &str) -> Option<Topic> {
    HEAD.get(word).filter(|(_, is_tool)| *is_tool).map(|(topic, _)| *topic)
}

/// What a noun is about that can be a subject by itself.
pub(super) fn head(word: &str) -> Option<Topic> {
    HEAD.get(word).map(|(topic, _)| *topic)
}

/// What a script of a project is about that is called so: `npm run lint`.
pub(super) fn scripted(word: &str) -> Option<Topic> {
    match word {
        "test" => Some(Topic::Tests),
        "lint" | "build" | "fmt" | "format" | "typecheck" => head(word),
        _ => None,
    }
}

/// What an adjective of "no … errors" is about.
pub(super) fn of_error(word: &str) -> Option<Topic> {
    match word {
        "type" | "types" => Some(Topic::Types),
        "test" => Some(Topic::Tests),
        "compile" | "compiler" => Some(Topic::Build),
        _ => head(word).filter(|topic| *topic != Topic::Everything),
    }
}

/// What runs tests, builds and the like: `npm test`.
pub(super) const PROGRAMS: &str = "npm pnpm yarn bun npx cargo go make gradle mvn dotnet poetry uv run";

/// Programs that run tests, builds and the like of one ecosystem by themselves, whatever a project says of it.
pub(super) const OWN_PROGRAMS: &str = "cargo go gradle mvn dotnet";

/// Arguments of a command that leave nothing out.
pub(super) const HARMLESS: &str = "./... . ci all exec check warnings tool -- -D --noEmit --workspace --all --all-targets \
     --all-features --locked --ci --run --silent --coverage --check --max-warnings=0 --verbose -v -race --passWithNoTests \
     --no-fail-fast";

/// A class of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// That something is not so.
    Denial,
    /// That something failed.
    Failure,
    /// What says that something is left, whatever came out well.
    Reservation,
    /// What is only wished, planned, supposed or demanded, or would be so under a condition.
    Condition,
    /// What leaves something out.
    Partial,
    /// What others say, and what is about other trees.
    Report,
    /// What was so once.
    Past,
    /// What tells of a failure that it is over.
    Over,
    /// Headings and lead-ins of what is planned.
    Plan,
    /// Headings and lead-ins of examples, and of what is asked for.
    Sample,
    /// What a sentence begins with that asks somebody to do something, so that the rest of it is what comes of that.
    Order,
    /// Deeds of whoever writes tests.
    Writing,
    /// That something passes, is done or was run: whoever denies it admits something.
    Deniable,
    /// What somebody did not change says nothing of how it comes out.
    Unchanged,
    /// What is for somebody else, or for later.
    Later,
    /// What says that something is left, in one word.
    Left,
    /// Things that may be left.
    Thing,
}

/// The words that make a whole sentence something else than a claim.
pub(super) const VOIDS: [(Class, &str); 7] = [
    (
        Class::Denial,
        "not no never neither nor none nothing cannot cant couldnt unable dont doesnt didnt isnt arent \
         wasnt werent hasnt havent wont wouldnt shouldnt mustnt without zero untested unverified skipped \
         skipping disabled impossible yet hardly barely far",
    ),
    (
        Class::Failure,
        "fail fails failed failing failure failures broken breaks broke red error errors crash crashes \
         crashed flaky incomplete unfinished remaining remains remain pending blocked wip unresolved",
    ),
    (
        Class::Reservation,
        "violation violations violates complain complains complained complaint complaints nonzero excluded \
         unknown caveat caveats limitation limitations warning warnings flags flagged unhappy dislikes",
    ),
    (
        Class::Condition,
        "if unless once when whenever until till before after while whether should would could might may \
         must will shall ill well itll theyll going plan planned plans todo next need needs needed want \
         wants wanted expect expects expected hope hopefully assume assumes assuming likely probably \
         presumably seem seems appear appears maybe perhaps possibly think believe guess suppose supposed \
         ensure ensures ensuring ensured make makes making get gets getting let lets please verify confirm \
         try trying require required requires goal target criteria criterion keep keeps see provided run \
         rerun wait waiting aim requirement able can be mean means theory ideally important tomorrow soon",
    ),
    (
        Class::Partial,
        "except just excluding besides apart most mostly some many several few half majority largely nearly \
         almost partially partly partial only however halfway somewhat but rest other others else least",
    ),
    (
        Class::Report,
        "you your youre user users reviewer said says say told tells wrote asked claim claims claimed \
         example eg main master upstream stash stashed reverted prints logs according know",
    ),
    (Class::Past, "previously originally initially earlier were used formerly old last yesterday previous worked"),
];

const OTHERS: [(Class, &str); 10] = [
    (
        Class::Order,
        "add set use start stop skip remove comment delete drop disable enable install switch upgrade downgrade restart turn \
         revert apply change replace pass open delete check then",
    ),
    (
        Class::Over,
        "fixed fix fixes solved solves resolved repaired corrected was had before longer now addressed \
         caused handled handle handles handling previously originally initially earlier were used formerly \
         old",
    ),
    (
        Class::Plan,
        "plan next todo todos steps criteria requirements goal goals remaining acceptance checklist before \
         when definition need needs will until if once pending",
    ),
    (Class::Sample, "expected should example examples usage instructions asked want original prompt request sample"),
    (Class::Writing, "added extended updated"),
    (
        Class::Deniable,
        "pass passes passed passing green clean succeed succeeds succeeded successful ok okay done complete \
         completed finished implemented fixed resolved merge mergeable ready run ran test tests tested \
         verify verified work works working check",
    ),
    (
        Class::Unchanged,
        "change changes changed changing modify modified modifying modifications touch touched touching \
         edit edited added removed deleted",
    ),
    (
        Class::Later,
        "todo todos followup followups leftover nit nits bypassed noverify unresolved extent yellow approve \
         stuck awaiting outstanding approval permission disagrees objects refuses",
    ),
    (Class::Left, "caveat caveats limitation limitations skipped excluded unknown complain complains"),
    (
        Class::Thing,
        "issue issues item items point points problem problems question questions violation violations \
         warning warnings task tasks",
    ),
];

/// The classes of each word, one bit a class.
static CLASSES: LazyLock<BTreeMap<&'static str, u32>> = LazyLock::new(|| {
    let mut classes: BTreeMap<&'static str, u32> = BTreeMap::new();
    for (class, list) in VOIDS.iter().chain(&OTHERS) {
        for word in list.split_ascii_whitespace() {
            *classes.entry(word).or_default() |= 1 << (*class as u32);
        }
    }
    classes
});

/// Whether a word is of a class.
pub(super) fn is(word: &str, class: Class) -> bool {
    CLASSES.get(word).is_some_and(|classes| classes & (1 << (class as u32)) != 0)
}
