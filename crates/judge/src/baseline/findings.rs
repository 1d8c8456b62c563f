//! Findings, separated into known and new ones.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::baseline::{ActionBaseline, BaselineStanding, Tally};
use referee_model::fingerprint::Fingerprint;
use referee_model::limit::OTHER_RULES;
use referee_model::plan::Action;
use referee_model::reading::{Counts, Level, Reading, RuleCounts};

use crate::fingerprint;

/// Findings, separated into known and new ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sorted {
    /// Exact counts of new findings, as policy weighs them.
    pub new: Counts,
    pub standing: BaselineStanding,
    /// Whether some findings were compared by number only, because not every finding was kept individually.
    pub by_number: bool,
}

/// Separates findings that are in the baseline from new ones.
///
/// | a finding                                                              | is              |
/// |------------------------------------------------------------------------|-----------------|
/// | its fingerprint is in the baseline, and not matched yet                | known           |
/// | its fingerprint is in the baseline, but matched as often already       | new             |
/// | moved to another line                                                  | known           |
/// | in another file of the project, of another rule, with other words      | new             |
/// | an error that is a warning in the baseline                             | new             |
/// | a warning that is an error in the baseline                             | known           |
/// | not kept individually, then or now                                     | by number, below |
///
/// For findings that were not kept individually the exact numbers per rule decide: as many as the baseline has
/// beyond those matched are known, each further one is new. So the number of new findings is never lower than
/// the growth of the numbers per rule.
pub fn sort(known: &ActionBaseline, action: &Action, reading: &Reading) -> Sorted {
    let mut matching = Matching::of(known);
    let mut unmatched: BTreeMap<(String, Level), Vec<usize>> = BTreeMap::new();
    // Errors first, so that only the rest covers warnings, never the other way round.
    for level in [Level::Error, Level::Warning] {
        let of_level = reading.diagnostics.iter().enumerate().filter(|(_, found)| found.level == level);
        for (at, found) in of_level {
            if !matching.takes(fingerprint::of_finding(action, found), level) {
                let rule = counted_under(&reading.counts, found.code.as_deref());
                unmatched.entry((rule.to_owned(), level)).or_default().push(at);
            }
        }
    }
    let listed = listed(reading);
    let seen = matching.left_by_rule();
    let mut sorted = Sorted { new: Counts::default(), standing: BaselineStanding::default(), by_number: false };
    for (rule, total) in totals(&reading.counts) {
        let mut of_rule = RuleCounts { infos: total.infos, ..RuleCounts::default() };
        for level in [Level::Error, Level::Warning] {
            let places = unmatched.remove(&(rule.clone(), level)).unwrap_or_default();
            let number = |counts: Option<&RuleCounts>| counts.map_or(0, |counts| at(counts, level));
            let unlisted = at(&total, level).saturating_sub(number(listed.get(&rule)));
            let unseen = number(known.unlisted.get(&rule));
            let beyond = unlisted.saturating_sub(number(seen.get(&rule)));
            let new = (places.len() as u64).saturating_add(beyond).saturating_sub(unseen).min(at(&total, level));
            sorted.by_number |= unlisted > 0 || unseen > 0;
            // If fewer are new than unmatched, it is unknown which ones: the last ones are named.
            let named = usize::try_from(new).unwrap_or(usize::MAX).min(places.len());
            sorted.standing.new_findings.extend(&places[places.len() - named..]);
            let known = at(&total, level) - new;
            match level {
                Level::Error => {
                    of_rule.errors = new;
                    add(&mut sorted.standing.known.errors, known);
                }
                Level::Warning | Level::Info => {
                    of_rule.warnings = new;
                    add(&mut sorted.standing.known.warnings, known);
                }
            }
        }
        add(&mut sorted.new.errors, of_rule.errors);
        add(&mut sorted.new.warnings, of_rule.warnings);
        sorted.new.by_rule.insert(rule, of_rule);
    }
    sorted.finish(reading)
}

impl Sorted {
    fn finish(mut self, reading: &Reading) -> Self {
        self.standing.new_findings.sort_unstable();
        let is_new: BTreeSet<usize> = self.standing.new_findings.iter().copied().collect();
        let fixable = reading.diagnostics.iter().enumerate().filter(|(at, found)| found.fixable && is_new.contains(at));
        self.new.fixable = fixable.count() as u64;
        self.new.infos = reading.counts.infos;
        if self.standing.known.total() == 0 {
            self.new = reading.counts.clone();
        }
        self.standing.new = Tally { errors: self.new.errors, warnings: self.new.warnings, failed_tests: 0 };
        self
    }
}

