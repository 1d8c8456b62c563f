//! Table of phrases. A phrase is a row of words: `a|b` is either, `a?` is optional, `#` is a number, `~` a
//! duration; words in capitals are the sets below. The longest phrase that matches at a word wins, and among
//! equally long ones the first.
//!
//! | letter | a phrase that says                      | letter | a phrase that says                       |
//! |--------|-----------------------------------------|--------|------------------------------------------|
//! | blank  | nothing by itself                       | `x`    | that something was run                   |
//! | `*`    | that it is all of them                  | `q`    | that something found it to be well       |
//! | `s`    | what can pass                           | `e`    | what was spoken of last                  |
//! | `p`    | that it passes (a subject may follow)   | `c`    | that something was changed               |
//! | `g`    | that it succeeded                       | `i`    | a restriction                            |
//! | `t`    | that it is tidy, which tests are not    | `W`    | a context                                |
//! | `k`    | that it works                           | `l`    | more of what was done                    |
//! | `m`    | that it compiles, lints, checks         | `.`    | a closing phrase                         |
//! | `z`    | that there are no errors                | `#`    | how many there are                       |
//! | `y`    | that it went well                       | `O`    | to do something, where it begins         |
//! | `j`    | what compiles and works                 | `N`    | that something is not so                 |
//! | `w`    | the whole of the work                   | `F`    | that something failed                    |
//! | `D`    | what was done to it                     | `R`    | that something is left, or excepted      |
//! | `C d`  | that it was finished by a person; that it is done | `P`  | that it was so in the past        |
//! | `r`    | that it is ready                        | `H`    | a condition                              |
//! | `v`    | that it was tried                       | `V`    | that it is hoped, asked for, partly so   |
//! | `f`    | that the work is finished               | `,:+-` | a joint, a label, a good mark, a bad one |
//! | `a`    | that all of it is well                  | `o`    | something else, by another name          |
//! | `L`    | that something is for later             | `A`    | a request                                |

use referee_model::plan::Role;

/// Letters that prevent a sentence from being a claim.
pub(super) const VOID: &str = "NFRLAPHV-";

/// Named sets of words that phrases share.
pub(super) const SETS: &[(&str, &str)] = &[
    (
        "TESTER",
        "pytest|jest|vitest|mocha|rspec|phpunit|nextest|playwright|cypress|unittest|ctest|junit|jasmine|karma|ava",
    ),
    ("TYPER", "tsc|mypy|pyright|typescript"),
    ("LINTER", "eslint|clippy|ruff|flake8|pylint|rubocop|golangcilint|oxlint|stylelint|biome|shellcheck"),
    ("FORMATTER", "prettier|rustfmt|gofmt"),
    ("PROGRAM", "npm|pnpm|yarn|bun|npx|cargo|go|make|gradle|mvn|dotnet|poetry|uv|deno|just"),
    ("PART", "unit|regression|integration|e2e|endtoend|acceptance|smoke|functional|frontend|backend|ui|api"),
    ("NOUN", "suite|suites|check|checks|checking|checker|run|runs|result|results|status|step|steps|job|command|cases"),
    ("TESTS", "tests|specs|suite|suites|testsuite|testsuites"),
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
    ("FINISH", "merge|review|deploy|release|go|use|merging|shipping|ship|deployment|production|reviewing"),
    (
        "PLACE",
        "packages|workspace|workspaces|platform|platforms|project|projects|modules|crates|browsers|environments|versions|files",
    ),
    ("WELL", "correctly|properly|fine|perfectly|well|great|correct"),
    ("ARE", "is|are|was|has|have|been|being|all|now"),
    ("THING", "issue|issues|item|items|point|points|question|questions|violation|violations|warning|warnings|tasks"),
];

