//! Claims of a sentence: its clauses are matched with the few shapes that are claims. Any unknown word rules a
//! claim out, because an honest agent must never be accused.

use referee_model::plan::Role;

use super::phrases::VOID;
use super::scan::Item;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Claim {
    Done,
    /// Something passes, or everything; `part` restricts it, by the name that a check may have.
    Passes {
        role: Option<Role>,
        part: Option<String>,
    },
    /// This many tests passed.
    Count(u64),
}

/// Shapes of clauses, in the letters of phrases, where "passes", "is green" and "is clean" are `g`. First, a
/// subject that passes; then, one that does so with success or a mark; then, something that passes a subject.
const PASSES: &str = "sg sgg sgz sz szz szg sa xsg xsz xszz sxz sDz sdz qs";
const PASSES_WELL: &str = "s sd sD sx xs gs";
const PASSES_SUBJECT: &str = "ps jps wps eps";
const WORKS: &str = "jk wk";
const BUILDS: &str = "jm jmz jmg em emz emg wm wmz sm smz smg";
const NO_ERRORS: &str = "z zz jz wz ez xz";
/// Shapes that refer to a subject mentioned before.
const REFERS: &str = "a ea eg z zz xz xg";
const DONE: &str = "d wd ed jd wr er jr wv f wf ef jf wdf D wD eD jD wDf Dw";
const ALL_DONE: &str = "sd sD sr sf ds Ds";

/// Maximum number of items of a sentence that is examined.
const ITEMS: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Subject {
    role: Option<Role>,
    part: Option<String>,
    /// Claimed number, if any.
    number: Option<u64>,
    is_everything: bool,
}

/// The part of a sentence between two joints.
#[derive(Debug, Default)]
struct Clause {
    /// Joint before the clause: `,`, `:`, `+` after a mark, `W`.
    joint: char,
    /// Letters of its words, without neutral ones.
    letters: String,
    subjects: Vec<Subject>,
    /// A number after the subject, or without one.
    number: Option<u64>,
    is_whole: bool,
    is_marked: bool,
    went_well: bool,
    /// Roles of its words for no errors and for compiling.
    roles: Vec<Role>,
    has_items: bool,
    begins_with_mark: bool,
}

/// Reads the sentences of a message one after another.
#[derive(Debug)]
pub(super) struct Reader {
    /// Referents of "they", "all" and "no errors". None: nothing was mentioned yet, or the referents are unclear.
    spoken: Option<Vec<Subject>>,
    sentences: usize,
    /// Sentence that said what was run; valid in that sentence and the next.
    ran: Option<usize>,
}

