//! Effect of findings under policies: rulings 10 and 11 (seed 1, "Configurable validation policies").

use referee_model::outcome::{FindingCounts, PolicyApplied, PolicyOption, PolicySource};
use referee_model::plan::{Category, CriticalSeverities, Policies, Role, Strategy, ToolPolicy};
use referee_model::reading::{Counts, Diagnostic, Level};
use referee_model::severity::Severity;
use referee_model::strictness::{self, Strictness};

use self::counted::{Counted, Options, count, fate, is_set, takes_away};
use crate::role;

mod counted;
mod reason;
mod trail;

pub use self::trail::trail;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// Whether findings remain that count; without any the action succeeds.
    pub findings: bool,
    pub blocking: bool,
    /// Severity of the findings; [`Severity::None`] if none count.
    pub severity: Severity,
    /// Whether the strategy NEVER hides all of them. Callers must handle tools that did not work, which it
    /// never hides.
    pub ignored_entirely: bool,
    /// Applied policy, for the report.
    pub applied: PolicyApplied,
}

impl Weighed {
    /// Returns whether the policy covers a tool that fails because of findings that do not block (ruling 9).
    ///
    /// | policy                                                   | forgives                            |
    /// |----------------------------------------------------------|-------------------------------------|
    /// | WARN_ONLY, written or the default of formatters          | yes                                 |
    /// | NEVER, `enabled: false`                                  | yes                                 |
    /// | `maxWarnings`, not exceeded                              | yes                                 |
    /// | `ignoredRules` and the like that take all findings away, | yes                                 |
    /// | or errors, which account for the exit code               |                                     |
    /// | ERRORS_ONLY, ERRORS_ALWAYS, written or by default        | no: errors are defined by level     |
    pub fn forgives(&self) -> bool {
        let applied = &self.applied;
        matches!(applied.strategy, Strategy::WarnOnly | Strategy::Never)
            || applied.max_warnings.is_some()
            || (applied.ignored > 0 && (!self.findings || applied.effective_errors < applied.read.errors))
    }
}

/// Returns the category whose policy applies to a validation role. None: the role has no findings to weigh.
pub fn category(role: Role) -> Option<Category> {
    match role {
        Role::Typecheck => Some(Category::TypeChecking),
        Role::Lint => Some(Category::Linting),
        Role::Format => Some(Category::Formatting),
        Role::Compile => Some(Category::Compilation),
        Role::Test | Role::Other => None,
    }
}

/// Weighs the findings of a tool by its policy, its category's strategy, or the default table (ruling 10).
pub fn weigh(policies: &Policies, tool: Option<&str>, category: Category, counts: &Counts) -> Weighed {
    let own = tool.and_then(|tool| tool_policy(policies, tool));
    let (strategy, source) = strategy(policies, own, category);
    let options = Options { tool: own.cloned().unwrap_or_default(), critical: policies.critical };
    let case = Case { strategy, source, strictness: tool.and_then(strictness::of), counts };
    let counted = count(counts, &options, case.strictness);
    let decision = case.decide(&counted, &options);
    let Decision { blocking, severity } = decision;
    let mut applied = PolicyApplied {
        tool: tool.map(str::to_owned),
        category,
        strategy,
        source,
        read: counted.read,
        effective_errors: counted.left.errors,
        effective_warnings: counted.left.warnings,
        ignored: counted.taken(),
        steps: counted.steps,
        max_warnings: options.tool.max_warnings,
        blocking,
        decided_by: case.decided_by(decision, options),
        reason: String::new(),
    };
    applied.reason = reason::of(&applied);
    Weighed {
        findings: severity != Severity::None,
        blocking,
        severity,
        ignored_entirely: strategy == Strategy::Never,
        applied,
    }
}

/// Effect of a policy's options on the findings of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// The findings do not count.
    TakenAway,
    /// The findings are errors, whatever the tool says.
    Error,
    /// The findings have the level given by the tool.
    AsRead,
}

/// Returns the treatment of a rule's findings by the policy of a tool.
pub(crate) fn treatment(policies: &Policies, tool: Option<&str>, rule: &str) -> Treatment {
    let own = tool.and_then(|tool| tool_policy(policies, tool));
    match own.and_then(|own| fate(rule, own, tool.and_then(strictness::of))) {
        Some(option) if takes_away(option) => Treatment::TakenAway,
        Some(_) => Treatment::Error,
        None => Treatment::AsRead,
    }
}