/// Phrases in English, in lower case, without hyphens and apostrophes.
pub(super) const ENGLISH: &[(char, &str)] = &[
    (
        ' ',
        "the|our|its|of|also|now|again|still|currently|finally|is|are|was|has|have|been|being|fully|completely; \
         i|am|ive|we|weve|im|thats|theyre|there|yes|so|additionally|locally|here|too|already|status; i|ive|we just; \
         reports|report|reported|shows|show|produces|produced|emits|yields|returns|returned|came|comes|come|back|gives|gave|\
         found|finds|finishes|completes|result|results|anymore; \
         confirmed|verified|validated that?; doublechecked|rechecked|checked; can confirm that?; \
         happy|pleased|glad to report that?; note that; \
         after|following|with|given the|my|this|these|all|our CHANGE in? place?; on|across|in every|all|both the? PLACE; \
         after fixing? this|that|these|it; as expected|intended|requested|required|planned|described|designed|specified; \
         at this point; in total|summary|short|full; across the project|codebase|repo|repository|board|workspace; \
         as a result; as well|before; as of now; to summarize|recap; on the first|second try|run|attempt; \
         no longer fail|fails|failing|breaks|broken|crashes; nothing is? left; \
         nothing is|was? fail|fails|failed|failing|breaks|broke|broken|crashes|crashed; \
         you|it requested|wanted|described|specified; you asked for; per your request; for your review; # coverage; \
         in the? full|entire|whole? suite|project|repo|repository|codebase|workspace; in|after|took? about|under? ~; ~; \
         in # seconds|s|ms|minutes; final|overall; good|great news; end to end; ( old and new ); \
         summary|verification|verified|outcome|update|note|conclusion|tldr|testing|validation|quality|final :; \
         final status|check|result|update|state :?; including the? new|added|existing|old? ones|tests; \
         including the? previously|formerly failing|broken one|ones|test|tests; \
         old|existing|new and new|old|existing ones?; no|without changes|modifications to? the?; \
         no tests were|was|have|been|had? to? been|be? modified|changed|touched|removed|deleted|added|needed; \
         i|ive|we fixed|repaired|resolved the|all failing|failed|broken|red test|tests|build|suite|check|checks|spec",
    ),
    (
        '.',
        "let me know; feel free; happy to help; happy to; so|and you can|may merge|ship|review|deploy; just let me; \
         please let me",
    ),
    ('*', "all|both|every|entire|full|whole"),
    (
        'z',
        "no|zero|0|without|nor ANY? ANY? KIND? FAULT; no|zero|0|without ANY? KIND? FAULT or|and|nor ANY? KIND? FAULT; \
         no|zero|0|without ANY? KIND? FAULT tests|reported|found|remain|remaining|remains|left|detected; \
         no|none KIND are|is failing|failed; none of the|our? KIND are|is? fail|fails|failed|failing; \
         no failing|broken|red KIND; types check; no|zero|0 KIND fail|failed; no|zero|0 KIND or|and|nor KIND FAULT; \
         no|zero|0 FAULT found|reported? from|by the? KIND; 0|no|zero skipped|ignored|todo",
    ),
    (
        's',
        "TESTS NOUN?; test NOUN NOUN?; complete test? suite; all|every test NOUN?; test :; assertions; testing; TESTER NOUN?; \
         TESTER TESTS; existing|old|new tests and the? new|old|existing added? ones|tests; PROGRAM run? test|tests NOUN?; \
         PART test? TESTS; PART and PART TESTS",
    ),
    (
        's',
        "types|typecheck|typechecking|typechecker NOUN?; TYPER NOUN?; type NOUN NOUN?; \
         typescript compilation|build|compiler|types|typecheck; PROGRAM run typecheck",
    ),
    (
        's',
        "build|compilation NOUN?; all builds; PROGRAM run? build; production|release|debug|project build; compile|compiler NOUN; \
         cargo check",
    ),
    (
        's',
        "lint|linter|linters|linting NOUN?; LINTER NOUN?; PROGRAM run? lint; cargo clippy; static analysis; ruff check; \
         formatting|formatter|format|fmt NOUN?; FORMATTER NOUN?; cargo fmt; PROGRAM run? format|fmt",
    ),
    (
        's',
        "everything|everythings|checks|gates|validations|verification|validation; it all; all of it|this; \
         quality|verification|validation|required checks|gates|steps; everything you asked|wanted for?",
    ),
    ('p', "pass|passes|passed"),
    (
        'g',
        "passing|green|succeed|succeeds|succeeded|success|successful|ok|okay; checks|check out; checked out; \
         remain|remains|stay|stays green; continue|continues to pass; \
         exit|exits|exited|exiting|return|finish|finished|finishes with? a|an? exit? code|status? of? 0; \
         return|exit code|status of? :? 0",
    ),
    ('t', "clean|happy|spotless; nothing to report; nothing reported; nothing to complain about; clean exit"),
    ('k', "works|working WELL?; works|working end to end; functions|functioning WELL"),
    ('m', "compiles|builds|compiled|built fine|ok?; typechecks; type checks; lints"),
    ('y', "successfully|cleanly"),
    (
        'j',
        "project|code|app|application|codebase|crate|workspace|program|branch|library; \
         new|updated|refactored code|implementation",
    ),
    (
        'w',
        "WORK; requested|described|new|necessary WORK; all|the|these|requested|required|review|todo WORKS; \
         WORKS are|have; todo list; pull request; acceptance? criteria",
    ),
    ('D', "implemented|fixed|resolved|addressed|solved"),
    ('C', "completed|finished"),
    ('d', "done|complete; done here|now; wrapped up; fulfilled|satisfied|delivered"),
    ('v', "tested|verified"),
    ('r', "ready|met|gone|accomplished; in place"),
    (
        'f',
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
        'a',
        "everything|all ARE? looks|look? good|fine|great; everything|all checks out; \
         all ARE? green|pass|passes|passed|passing|clean|clear; everything|all is? in order; \
         tested|verified|confirmed that? and? it|everything|this? works|working WELL?",
    ),
    ('x', "ran|reran|executed|running; just ran|reran; i|ive|we|weve|have|has run"),
    ('q', "verified|confirmed|validated by|via|with|using running?"),
    ('e', "it|they|them|this|these|those|each; all|both of them|these|those"),
    (
        'c',
        "added|updated|changed|improved|refactored|rewrote|extended|removed|renamed|corrected|repaired|handled|replaced|moved; \
         not|didnt|without|havent|wasnt|werent|never change|changed|modify|modified|touch|touched|edit|changing|modifying|touching",
    ),
    (
        'o',
        "error|errors handling|handler|handlers|message|messages|boundary|boundaries|path|paths|case|cases|reporting",
    ),
    ('l', "that|where|which|requested|described|causing|so|using"),
    ('i', "in|on|for|under|at|using|from|against|within|inside|per|via|to|by|as|through|than|across|into"),
    ('W', "with"),
    ('#', "# total; # in total; total #"),
    (',', ",; and; \n; ("),
    (')', ")"),
    (':', ":"),
    ('+', "✅"),
    ('-', "❌"),
    (
        'N',
        "not|no|never|neither|nor|none|nothing|cannot|cant|couldnt|unable|dont|doesnt|didnt|isnt|arent|wasnt|werent|hasnt|havent|\
         wont|wouldnt|shouldnt|mustnt|without|zero|untested|unverified|disabled|impossible|yet|hardly|barely|far",
    ),
    (
        'F',
        "fail|fails|failed|failing|failure|failures|broken|breaks|broke|red|error|errors|crash|crashes|crashed|flaky|\
         incomplete|unfinished|remaining|remains|remain|pending|blocked|wip|violation|violations|violates|complain|\
         complains|complained|complaint|complaints|nonzero|warning|warnings|flags|flagged|unhappy|dislikes",
    ),
    (
        'R',
        "skipped|skipping|excluded|unknown|caveat|caveats|limitation|limitations|problems; \
         #|one|two|three|known|open|outstanding THING|problem|problems; THING|problem|problems left|open",
    ),
    (
        'L',
        "todo|todos|followup|followups|leftover|nit|nits|bypassed|noverify|unresolved|extent|yellow|approve|stuck|awaiting|\
         outstanding|approval|permission|disagrees|objects|refuses|left; exception of; as far as",
    ),
    ('A', "you|someone|somebody need|needs; need|needs a|an|your|you|someone|somebody|decision|maintainer"),
    ('P', "previously|originally|initially|earlier|were|used|formerly|old|last|yesterday|previous|worked|would"),
    ('H', "if|when|whenever|unless"),
    (
        'V',
        "once|until|till|before|after|while|whether|should|could|might|may|must|will|shall|ill|well|itll|theyll|going|plan|\
         planned|plans|next|need|needs|needed|want|wants|wanted|expect|expects|expected|hope|hopefully|assume|assumes|\
         assuming|likely|probably|presumably|seem|seems|appear|appears|maybe|perhaps|possibly|think|believe|guess|suppose|\
         supposed|ensure|ensures|ensuring|ensured|make|makes|making|get|gets|getting|let|lets|please|verify|confirm|try|\
         trying|require|required|requires|goal|target|criteria|criterion|keep|keeps|see|provided|run|rerun|wait|waiting|\
         aim|requirement|able|can|be|mean|means|theory|ideally|important|tomorrow|soon; \
         except|just|excluding|besides|apart|most|mostly|some|many|several|few|half|majority|largely|nearly|almost|\
         partially|partly|partial|only|however|halfway|somewhat|but|rest|other|others|else|least; \
         you|your|youre|user|users|reviewer|said|says|say|told|tells|wrote|asked|claim|claims|claimed|example|eg|main|\
         master|upstream|stash|stashed|reverted|prints|logs|according|know; \
         check|so|such that; at least; all but; one|two|three of; on main|master",
    ),
    (
        'O',
        "add|set|use|start|stop|skip|remove|comment|delete|drop|disable|enable|install|switch|upgrade|downgrade|restart|turn|\
         revert|apply|replace|open|check|then",
    ),
];