/// Returns whether a sentence is a statement without reservation. A change may be described as fixing a failure.
pub(super) fn is_plain(items: &[Item<'_>]) -> bool {
    let most = |says: &str| items.iter().filter(|item| says.contains(item.says)).filter_map(Item::number).max();
    let asks =
        |item: &Item<'_>| item.says == 'O' || item.words().next().is_some_and(|word| matches!(word, "change" | "pass"));
    let mut tells = false;
    let is_void = |clause: Clause| {
        let is_change = clause.letters.starts_with(['c', 'C', 'D']) && !clause.letters.contains(['s', 'p', 'g', 't']);
        tells = is_change || clause.letters.starts_with("PF") || (tells && clause.joint == 'W');
        clause.letters.chars().any(|letter| VOID.contains(letter) && !(tells && "NFP".contains(letter)))
    };
    most("#") <= most("n=")
        && !items.iter().find(|item| item.says != ',').is_some_and(asks)
        && !clauses(items).into_iter().any(is_void)
}

impl Clause {
    fn new(joint: char) -> Self {
        Self { joint, ..Self::default() }
    }

    fn add(&mut self, item: &Item<'_>, follows_subject: bool) {
        self.has_items = true;
        match item.says {
            ' ' | '#' => {}
            '*' => self.is_whole = true,
            'y' => self.went_well = true,
            'n' | '=' => {
                self.number = self.number.or(item.number().filter(|_| item.words().all(|word| word != "100%")));
                self.is_whole |= item.says == '=';
                self.is_marked |= item.says == '=';
            }
            's' => self.add_subject(item, follows_subject),
            letter => {
                if "zm".contains(letter) {
                    self.roles.extend(item.roles());
                }
                self.letters.push(letter);
            }
        }
    }

    fn add_subject(&mut self, item: &Item<'_>, follows_subject: bool) {
        let (role, mut parts) = (item.role(), item.names().into_iter());
        // "Jest tests".
        if let Some(last) = self.subjects.last_mut().filter(|last| follows_subject && last.role == role) {
            last.part = last.part.take().or(parts.next());
            return;
        }
        let is_everything = item.words().next().is_some_and(|word| word.starts_with("everything"));
        let number = self.number.take();
        let subject = |part| Subject { role, part, number, is_everything };
        let first = subject(parts.next());
        self.subjects.extend([first].into_iter().chain(parts.map(|part| subject(Some(part)))));
        self.letters.push('s');
    }
}

fn clauses(items: &[Item<'_>]) -> Vec<Clause> {
    let (mut found, mut clause, mut follows_subject) = (Vec::new(), Clause::new(','), false);
    for (index, item) in items.iter().enumerate() {
        match item.says {
            ')' => {
                found.push(std::mem::replace(&mut clause, Clause::new(',')));
                // "Phase 1 (the parser) is done."
                if items.get(index + 1).is_some_and(|next| !",:+()Wi.".contains(next.says)) {
                    clause.letters.push('i');
                }
            }
            joint @ (',' | ':' | 'W') => found.push(std::mem::replace(&mut clause, Clause::new(joint))),
            '+' => {
                let (is_first, is_next) = (!clause.has_items, clause.begins_with_mark);
                if is_next {
                    found.push(std::mem::replace(&mut clause, Clause::new(',')));
                }
                (clause.is_marked, clause.has_items, clause.begins_with_mark) = (true, true, is_first || is_next);
                if !clause.begins_with_mark {
                    found.push(std::mem::replace(&mut clause, Clause::new('+')));
                }
            }
            _ => clause.add(item, follows_subject),
        }
        follows_subject = item.says == 's' || (follows_subject && item.says == ' ');
    }
    found.push(clause);
    found
}

impl Reader {
    pub(super) fn new() -> Self {
        Self { spoken: Some(Vec::new()), sentences: 0, ran: None }
    }

    pub(super) fn claims(&mut self, items: &[Item<'_>]) -> Vec<Claim> {
        self.sentences += 1;
        // A closing phrase has no subject.
        let parting = items.iter().position(|item| item.says == '.').filter(|index| *index > 0);
        let items = items.get(..parting.unwrap_or(items.len())).unwrap_or_default();
        let claims = if items.len() > ITEMS { None } else { self.read(&clauses(items)) };
        if is_plain(items) {
            return claims.unwrap_or_default();
        }
        if !self.is_silent() {
            self.refer(None, self.was_run());
        }
        Vec::new()
    }

    /// Returns None if the sentence speaks of less than the whole.
    fn read(&mut self, clauses: &[Clause]) -> Option<Vec<Claim>> {
        let is_alone = clauses.iter().filter(|clause| clause.has_items).count() == 1;
        let (mut claims, mut pending, mut tells) = (Vec::new(), Vec::new(), false);
        let (mut is_first, mut follows) = (true, false);
        for (index, clause) in clauses.iter().enumerate() {
            let is_label = clauses.get(index + 1).is_some_and(|next| next.joint == ':');
            let is_count = clause.letters.is_empty() && clause.subjects.is_empty() && clause.is_marked;
            if let (true, Some(number), Some(Claim::Passes { .. })) = (is_count, clause.number, claims.last()) {
                // "All tests pass (42/42)."
                claims.insert(claims.len() - 1, Claim::Count(number));
            } else if !is_first
                && matches!(clause.letters.as_str(), "d" | "C" | "D")
                && pending.is_empty()
                && claims.is_empty()
            {
                // "The parser (of dates) is done."
            } else if let Some(found) = self.clause(clause, &mut pending, is_alone) {
                let stands_alone = !found.is_empty() && (follows || clause.letters == "z");
                if clause.joint == 'W' && !clause.letters.is_empty() && !stands_alone && !tells {
                    self.refer(None, self.was_run());
                    return None;
                }
                follows = !found.is_empty() || (follows && clause.letters.is_empty());
                // "Done: the parser", and a heading above what was done.
                claims.extend(found.into_iter().filter(|claim| !is_label || *claim != Claim::Done));
            } else {
                pending.clear();
                follows = false;
                let is_less = clause.letters.starts_with('i') || clause.joint == '+' || (clause.joint == 'W' && !tells);
                // "Backend: all tests pass."
                let is_part = is_label && clause.letters.bytes().all(|letter| b"owdDO".contains(&letter));
                if is_less || is_part {
                    let has_run = clauses.iter().any(|clause| clause.letters.contains('x'));
                    self.refer(None, has_run || self.was_run());
                    return None;
                }
            }
            tells = clause.letters.starts_with('c') || clause.letters.starts_with("Dw");
            is_first &= clause.letters.is_empty();
        }
        if !pending.is_empty() && !self.was_run() {
            self.refer(Some(pending), false);
        }
        Some(claims)
    }

    /// Returns the claims of a clause; none if it only names subjects. None: it has another meaning.
    fn clause(&mut self, clause: &Clause, pending: &mut Vec<Subject>, is_alone: bool) -> Option<Vec<Claim>> {
        let mut shape = clause.letters.replace(['p', 't'], "g").replace('C', "D");
        let is_of_pending = clause.subjects.is_empty() && !pending.is_empty();
        if is_of_pending {
            shape = format!("s{}", shape.replace('e', ""));
        }
        // "I ran lint, and the tests pass": not lint.
        let others = pending.iter().filter(|_| !self.was_run() || is_of_pending || shape == "s");
        let subjects: Vec<Subject> = others.chain(&clause.subjects).cloned().collect();
        let is = |shapes: &str| shapes.split(' ').any(|other| other == shape);
        let found = if is(PASSES)
            || (is(PASSES_WELL) && (clause.went_well || clause.is_marked))
            || PASSES_SUBJECT.split(' ').any(|shape| shape == clause.letters)
            || (shape == "sk" && subjects.iter().all(|subject| subject.can_work(clause.is_whole)))
        {
            // "Clean" tests are merely tidy.
            let is_tidy = clause.letters.contains('t') && !clause.letters.contains(['p', 'g']);
            let passing = subjects.iter().filter(|subject| !is_tidy || subject.role != Some(Role::Test));
            self.pass(passing.cloned().collect(), clause)
        } else if is(BUILDS) && subjects.iter().all(|subject| matches!(subject.role, None | Some(Role::Typecheck))) {
            let of_subject = subjects.iter().find_map(|subject| subject.role);
            self.pass_roles(&of_subject.or(clause.roles.first().copied()).into_iter().collect::<Vec<Role>>())
        } else if is(NO_ERRORS) && !clause.roles.is_empty() {
            self.pass_roles(&clause.roles)
        } else if let Some(subjects) = self.referred(&shape, clause, is_alone) {
            self.pass(subjects, clause)
        } else if is(WORKS) {
            Some(vec![Claim::Passes { role: None, part: None }])
        } else {
            let is_all = subjects.iter().all(|subject| subject.is_everything && subject.number.is_none());
            let is_done =
                is(DONE) || (is(ALL_DONE) && is_all) || shape.starts_with("Dwl") || clause.letters.starts_with("Dwi");
            (is_done && clause.number.is_none()).then(|| vec![Claim::Done])
        };
        if found.is_some() {
            pending.clear();
            return found;
        }
        self.name(&shape, clause, pending, subjects)
    }

    /// Handles a clause without a claim: it names subjects, or has another meaning.
    fn name(
        &mut self,
        shape: &str,
        clause: &Clause,
        pending: &mut Vec<Subject>,
        subjects: Vec<Subject>,
    ) -> Option<Vec<Claim>> {
        if clause.letters.is_empty() && (clause.number.is_none() || !pending.is_empty()) {
            return Some(Vec::new());
        }
        if matches!(shape, "s" | "xs") {
            if shape == "xs" || (self.was_run() && !pending.is_empty()) {
                self.refer(Some(subjects.clone()), true);
            }
            *pending = subjects;
            return Some(Vec::new());
        }
        let has_run = clause.letters.contains('x') || self.was_run();
        let speaks = has_run || !pending.is_empty() || clause.number.is_some() || clause.letters.contains('s');
        if speaks || !self.is_silent() {
            self.refer(None, has_run);
        }
        None
    }

    /// Resolves "They pass", "all green", "no errors", "42 passed" to the subjects mentioned before.
    fn referred(&self, shape: &str, clause: &Clause, is_alone: bool) -> Option<Vec<Subject>> {
        let is_one = |shapes: &str| shapes.split(' ').any(|other| other == shape);
        let is_counted = clause.number.is_some();
        let spoken = self.spoken.as_ref()?;
        if spoken.is_empty() {
            let is_all = is_one("a ea") || (is_one("z zz") && self.sentences == 1);
            return (is_all && !is_counted && is_alone).then(|| vec![Subject::of(None)]);
        }
        (is_one(REFERS) || (shape == "g" && (clause.is_whole || is_counted))).then(|| spoken.clone())
    }

    fn pass_roles(&mut self, roles: &[Role]) -> Option<Vec<Claim>> {
        let roles = if roles.is_empty() { &[Role::Compile] } else { roles };
        self.pass(roles.iter().map(|role| Subject::of(Some(*role))).collect(), &Clause::new(','))
    }

    /// Records that subjects pass. "Everything" is everything that was run, if the sentence before said so.
    fn pass(&mut self, subjects: Vec<Subject>, clause: &Clause) -> Option<Vec<Claim>> {
        let is_everything = subjects.iter().any(|subject| subject.is_everything) && !clause.letters.contains('k');
        let subjects = if is_everything && self.was_run() { self.spoken.clone()? } else { subjects };
        let claims: Vec<Claim> = subjects.iter().flat_map(|subject| subject.passes(clause)).collect();
        if claims.is_empty() {
            return None;
        }
        self.refer(Some(subjects), false);
        Some(claims)
    }

    fn refer(&mut self, spoken: Option<Vec<Subject>>, has_run: bool) {
        self.spoken = spoken;
        self.ran = has_run.then_some(self.sentences);
    }

    /// Returns whether nothing that can pass was mentioned.
    fn is_silent(&self) -> bool {
        self.spoken.as_ref().is_some_and(Vec::is_empty)
    }

    fn was_run(&self) -> bool {
        self.ran.is_some_and(|sentence| sentence + 1 >= self.sentences)
    }
}

impl Subject {
    fn of(role: Option<Role>) -> Self {
        Self { role, part: None, number: None, is_everything: false }
    }

    fn can_work(&self, is_whole: bool) -> bool {
        matches!(self.role, None | Some(Role::Compile)) || (self.role == Some(Role::Test) && is_whole)
    }

    /// Returns the claims if the clause says that something passes.
    fn passes(&self, clause: &Clause) -> Vec<Claim> {
        let is_tests = self.role == Some(Role::Test) && self.part.is_none();
        let number = self.number.or(clause.number).filter(|_| is_tests);
        let passes = Claim::Passes { role: self.role, part: self.part.clone() };
        match (self.number, number) {
            // "13 checks" may be other checks than these.
            (Some(_), None) => Vec::new(),
            // "12 tests pass" does not say how many tests there are.
            (Some(_), Some(number)) if !clause.is_whole && !clause.letters.contains('z') => vec![Claim::Count(number)],
            (_, Some(number)) => vec![Claim::Count(number), passes],
            (None, None) => vec![passes],
        }
    }
}
