//! The phrases that claims are made of. A phrase is a row of words: `a|b` is either, `a?` may be missing, `#` is a number,
//! `~` a duration, `*` any word; words in capitals are the sets below.

use super::words::Topic;

/// What a phrase says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// Nothing by itself.
    Filler,
    /// That it is all of them.
    Whole,
    /// Something that can pass.
    Subject(Topic),
    /// A part of such a thing.
    Part,
    /// That something passes, and may pass something: "passes all tests".
    Pass,
    /// That something came out well.
    Good,
    /// The same, but of tests: clean tests are tidy ones.
    Tidy,
    /// That something works.
    Works,
    /// "Compiles".
    Makes(Topic),
    /// That there are no errors, of the topics that its words name.
    Clean,
    /// That something went well that was done.
    Well,
    /// What compiles and works.
    Project,
    /// The whole of what was asked for.
    Work,
    /// What somebody did who is done.
    Deed,
    /// That it is done.
    Done,
    /// That it is done, of whatever is named.
    Ready,
    /// That it was tried.
    Tested,
    /// That the work is done, whatever else is said.
    Finished,
    /// That all of it is well.
    AllGood,
    /// That something was run.
    Ran,
    /// That it was found to be well by something.
    Verified,
    /// Whatever was spoken of last.
    Pronoun,
    /// Somebody changed something: what failed before, is told of the change.
    Change,
    /// Something whose name says something else than its words: "error handling".
    Thing,
    /// What makes something smaller of what is said before.
    Limit,
    /// What may follow work that was done, and says more of it.
    Link,
    /// What is said in parting.
    Parting,
    /// What makes the sentence no claim.
    Void,
    /// "42 in total".
    Total,
}

/// Words that phrases share.
pub(super) const SETS: &[(&str, &str)] = &[
    ("PROGRAM", "npm|pnpm|yarn|bun|npx|cargo|go|make|gradle|mvn|dotnet|poetry|uv|deno|just"),
    ("NOUN", "suite|suites|check|checks|checking|checker|run|runs|result|results|status|step|steps|job|command|cases"),
    (
        "FAULT",
        "error|errors|failure|failures|failed|failing|fails|fail|warning|warnings|issues|problems|regressions|\
         violations|complaints|findings",
    ),
    (
        "KIND",
        "type|types|typescript|tsc|mypy|pyright|typecheck|lint|linter|linting|eslint|clippy|ruff|format|formatting|test|tests|\
         build|compile|compiler|compilation",
    ),
    ("ANY", "any|more|single|outstanding|remaining|blocking|further|of|the"),
    (
        "WORK",
        "task|work|implementation|feature|fix|bug|issue|problem|job|change|refactor|refactoring|migration|request|ticket|story|\
         pr|functionality|update|solution",
    ),
    ("WORKS", "tasks|features|fixes|bugs|issues|problems|changes|requirements|updates|items|todos|comments"),
    ("CHANGE", "change|changes|fix|fixes|refactor|refactoring|edit|edits|update|updates"),
    (
        "PLACE",
        "package|packages|workspace|workspaces|platform|platforms|project|projects|target|targets|module|modules|crate|crates|browser|browsers|environments|versions|files",
    ),
    ("ARE", "is|are|was|has|have|been|being|all|now"),
    ("WELL", "correctly|properly|fine|perfectly|well|great|correct"),
    ("FINISH", "merge|ship|review|deploy|release|go|use|merging|shipping|deployment|production|reviewing"),
];

