//! Compares policies: which findings block (ruling 10).

use std::collections::BTreeSet;

use referee_model::plan::{Category, Policies, Strategy, ToolPolicy};
use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::weaker::Weaker;
use crate::full::CATEGORIES;
use crate::tool;
use crate::word::strategy_word;

pub(super) fn compare(before: &Policies, after: &Policies, weaker: &mut Weaker) {
    for (name, category) in CATEGORIES {
        let (old, new) = (of_category(before, category), of_category(after, category));
        if rank(new) < rank(old) {
            weaker.add(Kind::StrategyLoosened, name, strategy_word(old), strategy_word(new));
        }
    }
    let critical = |policies: &Policies| [(policies.critical.warnings, "warnings"), (policies.critical.infos, "infos")];
    for ((old, name), (new, _)) in critical(before).into_iter().zip(critical(after)) {
        if old && !new {
            weaker.add(Kind::WarningsNoErrors, "criticalSeverities", format!("{name} are errors"), "they are not");
        }
    }
    let names: BTreeSet<&String> = before.tools.keys().chain(after.tools.keys()).collect();
    for name in names {
        let policy = |policies: &Policies| policies.tools.get(name).cloned().unwrap_or_default();
        let (old, new) = (policy(before), policy(after));
        if old.block_on != new.block_on {
            let (old, new) = (of_tool(name, &old, before), of_tool(name, &new, after));
            if rank(new) < rank(old) {
                weaker.add(Kind::StrategyLoosened, name, strategy_word(old), strategy_word(new));
            }
        }
        tool(name, &old, &new, weaker);
    }
}

fn tool(name: &str, old: &ToolPolicy, new: &ToolPolicy, weaker: &mut Weaker) {
    if old.enabled && !new.enabled {
        weaker.add(Kind::ToolDisabled, name, "enabled", "not enabled");
    }
    if old.treat_warnings_as_errors && !new.treat_warnings_as_errors {
        weaker.add(Kind::WarningsNoErrors, name, "warnings are errors", "they are not");
    }
    let allowed = |policy: &ToolPolicy| policy.max_warnings.unwrap_or(u64::MAX);
    if allowed(new) > allowed(old) {
        let shown = |policy: &ToolPolicy| match policy.max_warnings {
            Some(number) => format!("{number} warnings allowed"),
            None => "any number of warnings allowed".to_owned(),
        };
        weaker.add(Kind::WarningsAllowed, name, shown(old), shown(new));
    }
    weaker.added(Kind::RuleIgnored, name, (&old.ignored_rules, &new.ignored_rules), |rule| format!("{rule} ignored"));
    weaker.gone(Kind::RuleNoError, name, (&old.error_on_rules, &new.error_on_rules), |rule| {
        format!("warnings of {rule} are errors")
    });
    if old.strict_mode && !new.strict_mode {
        weaker.add(Kind::StrictnessOff, name, "strict", "not strict");
    }
    if !old.allow_implicit_any && new.allow_implicit_any {
        weaker.add(Kind::StrictnessOff, name, "no implicit any", "implicit any allowed");
    }
}

/// Returns the strategy of a category, by its policy or by seed 1's default table.
fn of_category(policies: &Policies, category: Category) -> Strategy {
    policies.categories.get(&category).copied().unwrap_or(match category {
        Category::Linting => Strategy::ErrorsOnly,
        Category::TypeChecking | Category::Compilation => Strategy::ErrorsAlways,
        Category::Formatting => Strategy::WarnOnly,
    })
}

fn of_tool(name: &str, policy: &ToolPolicy, policies: &Policies) -> Strategy {
    let known = CATEGORIES.into_iter().find(|(category, _)| tool::category(name) == Some(*category));
    let category = known.map_or(Category::Linting, |(_, category)| category);
    policy.block_on.unwrap_or_else(|| of_category(policies, category))
}

/// Returns how much a strategy blocks. The severity at which errors block makes no difference to a pass.
fn rank(strategy: Strategy) -> u8 {
    match strategy {
        Strategy::Never => 0,
        Strategy::WarnOnly => 1,
        Strategy::ErrorsOnly | Strategy::ErrorsAlways => 2,
        Strategy::ErrorsAndWarnings => 3,
    }
}