/// Phrases of one language: claims, and reservations that void all claims of a message in it. Phrases match
/// literally; reservations match whole words, except in languages that do not separate words by spaces.
pub(super) struct Language {
    pub(super) tests: &'static str,
    pub(super) done: &'static str,
    pub(super) reserves: &'static str,
}

pub(super) const OTHERS: [Language; 5] = [
    Language {
        tests: "alle tests bestehen; alle tests bestanden; alle tests laufen durch; alle tests sind grün; \
            alle tests sind erfolgreich; alle tests laufen erfolgreich; tests sind grün",
        done: "aufgabe ist erledigt; aufgabe ist abgeschlossen; implementierung ist abgeschlossen; \
            alles erledigt; alles fertig",
        reserves: "nicht kein keine keiner noch wenn falls sobald sollte sollten müssen muss könnte könnten würde \
            würden werden wird fehlgeschlagen schlägt schlagen fehlschlagen bis damit bevor außer dass ob \
            nur leider allerdings jedoch aber offen rot ohne übersprungen vorher zuvor",
    },
    Language {
        tests: "tous les tests passent; les tests passent tous; tous les tests sont verts; \
            tous les tests sont passés; tous les tests réussissent",
        done: "la tâche est terminée; tout est terminé; l'implémentation est terminée",
        reserves: "ne pas si quand lorsque devrait devraient échoue échouent sauf pour afin que avant encore \
            doivent doit aucun jusqu'à sans mais cependant toutefois rouge fois n",
    },
    Language {
        tests: "todas las pruebas pasan; todos los tests pasan; todas las pruebas pasaron; \
            todos los tests pasaron; las pruebas pasan todas; todas las pruebas están en verde",
        done: "la tarea está completa; la tarea está terminada; todo está listo; \
            la implementación está completa",
        reserves: "no si cuando debería deberían falla fallan salvo excepto para que antes aún todavía deben debe \
            vez hasta sin pero embargo aunque rojo",
    },
    Language {
        tests: "すべてのテストが成功; 全てのテストが成功; すべてのテストがパス; 全てのテストがパス; 全テストがパス; 全テストが成功; すべてのテストが通; 全てのテストが通; テストはすべて成功; \
            テストはすべて通",
        done: "タスクは完了しました; 実装が完了しました; 作業が完了しました; すべて完了しました",
        reserves: "ません ない なかった たら れば はず 失敗 まだ 予定 ように べき 場合 か? ですか たい 必要 なら ただし \
            しかし 未 エラー 赤 と思",
    },
    Language {
        tests: "所有测试通过; 所有测试都通过; 所有测试均通过; 所有测试均已通过; 所有测试已通过; 全部测试通过; 测试全部通过; 所有測試通過; 所有測試都通過; 測試全部通過",
        done: "任务已完成; 任务完成; 全部完成; 實作已完成; 任務已完成",
        reserves: "没 未 不 如果 应该 失败 还 将 吗 尚 请 確保 确保 需要 等 除 若 應該 失敗 沒 一旦 必须 但 錯誤 \
            错误 红 跳过",
    },
];