/// The phrases. Where several begin at a word the longest is taken, and of those the first.
pub(super) const TABLE: &[(Sense, &str)] = &[
    (
        Sense::Filler,
        "the|our|its|of|also|now|again|still|currently|finally|is|are|was|has|have|been|being|fully|completely; \
         i|am|ive|we|weve|im|thats|theyre|there|yes|so|additionally|locally|here|too|already|status; i|ive|we just; \
         reports|report|reported|shows|show|produces|produced|emits|yields|returns|returned|came|comes|come|back|gives|gave|\
         found|finds|finishes|completes|result|results|left|anymore; \
         confirmed|verified|validated that?; doublechecked|rechecked|checked; can confirm that?; \
         happy|pleased|glad to report that?; note that; \
         after|following|with|given the|my|this|these|all|our CHANGE in? place?; on|across|in every|all|both the? PLACE; \
         after fixing? this|that|these|it; as expected|intended|requested|required|planned|described|designed|specified; \
         at this point; in total|summary|short|full; across the project|codebase|repo|repository|board|workspace; \
         as a result; as well|before; as of now; to summarize|recap; on the first|second try|run|attempt; \
         no longer fail|fails|failing|breaks|broken|crashes; \
         nothing is|was? fail|fails|failed|failing|breaks|broke|broken|crashes|crashed; \
         you|it requested|wanted|described|specified; you asked for; per your request; for your review; # coverage; \
         in the? full|entire|whole? suite|project|repo|repository|codebase|workspace; in|after|took? about|under? ~; \
         in # seconds|s|ms|minutes; final|overall; good|great news; end to end; \
         summary|verification|verified|outcome|update|note|conclusion|tldr|testing|validation|quality|final :; \
         final status|check|result|update|state :?; including the? new|added|existing|old? ones|tests; \
         including the? previously|formerly failing|broken one|ones|test|tests; \
         old|existing|new and new|old|existing ones?; no|without changes|modifications to? the?; \
         no tests were|was|have|been|had? to? been|be? modified|changed|touched|removed|deleted|added|needed; \
         i|ive? fixed|repaired|resolved the|all failing|failed|broken|red test|tests|build|suite|check|checks|spec",
    ),
    (
        Sense::Parting,
        "let me know; feel free; happy to help; happy to; so|and you can|may merge|ship|review|deploy; just let me; \
         please let me",
    ),
    (Sense::Whole, "all|both|every|entire|full|whole"),
    (
        Sense::Clean,
        "no|zero|0|without|nor ANY? ANY? KIND? FAULT; no|zero|0|without ANY? KIND? FAULT or|and|nor ANY? KIND? FAULT; \
         no|zero|0|without ANY? KIND? FAULT tests|reported|found|remain|remaining|remains|left|detected; \
         no|none KIND are|is failing|failed; none of the|our? KIND are|is? fail|fails|failed|failing; \
         no failing|broken|red KIND; types check; no|zero|0 KIND fail|failed; no|zero|0 KIND or|and|nor KIND FAULT; \
         no|zero|0 FAULT found|reported? from|by the? KIND; 0|no|zero skipped|ignored|todo",
    ),
    (
        Sense::Subject(Topic::Tests),
        "tests|specs|testsuite|testsuites|suite|suites NOUN?; test NOUN NOUN?; complete test? suite; all|every test NOUN?; test :; assertions; \
         existing|old|new tests and the? new|old|existing|added ones|tests; PROGRAM run? test|tests NOUN?; testing; \
         pytest|jest|vitest|mocha|rspec|phpunit|nextest|playwright|cypress|unittest|ctest|junit|jasmine|karma|ava NOUN?",
    ),
    (
        Sense::Subject(Topic::Types),
        "types|typecheck|typechecking|typechecker|tsc|mypy|pyright|typescript NOUN?; type NOUN NOUN?; \
         typescript compilation|build|compiler|types|typecheck; PROGRAM run typecheck",
    ),
    (
        Sense::Subject(Topic::Build),
        "build|compilation NOUN?; all builds; PROGRAM run? build; production|release|debug|project build; compile|compiler NOUN; \
         cargo check",
    ),
    (
        Sense::Subject(Topic::Lint),
        "lint|linter|linters|linting NOUN?; PROGRAM run? lint; cargo clippy; static analysis; ruff check; \
         eslint|clippy|ruff|flake8|pylint|rubocop|golangcilint|oxlint|stylelint|biome|shellcheck NOUN?",
    ),
    (
        Sense::Subject(Topic::Format),
        "formatting|formatter|format|fmt|prettier|rustfmt|gofmt NOUN?; cargo fmt; PROGRAM run? format|fmt",
    ),
    (
        Sense::Subject(Topic::Everything),
        "everything|everythings|checks|gates|validations|verification|validation; \
         quality|verification|validation|required checks|gates|steps; it all; all of it|this; \
         everything you asked|wanted for?",
    ),
    (
        Sense::Part,
        "unit|regression|integration|e2e|endtoend|acceptance|smoke|functional|frontend|backend|ui|api|python|rust|javascript|go",
    ),
    (Sense::Pass, "pass|passes|passed"),
    (
        Sense::Good,
        "passing|green|succeed|succeeds|succeeded|success|successful|ok|okay; checks|check out; checked out; \
         remain|remains|stay|stays green; continue|continues to pass; \
         exit|exits|exited|exiting|return|finish|finished|finishes with? a|an? exit? code|status? of? 0; \
         return|exit code|status of? :? 0",
    ),
    (Sense::Tidy, "clean|happy|spotless; nothing to report; nothing reported; nothing to complain about; clean exit"),
    (Sense::Works, "works|working WELL?; works|working end to end; functions|functioning WELL"),
    (Sense::Makes(Topic::Build), "compiles|builds|compiled|built fine|ok?"),
    (Sense::Makes(Topic::Types), "typechecks; type checks"),
    (Sense::Makes(Topic::Lint), "lints"),
    (Sense::Well, "successfully|cleanly"),
    (
        Sense::Project,
        "project|code|app|application|codebase|crate|workspace|program|branch|library; \
         new|updated|refactored code|implementation",
    ),
    (
        Sense::Work,
        "WORK; requested|described|new|necessary WORK; all|the|these|requested|required|review|todo WORKS; \
         WORKS are|have; todo list; pull request; acceptance? criteria",
    ),
    (Sense::Deed, "completed|finished|implemented|fixed|resolved|addressed|solved"),
    (Sense::Done, "done|complete; done here|now; wrapped up; fulfilled|satisfied|delivered"),
    (Sense::Tested, "tested|verified"),
    (Sense::Ready, "ready|met|gone|accomplished; in place"),
    (
        Sense::Finished,
        "good to go; all set; ready to|for be? FINISH; good|safe to FINISH; \
         ready to be merged|reviewed|shipped|released|deployed; should be now? good to go; \
         youre|you are? now? good to go|merge|ship; jobs done; youre|you are? now? all set; ready for your FINISH; \
         should be ready to|for merge|review; nothing more|else|further? is? left|remains|more|else? to be? do|done; \
         no further|more|additional|other changes|work|action|actions|steps is|are? needed|required|necessary; \
         mission accomplished; that|this completes|concludes the|this|your WORK; \
         acceptance? criteria ARE? ARE? met|satisfied|fulfilled; \
         requested|required|necessary changes ARE ARE? made|applied|implemented|complete|completed",
    ),
    (
        Sense::AllGood,
        "everything|all ARE? looks|look? good|fine|great; everything|all checks out; \
         all ARE? green|pass|passes|passed|passing|clean|clear; everything|all is? in order; \
         tested|verified|confirmed that? and? it|everything|this? works|working WELL?",
    ),
    (Sense::Ran, "ran|reran|executed|running; just ran|reran; i|ive|we|weve|have|has run"),
    (Sense::Verified, "verified|confirmed|validated by|via|with|using running?"),
    (Sense::Pronoun, "it|they|them|this|these|those|each; all|both of them|these|those"),
    (
        Sense::Change,
        "added|updated|changed|improved|refactored|rewrote|extended|removed|renamed|corrected|repaired|handled|replaced|moved",
    ),
    (
        Sense::Thing,
        "error|errors handling|handler|handlers|message|messages|boundary|boundaries|path|paths|case|cases|reporting",
    ),
    (
        Sense::Limit,
        "in|on|for|under|at|with|using|from|against|within|inside|per|via|to|by|as|through|than|across|into",
    ),
    (Sense::Link, "that|where|which|requested|described|causing|so|using"),
    (Sense::Total, "# total; # in total; total #"),
    (
        Sense::Void,
        "check|so|such that; at least; as far as; all but; one|two|three of; on main|master; \
         # problem|problems|issue|issues",
    ),
];