/// Returns the severity of one finding by itself under the applied policy (ruling 11). Whether the limit of
/// warnings is exceeded depends on all of them. [`Severity::None`]: it does not count.
pub(crate) fn severity(policies: &Policies, applied: &PolicyApplied, found: &Diagnostic) -> Severity {
    let tool = applied.tool.as_deref();
    let all_warnings =
        tool.and_then(|tool| tool_policy(policies, tool)).is_some_and(|own| own.treat_warnings_as_errors);
    let is_error = match (found.level, treatment(policies, tool, found.code.as_deref().unwrap_or_default())) {
        (_, Treatment::TakenAway) => return Severity::None,
        (Level::Error, _) | (Level::Warning, Treatment::Error) => true,
        (Level::Warning, Treatment::AsRead) => all_warnings || policies.critical.warnings,
        (Level::Info, _) if policies.critical.infos => true,
        (Level::Info, _) => return Severity::None,
    };
    let warnings = if is_error { 0 } else { applied.effective_warnings.max(1) };
    let over_limit = applied.max_warnings.is_some_and(|limit| warnings > limit);
    decide(applied.strategy, applied.source, FindingCounts { errors: is_error.into(), warnings }, over_limit).1
}

/// Data that does not depend on the options.
struct Case<'a> {
    strategy: Strategy,
    source: PolicySource,
    strictness: Option<Strictness>,
    counts: &'a Counts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Decision {
    blocking: bool,
    severity: Severity,
}

impl Case<'_> {
    fn decide(&self, counted: &Counted, options: &Options) -> Decision {
        let over_limit = options.tool.max_warnings.is_some_and(|limit| counted.left.warnings > limit);
        let (blocking, severity) = decide(self.strategy, self.source, counted.left, over_limit);
        Decision { blocking, severity }
    }

    /// Returns the option that decided. Options are turned off one by one, the last applied first, until the
    /// result changes: the option that was turned off then decided. If the result never changes, the strategy
    /// did.
    fn decided_by(&self, decision: Decision, mut options: Options) -> PolicyOption {
        if self.source == PolicySource::Disabled {
            return PolicyOption::Enabled;
        }
        for option in TURNED_OFF {
            if !is_set(&options, option) {
                continue;
            }
            turn_off(&mut options, option);
            if self.decide(&count(self.counts, &options, self.strictness), &options) != decision {
                return option;
            }
        }
        match self.source {
            PolicySource::Tool => PolicyOption::BlockOn,
            PolicySource::Category => PolicyOption::Strategy,
            PolicySource::Default => PolicyOption::Default,
            PolicySource::Disabled => PolicyOption::Enabled,
        }
    }
}

/// Options beside the strategy, in reverse order of application.
const TURNED_OFF: [PolicyOption; 7] = [
    PolicyOption::MaxWarnings,
    PolicyOption::CriticalSeverities,
    PolicyOption::TreatWarningsAsErrors,
    PolicyOption::ErrorOnRules,
    PolicyOption::StrictMode,
    PolicyOption::AllowImplicitAny,
    PolicyOption::IgnoredRules,
];

fn turn_off(options: &mut Options, option: PolicyOption) {
    let Options { tool: options, critical } = options;
    match option {
        PolicyOption::CriticalSeverities => *critical = CriticalSeverities::default(),
        PolicyOption::Enabled => options.enabled = true,
        PolicyOption::IgnoredRules => options.ignored_rules.clear(),
        PolicyOption::AllowImplicitAny => options.allow_implicit_any = false,
        PolicyOption::StrictMode => options.strict_mode = true,
        PolicyOption::ErrorOnRules => options.error_on_rules.clear(),
        PolicyOption::TreatWarningsAsErrors => options.treat_warnings_as_errors = false,
        PolicyOption::MaxWarnings => options.max_warnings = None,
        PolicyOption::BlockOn => options.block_on = None,
        PolicyOption::Strategy | PolicyOption::Default => {}
    }
}

/// Returns the decision by this table. An error takes precedence over the limit of warnings, and that over warnings.
///
/// | strategy            | errors         | warnings over the limit | warnings     | none |
/// |---------------------|----------------|-------------------------|--------------|------|
/// | ERRORS_ALWAYS       | block CRITICAL | block HIGH              | pass MEDIUM  | –    |
/// | ERRORS_ONLY         | block HIGH     | block HIGH              | pass MEDIUM  | –    |
/// | ERRORS_AND_WARNINGS | block HIGH     | block HIGH              | block HIGH   | –    |
/// | WARN_ONLY, disabled | pass LOW       | pass LOW                | pass LOW     | –    |
/// | NEVER               | –              | –                       | –            | –    |
///
/// "–" means no effective finding: the action succeeds.
fn decide(strategy: Strategy, source: PolicySource, effective: FindingCounts, over_limit: bool) -> (bool, Severity) {
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

/// Returns a tool's own policy: under its canonical name, or under the name of a program that is this tool,
/// such as `vue-tsc`, `pycodestyle` or seed 1's `typescript`.
fn tool_policy<'a>(policies: &'a Policies, tool: &str) -> Option<&'a ToolPolicy> {
    let by_alias = || policies.tools.iter().find(|(name, _)| role::canonical(name) == Some(tool));
    policies.tools.get(tool).or_else(|| by_alias().map(|(_, policy)| policy))
}

/// Returns the strategy: the tool's `blockOn` takes precedence over its category's strategy, and that over the
/// default table. A disabled tool is reported and never blocks.
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

#[cfg(test)]
mod tests;
