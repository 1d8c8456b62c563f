//! What findings come to: rulings 10 and 11 (seed 1, "Configurable validation policies").

use referee_model::outcome::{PolicyApplied, PolicySource};
use referee_model::plan::{Category, Policies, Role, Strategy, ToolPolicy};
use referee_model::reading::{Counts, RuleCounts};
use referee_model::severity::Severity;

use crate::wording::count;

/// Findings, weighed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// Whether findings are left that count; without any the action succeeds.
    pub findings: bool,
    /// Whether they block.
    pub blocking: bool,
    /// How grave they are; [`Severity::None`] where none count.
    pub severity: Severity,
    /// Whether the strategy NEVER hides them all. It never hides a tool that did not work: that is the caller's care.
    pub ignored_entirely: bool,
    /// What was applied, for the report.
    pub applied: PolicyApplied,
}

/// Returns the category whose policy speaks of a validation role. None: the role has no findings to weigh.
pub fn category(role: Role) -> Option<Category> {
    match role {
        Role::Typecheck => Some(Category::TypeChecking),
        Role::Lint => Some(Category::Linting),
        Role::Format => Some(Category::Formatting),
        Role::Compile => Some(Category::Compilation),
        Role::Test | Role::Other => None,
    }
}

/// Weighs what a tool found by its policy, its category's strategy, or the default table (ruling 10).
pub fn weigh(policies: &Policies, tool: Option<&str>, category: Category, counts: &Counts) -> Weighed {
    let own = tool.and_then(|tool| tool_policy(policies, tool));
    let (strategy, source) = strategy(policies, own, category);
    let default = ToolPolicy::default();
    let options = own.unwrap_or(&default);
    let effective = Effective::of(counts, options);
    let over_limit = options.max_warnings.is_some_and(|limit| effective.warnings > limit);
    let (blocking, severity) = decide(strategy, source, &effective, over_limit);
    let reason = reason(tool, category, strategy, source, &effective, options.max_warnings.filter(|_| over_limit));
    Weighed {
        findings: severity != Severity::None,
        blocking,
        severity,
        ignored_entirely: strategy == Strategy::Never,
        applied: PolicyApplied {
            tool: tool.map(str::to_owned),
            category,
            strategy,
            source,
            effective_errors: effective.errors,
            effective_warnings: effective.warnings,
            ignored: effective.ignored,
            max_warnings: options.max_warnings,
            blocking,
            reason,
        },
    }
}

/// The decision, in the shape of its table. An error goes before the limit of warnings, and that before warnings.
///
/// | strategy            | errors         | warnings over the limit | warnings     | none |
/// |---------------------|----------------|-------------------------|--------------|------|
/// | ERRORS_ALWAYS       | block CRITICAL | block HIGH              | pass MEDIUM  | –    |
/// | ERRORS_ONLY         | block HIGH     | block HIGH              | pass MEDIUM  | –    |
/// | ERRORS_AND_WARNINGS | block HIGH     | block HIGH              | block HIGH   | –    |
/// | WARN_ONLY, disabled | pass LOW       | pass LOW                | pass LOW     | –    |
/// | NEVER               | –              | –                       | –            | –    |
///
/// "–" is no finding at all: the action succeeds.
fn decide(strategy: Strategy, source: PolicySource, effective: &Effective, over_limit: bool) -> (bool, Severity) {
    use Severity::{Critical, High, Low, Medium, None};
    let (errors, warnings) = (effective.errors > 0, effective.warnings > 0);
    if source == PolicySource::Disabled {
        return if errors || warnings { (false, Low) } else { (false, None) };
    }
    match (strategy, errors, over_limit, warnings) {
        (Strategy::Never, ..) | (_, false, false, false) => (false, None),
        (Strategy::WarnOnly, ..) => (false, Low),
        (Strategy::ErrorsAlways, true, ..) => (true, Critical),
        (Strategy::ErrorsAndWarnings, ..) | (Strategy::ErrorsOnly, true, ..) | (_, _, true, _) => (true, High),
        (Strategy::ErrorsAlways | Strategy::ErrorsOnly, false, false, true) => (false, Medium),
    }
}

/// A tool's own policy; `tsc` is also known by the name that seed 1 gives it.
fn tool_policy<'a>(policies: &'a Policies, tool: &str) -> Option<&'a ToolPolicy> {
    policies.tools.get(tool).or_else(|| if tool == "tsc" { policies.tools.get("typescript") } else { None })
}