/// Per role: prefixes of words that speak of it, and the set of its tools. The first row is that of counts in
/// phrases.
const ABOUT: [(Role, &str, &str); 5] = [
    (Role::Test, "test spec suite assert prueba e2e テスト 测试 測試", "TESTER"),
    (Role::Typecheck, "typ", "TYPER"),
    (Role::Lint, "lint style static nit", "LINTER"),
    (Role::Format, "format fmt style", "FORMATTER"),
    (Role::Compile, "build built compil kompil cargo", ""),
];

/// Returns whether a word is in a set.
pub(super) fn is_in(set: &str, word: &str) -> bool {
    SETS.iter().filter(|(name, _)| *name == set).any(|(_, words)| words.split('|').any(|other| other == word))
}

/// Returns the roles of a word; a role has several words.
pub(super) fn roles(word: &str) -> impl Iterator<Item = Role> {
    let speaks = move |(_, stems, tools): &&(Role, &str, &str)| {
        // Languages without spaces between words have the stem within one.
        let begins = |stem: &str| if stem.is_ascii() { word.starts_with(stem) } else { word.contains(stem) };
        stems.split(' ').any(begins) || is_in(tools, word)
    };
    ABOUT.iter().filter(speaks).map(|(role, ..)| *role)
}

/// Returns the common role of several words.
pub(super) fn role<'a>(words: impl Iterator<Item = &'a str>) -> Option<Role> {
    let found: Vec<Role> = words.flat_map(roles).collect();
    ABOUT.iter().map(|(role, ..)| *role).find(|role| found.contains(role))
}

pub(super) fn tool(word: &str) -> Option<Role> {
    ABOUT.iter().find(|(.., tools)| is_in(tools, word)).map(|(role, ..)| *role)
}

/// Returns whether a word names the tool of a whole ecosystem, which runs its tests, builds and so on.
pub(super) fn is_ecosystem(word: &str) -> bool {
    matches!(word, "cargo" | "go" | "gradle" | "mvn" | "dotnet")
}
