//! Which rule protects a file.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use referee_model::lock::{LockRule, RuleSource};
use referee_model::run_context::protection::Mode;

/// Sources of rules, by precedence.
const SOURCES: [RuleSource; 3] = [RuleSource::Fixed, RuleSource::Declared, RuleSource::Default];

/// Compiled rules, to be matched against many files.
#[derive(Debug)]
pub struct RuleBook {
    rules: Vec<LockRule>,
    set: GlobSet,
    /// Index of the rule of each pattern in the set.
    owners: Vec<usize>,
}

/// The protection of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied<'book> {
    /// Mode of the file; if only values are protected, that of the most strictly protected one.
    pub mode: Mode,
    /// JSON pointers of the protected values; the empty pointer is the whole document. Empty if the whole file is
    /// protected.
    pub values: Vec<(&'book str, Mode)>,
    /// Source of the rule.
    pub source: RuleSource,
    /// Reason of the rule.
    pub reason: &'book str,
}

impl RuleBook {
    /// Compiles rules.
    ///
    /// # Errors
    /// Fails for an invalid pattern: a rule that protects nothing must not look like one that does.
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

    /// Whether some rule matches both files.
    pub fn share(&self, one: &str, other: &str) -> bool {
        let rules = |path: &str| self.set.matches(path).into_iter().filter_map(|index| self.owners.get(index));
        rules(one).any(|rule| rules(other).any(|also| also == rule))
    }

    /// Returns the protection of a file. `None` if it is not protected.
    ///
    /// Fixed rules for the specification's own files come first, then declared rules, then defaults. Of several
    /// rules with equal precedence the strictest applies. Rules for the whole file take precedence over rules for
    /// values; if the whole file is only under review, its values are protected in addition. Values that the
    /// specification declares add to those of the defaults.
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

    /// Returns the rules that may refuse a new file: those of the source that decides about the whole file, and
    /// rules for values of the sources before it.
    pub(super) fn deciding(&self, path: &str) -> Vec<&LockRule> {
        let mut matched = self.matched(path);
        let whole = matched.iter().filter(|rule| rule.pointer.is_none());
        if let Some(decides) = whole.map(|rule| rule.source).min() {
            matched.retain(|rule| rule.source <= decides);
        }
        matched
    }

    /// Returns the rules that match a path, in their order.
    fn matched(&self, path: &str) -> Vec<&LockRule> {
        let mut matched: Vec<usize> =
            self.set.matches(path).into_iter().filter_map(|index| self.owners.get(index).copied()).collect();
        matched.sort_unstable();
        matched.dedup();
        matched.into_iter().filter_map(|index| self.rules.get(index)).collect()
    }
}

/// Returns the globs of a pattern: for the path itself, and for everything in it.
pub(super) fn globs(pattern: &str) -> Result<[Glob; 2], globset::Error> {
    let glob = |pattern: &str| GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
    // The name of a directory stands for everything in it.
    Ok([glob(pattern)?, glob(&format!("{pattern}/**"))?])
}

fn applied<'book>(rule: &'book LockRule, values: Vec<(&'book str, Mode)>) -> Applied<'book> {
    Applied { mode: rule.mode, values, source: rule.source, reason: &rule.reason }
}