/// The tool's `blockOn` goes before its category's strategy, and that before the default table. A disabled tool is
/// reported and never blocks.
fn strategy(policies: &Policies, own: Option<&ToolPolicy>, category: Category) -> (Strategy, PolicySource) {
    if own.is_some_and(|own| !own.enabled) {
        return (Strategy::WarnOnly, PolicySource::Disabled);
    }
    if let Some(strategy) = own.and_then(|own| own.block_on) {
        return (strategy, PolicySource::Tool);
    }
    if let Some(strategy) = policies.categories.get(&category) {
        return (*strategy, PolicySource::Category);
    }
    let strategy = match category {
        Category::TypeChecking | Category::Compilation => Strategy::ErrorsAlways,
        Category::Linting => Strategy::ErrorsOnly,
        Category::Formatting => Strategy::WarnOnly,
    };
    (strategy, PolicySource::Default)
}

/// What is left of the counts after all options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Effective {
    errors: u64,
    warnings: u64,
    ignored: u64,
}

impl Effective {
    /// Effective errors = errors + warnings of `errorOnRules` + all warnings under `treatWarningsAsErrors`, minus the
    /// findings of `ignoredRules`; ignoring goes first. Remarks (infos) are no findings.
    fn of(counts: &Counts, options: &ToolPolicy) -> Self {
        let mut left = Self { errors: 0, warnings: 0, ignored: 0 };
        let mut told_apart = RuleCounts::default();
        for (rule, of_rule) in &counts.by_rule {
            told_apart.errors = told_apart.errors.saturating_add(of_rule.errors);
            told_apart.warnings = told_apart.warnings.saturating_add(of_rule.warnings);
            if named(&options.ignored_rules, rule) {
                left.ignored = left.ignored.saturating_add(of_rule.errors).saturating_add(of_rule.warnings);
                continue;
            }
            left.errors = left.errors.saturating_add(of_rule.errors);
            if named(&options.error_on_rules, rule) {
                left.errors = left.errors.saturating_add(of_rule.warnings);
            } else {
                left.warnings = left.warnings.saturating_add(of_rule.warnings);
            }
        }
        // Findings that no rule accounts for cannot be ignored: a summary may know of more than was listed.
        left.errors = left.errors.saturating_add(counts.errors.saturating_sub(told_apart.errors));
        left.warnings = left.warnings.saturating_add(counts.warnings.saturating_sub(told_apart.warnings));
        if options.treat_warnings_as_errors {
            left.errors = left.errors.saturating_add(left.warnings);
            left.warnings = 0;
        }
        left
    }
}

/// Whether a list names this rule. Findings without a rule, and those counted under "other rules", have no name that a
/// list could give.
fn named(rules: &[String], rule: &str) -> bool {
    !rule.is_empty() && rule != referee_model::limit::OTHER_RULES && rules.iter().any(|name| name == rule)
}

fn reason(
    tool: Option<&str>,
    category: Category,
    strategy: Strategy,
    source: PolicySource,
    effective: &Effective,
    exceeded: Option<u64>,
) -> String {
    let of_tool = tool.unwrap_or(match category {
        Category::Linting => "lint",
        Category::TypeChecking => "type",
        Category::Compilation => "compiler",
        Category::Formatting => "format",
    });
    let (errors, warnings) = (effective.errors, effective.warnings);
    let rule = if source == PolicySource::Disabled { "enabled: false" } else { spelled(strategy) };
    if strategy == Strategy::Never {
        return "findings are ignored (NEVER)".to_owned();
    }
    if errors == 0 && warnings == 0 {
        return match effective.ignored {
            0 => format!("no {of_tool} findings"),
            ignored => format!("no {of_tool} findings count: ignoredRules take {ignored} away"),
        };
    }
    let blocks_on_both = matches!(strategy, Strategy::ErrorsAndWarnings | Strategy::WarnOnly);
    if blocks_on_both && errors > 0 && warnings > 0 {
        return format!("{} and {} ({rule})", count(errors, &format!("{of_tool} error")), count(warnings, "warning"));
    }
    if errors > 0 {
        return format!("{} ({rule})", count(errors, &format!("{of_tool} error")));
    }
    match exceeded {
        Some(limit) if matches!(strategy, Strategy::ErrorsAlways | Strategy::ErrorsOnly) => {
            let verb = if warnings == 1 { "exceeds" } else { "exceed" };
            format!("{} {verb} maxWarnings ({limit})", count(warnings, "warning"))
        }
        _ => format!("{} ({rule})", count(warnings, &format!("{of_tool} warning"))),
    }
}

/// Returns a strategy as seed 1 spells it.
fn spelled(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::ErrorsAlways => "BLOCK_ON_ERRORS_ALWAYS",
        Strategy::ErrorsOnly => "BLOCK_ON_ERRORS_ONLY",
        Strategy::ErrorsAndWarnings => "BLOCK_ON_ERRORS_AND_WARNINGS",
        Strategy::WarnOnly => "WARN_ONLY",
        Strategy::Never => "NEVER",
    }
}

#[cfg(test)]
mod tests;
