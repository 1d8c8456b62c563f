//! What the options of a policy make of findings, one after another (ruling 10).

use referee_model::limit::OTHER_RULES;
use referee_model::outcome::{FindingCounts, PolicyOption, PolicyStep};
use referee_model::plan::{CriticalSeverities, ToolPolicy};
use referee_model::reading::{Counts, RuleCounts};
use referee_model::strictness::Strictness;

/// What a policy says beside its strategy.
#[derive(Debug, Clone, Default)]
pub(super) struct Options {
    pub(super) tool: ToolPolicy,
    pub(super) critical: CriticalSeverities,
}

/// Findings, counted under a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) read: FindingCounts,
    /// What each option that is set made of them.
    pub(super) steps: Vec<PolicyStep>,
    pub(super) left: FindingCounts,
}

impl Counted {
    /// Findings that options took away.
    pub(super) fn taken(&self) -> u64 {
        let taken = self.steps.iter().filter(|step| takes_away(step.option));
        taken.fold(0, |sum, step| sum.saturating_add(step.findings))
    }
}

/// Whether an option takes findings away, where others make errors of warnings.
pub(super) fn takes_away(option: PolicyOption) -> bool {
    matches!(option, PolicyOption::IgnoredRules | PolicyOption::AllowImplicitAny | PolicyOption::StrictMode)
}

/// Options that change what is counted, in the order in which they apply. A finding is taken by the first that names it.
const IN_ORDER: [PolicyOption; 6] = [
    PolicyOption::IgnoredRules,
    PolicyOption::AllowImplicitAny,
    PolicyOption::StrictMode,
    PolicyOption::ErrorOnRules,
    PolicyOption::TreatWarningsAsErrors,
    PolicyOption::CriticalSeverities,
];

/// Effective errors = errors + warnings of `errorOnRules` + all warnings under `treatWarningsAsErrors`, minus the findings
/// of `ignoredRules`, `allowImplicitAny` and `strictMode`; taking away goes first. Remarks (infos) are no findings, unless
/// `criticalSeverities` names them.
///
/// What no rule accounts for cannot be taken away: a summary may know of more than was listed.
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

/// Whether an option is set to something else than what holds without it.
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

/// The first option that speaks of a rule's findings, but for `treatWarningsAsErrors` and `criticalSeverities`, which ask for
/// no rule.
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

/// Whether a list names this rule, in whatever case, and whole: `no-unused-vars` is not the rule of a plugin with that
/// name at its end. Findings without a rule, and those counted under "other rules", have no name that a list could give.
fn named(rules: &[String], rule: &str) -> bool {
    !rule.is_empty() && rule != OTHER_RULES && rules.iter().any(|name| name.eq_ignore_ascii_case(rule))
}

/// Sums that no numbers of tools can make overflow.
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

    /// Warnings and infos that are critical.
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
