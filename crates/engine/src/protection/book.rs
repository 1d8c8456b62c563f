//! Which rule protects a file.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use referee_model::circumstances::protection::Mode;
use referee_model::lock::{LockRule, Newcomers, RuleSource};

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
    /// The values that alone are protected, by JSON pointer. Empty: the whole file is.
    pub values: Vec<(&'book str, Mode)>,
    /// What becomes of such a file that is new.
    pub newcomers: Newcomers,
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
            // A folder's name means all that lies in it.
            for pattern in [rule.pattern.clone(), format!("{}/**", rule.pattern)] {
                let glob = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(true).build();
                builder.add(glob.map_err(|error| format!("the rule for `{}` cannot be read: {error}", rule.pattern))?);
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
    /// strictest holds. Rules for the whole file go before rules for values, and values that the specification names add to
    /// those of the defaults.
    pub fn of(&self, path: &str) -> Option<Applied<'_>> {
        let mut matched: Vec<usize> =
            self.set.matches(path).into_iter().filter_map(|index| self.owners.get(index).copied()).collect();
        matched.sort_unstable();
        matched.dedup();
        let matched: Vec<&LockRule> = matched.into_iter().filter_map(|index| self.rules.get(index)).collect();
        let mut values: Vec<&LockRule> = Vec::new();
        for source in [RuleSource::Fixed, RuleSource::Declared, RuleSource::Default] {
            let (whole, of_values): (Vec<&LockRule>, Vec<&LockRule>) =
                matched.iter().copied().filter(|rule| rule.source == source).partition(|rule| rule.pointer.is_none());
            match whole.into_iter().min_by_key(|rule| rule.mode) {
                Some(rule) if values.is_empty() => return Some(applied(rule, Vec::new())),
                Some(_) => break,
                None => {}
            }
            for rule in of_values {
                if values.iter().all(|other| other.pointer != rule.pointer) {
                    values.push(rule);
                }
            }
        }
        let first = *values.iter().min_by_key(|rule| rule.mode)?;
        let values = values.iter().filter_map(|rule| Some((rule.pointer.as_deref()?, rule.mode))).collect();
        Some(applied(first, values))
    }
}

fn applied<'book>(rule: &'book LockRule, values: Vec<(&'book str, Mode)>) -> Applied<'book> {
    Applied {
        mode: rule.mode,
        // A new file with values is free: what it says is not what the baseline's files say.
        newcomers: if values.is_empty() { rule.newcomers } else { Newcomers::Free },
        values,
        source: rule.source,
        reason: &rule.reason,
    }
}
