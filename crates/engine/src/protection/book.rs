//! Which rule protects a file.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use referee_model::lock::{LockRule, RuleSource};
use referee_model::run_context::protection::Mode;

/// Who gives rules, the first before the others.
const SOURCES: [RuleSource; 3] = [RuleSource::Fixed, RuleSource::Declared, RuleSource::Default];

/// Rules, ready to be asked about many files.
#[derive(Debug)]
pub struct RuleBook {
    rules: Vec<LockRule>,
    set: GlobSet,
    /// The rule that each pattern of the set belongs to.
    owners: Vec<usize>,
}

/// How a file is protected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied<'book> {
    /// How; where values of it are, how the best protected one is.
    pub mode: Mode,
    /// The values that alone are protected, by JSON pointer; the empty one is all of it. Empty: the whole file is.
    pub values: Vec<(&'book str, Mode)>,
    /// Who says so.
    pub source: RuleSource,
    /// Why.
    pub reason: &'book str,
}

impl RuleBook {
    /// Makes rules ready.
    ///
    /// # Errors
    /// Fails for a pattern that cannot be read: a rule that protects nothing must not look like one that does.
    pub fn new(rules: &[LockRule]) -> Result<Self, String> {
        let mut builder = GlobSetBuilder::new();
        let mut owners = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            let globs = globs(&rule.pattern);
            for glob in globs.map_err(|error| format!("the rule for `{}` cannot be read: {error}", rule.pattern))? {
                builder.add(glob);
                owners.push(index);
            }
        }
        let set = builder.build().map_err(|error| format!("the rules cannot be used: {error}"))?;
        Ok(Self { rules: rules.to_vec(), set, owners })
    }

    /// Whether one rule is about two files.
    pub fn share(&self, one: &str, other: &str) -> bool {
        let rules = |path: &str| self.set.matches(path).into_iter().filter_map(|index| self.owners.get(index));
        rules(one).any(|rule| rules(other).any(|also| also == rule))
    }

    /// Returns how a file is protected. None: it is not.
    ///
    /// What the specification is goes first, then what it says, then the defaults. Of several rules that go equally the
    /// strictest holds. Rules for the whole file go before rules for values; where the whole is only under review, values of it are
    /// held beside. Values that the specification names add to those of the defaults.
    pub fn of(&self, path: &str) -> Option<Applied<'_>> {
        let matched = self.matched(path);
        let mut values: Vec<&LockRule> = Vec::new();
        let mut rest = None;
        for source in SOURCES {
            let (whole, of_values): (Vec<&LockRule>, Vec<&LockRule>) =
                matched.iter().copied().filter(|rule| rule.source == source).partition(|rule| rule.pointer.is_none());
            match whole.into_iter().min_by_key(|rule| rule.mode) {
                Some(rule) if values.is_empty() && (rule.mode != Mode::Review || of_values.is_empty()) => {
                    return Some(applied(rule, Vec::new()));
                }
                Some(rule) if rule.mode == Mode::Review => rest = Some(("", Mode::Review)),
                Some(_) => break,
                None => {}
            }
            for rule in of_values {
                if values.iter().all(|other| other.pointer != rule.pointer) {
                    values.push(rule);
                }
            }
            if rest.is_some() {
                break;
            }
        }
        let first = *values.iter().min_by_key(|rule| rule.mode)?;
        let values = values.iter().filter_map(|rule| Some((rule.pointer.as_deref()?, rule.mode)));
        let values = values.chain(rest).collect();
        Some(applied(first, values))
    }

    /// Returns the rules of which one may refuse a file that is new: those of the source that decides about the whole file, and values
    /// of the sources before it.
    pub(super) fn deciding(&self, path: &str) -> Vec<&LockRule> {
        let mut matched = self.matched(path);
        let whole = matched.iter().filter(|rule| rule.pointer.is_none());
        if let Some(decides) = whole.map(|rule| rule.source).min() {
            matched.retain(|rule| rule.source <= decides);
        }
        matched
    }

    /// The rules that name a path, in their order.
    fn matched(&self, path: &str) -> Vec<&LockRule> {
        let mut matched: Vec<usize> =
            self.set.matches(path).into_iter().filter_map(|index| self.owners.get(index).copied()).collect();
        matched.sort_unstable();
        matched.dedup();
        matched.into_iter().filter_map(|index| self.rules.get(index)).collect()
    }
}

/// The glob of a pattern: what it names, and all that lies in it.
pub(super) fn globs(pattern: &str) -> Result<[Glob; 2], globset::Error> {
    let glob = |pattern: &str| GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
    // A directory's name means all that lies in it.
    Ok([glob(pattern)?, glob(&format!("{pattern}/**"))?])
}

fn applied<'book>(rule: &'book LockRule, values: Vec<(&'book str, Mode)>) -> Applied<'book> {
    Applied { mode: rule.mode, values, source: rule.source, reason: &rule.reason }
}
