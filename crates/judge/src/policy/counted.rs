//! Effect of a policy's options on the counts of findings, one after another (ruling 10).

use referee_model::limit::OTHER_RULES;
use referee_model::outcome::{FindingCounts, PolicyOption, PolicyStep};
use referee_model::plan::{CriticalSeverities, ToolPolicy};
use referee_model::reading::{Counts, RuleCounts};
use referee_model::strictness::Strictness;

/// Options of a policy beside its strategy.
#[derive(Debug, Clone, Default)]
pub(super) struct Options {
    pub(super) tool: ToolPolicy,
    pub(super) critical: CriticalSeverities,
}

/// Findings, counted under a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) read: FindingCounts,
    /// Effect of each option that is set.
    pub(super) steps: Vec<PolicyStep>,
    pub(super) left: FindingCounts,
}

impl Counted {
    /// Returns the number of findings that options removed.
    pub(super) fn taken(&self) -> u64 {
        let taken = self.steps.iter().filter(|step| takes_away(step.option));
        taken.fold(0, |sum, step| sum.saturating_add(step.findings))
    }
}

/// Returns whether an option removes findings; others turn warnings into errors.
pub(super) fn takes_away(option: PolicyOption) -> bool {
    matches!(option, PolicyOption::IgnoredRules | PolicyOption::AllowImplicitAny | PolicyOption::StrictMode)
}

/// Options that change the counts, in order of application. A finding is affected by the first option that names it.
const IN_ORDER: [PolicyOption; 6] = [
    PolicyOption::IgnoredRules,
    PolicyOption::AllowImplicitAny,
    PolicyOption::StrictMode,
    PolicyOption::ErrorOnRules,
    PolicyOption::TreatWarningsAsErrors,
    PolicyOption::CriticalSeverities,
];

/// Counts findings: effective errors = errors + warnings of `errorOnRules` + all warnings under
/// `treatWarningsAsErrors`, minus the findings of `ignoredRules`, `allowImplicitAny` and `strictMode`; removal
/// is applied first. Remarks (infos) do not count, unless `criticalSeverities` names them.
///
/// Findings without a known rule cannot be removed: a summary may count more than was listed.
pub(super) fn count(counts: &Counts, options: &Options, strictness: Option<Strictness>) -> Counted {
    let mut listed = Sums::default();
    let mut fates = IN_ORDER.map(|option| (option, Sums::default()));
    for (rule, of_rule) in &counts.by_rule {
        listed.add(*of_rule);
        let fate = fate(rule, &options.tool, strictness);
        if let Some((_, sums)) = fates.iter_mut().find(|(option, _)| fate == Some(*option)) {
            sums.add(*of_rule);
        }
    }
    let mut left = Sums {
        errors: listed.errors.max(u128::from(counts.errors)),
        warnings: listed.warnings.max(u128::from(counts.warnings)),
        infos: listed.infos.max(u128::from(counts.infos)),
    };
    let read = left.counts();
    let mut steps = Vec::new();
    for (option, of_option) in fates.into_iter().filter(|(option, _)| is_set(options, *option)) {
        let findings = if takes_away(option) {
            left.errors = left.errors.saturating_sub(of_option.errors);
            left.warnings = left.warnings.saturating_sub(of_option.warnings);
            left.infos = left.infos.saturating_sub(of_option.infos);
            of_option.errors + of_option.warnings
        } else {
            let (warnings, infos) = match option {
                PolicyOption::TreatWarningsAsErrors => (left.warnings, 0),
                PolicyOption::CriticalSeverities => left.critical(options.critical),
                _ => (of_option.warnings, 0),
            };
            left.warnings = left.warnings.saturating_sub(warnings);
            left.infos = left.infos.saturating_sub(infos);
            left.errors += warnings + infos;
            warnings + infos
        };
        steps.push(PolicyStep { option, findings: clamped(findings), left: left.counts() });
    }
    Counted { read, steps, left: left.counts() }
}

/// Returns whether an option is set to a value other than its default.
pub(super) fn is_set(options: &Options, option: PolicyOption) -> bool {
    let policy = &options.tool;
    match option {
        PolicyOption::Enabled => !policy.enabled,
        PolicyOption::IgnoredRules => !policy.ignored_rules.is_empty(),
        PolicyOption::AllowImplicitAny => policy.allow_implicit_any,
        PolicyOption::StrictMode => !policy.strict_mode,
        PolicyOption::ErrorOnRules => !policy.error_on_rules.is_empty(),
        PolicyOption::TreatWarningsAsErrors => policy.treat_warnings_as_errors,
        PolicyOption::CriticalSeverities => options.critical != CriticalSeverities::default(),
        PolicyOption::MaxWarnings => policy.max_warnings.is_some(),
        PolicyOption::BlockOn => policy.block_on.is_some(),
        PolicyOption::Strategy | PolicyOption::Default => false,
    }
}

/// Returns the first option that affects a rule's findings, except `treatWarningsAsErrors` and
/// `criticalSeverities`, which do not depend on rules.
pub(super) fn fate(rule: &str, policy: &ToolPolicy, strictness: Option<Strictness>) -> Option<PolicyOption> {
    if named(&policy.ignored_rules, rule) {
        Some(PolicyOption::IgnoredRules)
    } else if policy.allow_implicit_any && strictness.is_some_and(|strictness| strictness.is_implicit_any(rule)) {
        Some(PolicyOption::AllowImplicitAny)
    } else if !policy.strict_mode && strictness.is_some_and(|strictness| strictness.is_strict_only(rule)) {
        Some(PolicyOption::StrictMode)
    } else {
        named(&policy.error_on_rules, rule).then_some(PolicyOption::ErrorOnRules)
    }
}

/// Returns whether a list names this rule, ignoring case, as a whole: `no-unused-vars` is not the rule of a
/// plugin that ends with that name. Findings without a rule, and those counted under "other rules", cannot be
/// named.
fn named(rules: &[String], rule: &str) -> bool {
    !rule.is_empty() && rule != OTHER_RULES && rules.iter().any(|name| name.eq_ignore_ascii_case(rule))
}

/// Sums that cannot overflow, whatever numbers tools report.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    errors: u128,
    warnings: u128,
    infos: u128,
}

impl Sums {
    fn add(&mut self, counts: RuleCounts) {
        self.errors += u128::from(counts.errors);
        self.warnings += u128::from(counts.warnings);
        self.infos += u128::from(counts.infos);
    }

    /// Returns the number of critical warnings and infos.
    fn critical(self, critical: CriticalSeverities) -> (u128, u128) {
        (if critical.warnings { self.warnings } else { 0 }, if critical.infos { self.infos } else { 0 })
    }

    fn counts(self) -> FindingCounts {
        FindingCounts { errors: clamped(self.errors), warnings: clamped(self.warnings) }
    }
}

fn clamped(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