/// The part of the baseline that is not matched yet.
struct Matching<'a> {
    left: BTreeMap<Fingerprint, (RuleCounts, Option<&'a str>)>,
}

impl<'a> Matching<'a> {
    fn of(known: &'a ActionBaseline) -> Self {
        let left = known.findings.iter().map(|(fingerprint, finding)| {
            let number = RuleCounts { errors: finding.errors, warnings: finding.warnings, infos: 0 };
            (*fingerprint, (number, finding.code.as_deref()))
        });
        Self { left: left.collect() }
    }

    /// Consumes one finding with this fingerprint that is at least as severe, if one is left.
    fn takes(&mut self, fingerprint: Fingerprint, level: Level) -> bool {
        let Some((left, _)) = self.left.get_mut(&fingerprint) else { return false };
        let slot = match level {
            Level::Warning if left.warnings > 0 => &mut left.warnings,
            Level::Error | Level::Warning if left.errors > 0 => &mut left.errors,
            Level::Error | Level::Warning | Level::Info => return false,
        };
        *slot -= 1;
        true
    }

    fn left_by_rule(&self) -> BTreeMap<String, RuleCounts> {
        let mut by_rule: BTreeMap<String, RuleCounts> = BTreeMap::new();
        for (left, rule) in self.left.values() {
            let of_rule = by_rule.entry(rule.unwrap_or_default().to_owned()).or_default();
            add(&mut of_rule.errors, left.errors);
            add(&mut of_rule.warnings, left.warnings);
        }
        by_rule
    }
}

/// Returns exact counts per rule of errors and warnings that were not kept individually.
pub(super) fn unlisted(reading: &Reading) -> BTreeMap<String, RuleCounts> {
    let listed = listed(reading);
    let rest = totals(&reading.counts).into_iter().map(|(rule, total)| {
        let kept = listed.get(&rule).copied().unwrap_or_default();
        let rest = RuleCounts {
            errors: total.errors.saturating_sub(kept.errors),
            warnings: total.warnings.saturating_sub(kept.warnings),
            infos: 0,
        };
        (rule, rest)
    });
    rest.filter(|(_, rest)| rest.errors > 0 || rest.warnings > 0).collect()
}

/// Returns counts per rule. Findings in the summary beyond those have no known rule, like findings of rules
/// that are not counted individually.
fn totals(counts: &Counts) -> BTreeMap<String, RuleCounts> {
    let mut totals = counts.by_rule.clone();
    let sum = |number: fn(&RuleCounts) -> u64| counts.by_rule.values().map(number).fold(0, u64::saturating_add);
    let errors = counts.errors.saturating_sub(sum(|rule| rule.errors));
    let warnings = counts.warnings.saturating_sub(sum(|rule| rule.warnings));
    if errors > 0 || warnings > 0 {
        let others = totals.entry(OTHER_RULES.to_owned()).or_default();
        add(&mut others.errors, errors);
        add(&mut others.warnings, warnings);
    }
    totals
}

/// Returns counts per rule of the findings that are kept individually.
fn listed(reading: &Reading) -> BTreeMap<String, RuleCounts> {
    let mut listed: BTreeMap<String, RuleCounts> = BTreeMap::new();
    for found in &reading.diagnostics {
        let of_rule = listed.entry(counted_under(&reading.counts, found.code.as_deref()).to_owned()).or_default();
        match found.level {
            Level::Error => of_rule.errors += 1,
            Level::Warning => of_rule.warnings += 1,
            Level::Info => {}
        }
    }
    listed
}

/// Returns the name under which findings of this rule are counted.
fn counted_under<'a>(counts: &Counts, code: Option<&'a str>) -> &'a str {
    let rule = code.unwrap_or_default();
    if counts.by_rule.contains_key(rule) { rule } else { OTHER_RULES }
}

fn at(counts: &RuleCounts, level: Level) -> u64 {
    match level {
        Level::Error => counts.errors,
        Level::Warning => counts.warnings,
        Level::Info => counts.infos,
    }
}

fn add(sum: &mut u64, number: u64) {
    *sum = sum.saturating_add(number);
}
