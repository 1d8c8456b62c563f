//! Splits a task into parts that workers perform, each in a tree of its own (design, "Fleet").
//!
//! Steps are told apart by nothing but what the specification declares: that steps run at once, as far as their needs allow. A
//! part is closed under needs, so what it runs is the beginning of an order that the specification allows.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use referee_ledger::evidence::Evidence;
use referee_model::evidence_name;
use referee_model::id::ActionId;
use referee_model::plan::service::Port;
use referee_model::plan::{Action, Command, Interaction, Invocation, Phase, Plan, StepOrder, Work};
use referee_model::record::attempt_record;
use referee_model::selection::LeftOut;

use crate::selection;

/// Actions that a part leaves out, with the reasons.
pub(crate) type PartLeftOut = BTreeMap<ActionId, LeftOut>;

/// How a task is to be split.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split {
    /// Maximum number of parts.
    pub(crate) parts: NonZeroUsize,
    /// Maximum number of parallel steps that the command line asks for. `None`: as the specification says.
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// Splits what is left of a task into at least two parts, each given by what it leaves out. Prerequisites, services and cleanup
/// are in every part, as far as the steps that they need are. `cost` is the time that a step is known to take, in
/// milliseconds. Equal arguments give equal parts.
///
/// # Errors
/// Returns why the task cannot be split.
pub(crate) fn divide(
    plan: &Plan,
    left_out: &PartLeftOut,
    split: Split,
    cost: &dyn Fn(&Action) -> Option<u64>,
) -> Result<Vec<PartLeftOut>, String> {
    let runs_at_once = plan.parallel || split.jobs.is_some_and(|jobs| jobs.get() > 1);
    if plan.step_order != StepOrder::Free || !runs_at_once {
        return Err(
            "its steps run one after another, and may need what earlier ones leave; declare that they run at once \
                    (`parallel: true`, or `parallelExecution`) if they do not"
                .to_owned(),
        );
    }
    if let Some(why) = plan.actions.iter().filter(|action| !left_out.contains_key(&action.id)).find_map(shared) {
        return Err(why);
    }
    let units = units(plan, left_out);
    if units.len() < 2 {
        return Err("its steps need one another, or there is only one".to_owned());
    }
    let costs = costs(plan, &units, cost);
    let parts = balanced(units, &costs, split.parts.get());
    if parts.len() < 2 {
        return Err("one part was asked for".to_owned());
    }
    Ok(parts.iter().map(|steps| left_out_of(plan, left_out, steps)).collect())
}

/// Returns why parts on one machine would get into each other's way. `None`: they would not.
fn shared(action: &Action) -> Option<String> {
    let id = &action.id;
    match &action.work {
        Work::Command(Command { invocation: Invocation::Container(_), .. }) => {
            Some(format!("{id} uses containers, which parts on one machine would share"))
        }
        Work::Service(service) if service.command.is_some() && matches!(service.port, Some(Port::Fixed(_))) => Some(
            format!("{id} starts a service at a fixed port, which one part on a machine can have; use `port: auto`"),
        ),
        Work::Service(service) => match service.command.as_ref().map(|command| &command.invocation) {
            Some(Invocation::Container(_)) => {
                Some(format!("{id} starts a container, which parts on one machine would share"))
            }
            _ => None,
        },
        Work::Interaction(interaction) => match interaction.as_ref() {
            Interaction::Query(_) => Some(format!("{id} uses a database, which all parts would share")),
            Interaction::Browser(_) => None,
        },
        Work::Command(_) | Work::File(_) | Work::Http(_) => None,
    }
}

/// Indexes of steps in the plan that have to be in one part together.
type Unit = BTreeSet<usize>;

/// Returns the units of the steps that run: each is closed under needs, and none is within another.
fn units(plan: &Plan, left_out: &PartLeftOut) -> Vec<Unit> {
    let places: BTreeMap<&ActionId, usize> =
        plan.actions.iter().enumerate().map(|(place, action)| (&action.id, place)).collect();
    let runs = |action: &&Action| !left_out.contains_key(&action.id);
    let mut closures: BTreeMap<usize, Unit> = BTreeMap::new();
    let (mut services, mut browsers) = (Unit::new(), Unit::new());
    // An action stands after all that it needs.
    for (place, action) in plan.actions.iter().enumerate().filter(|(_, action)| runs(action)) {
        let needs = action.needs.iter().filter_map(|need| closures.get(places.get(need)?));
        let mut closure: Unit = needs.flatten().copied().collect();
        if action.phase == Phase::Step {
            // Whatever comes after a service may use it, and browser steps go on where the last one ended.
            closure.extend(&services);
            closure.insert(place);
            match &action.work {
                Work::Service(_) => services.extend(&closure),
                Work::Interaction(_) => {
                    closure.extend(&browsers);
                    browsers.extend(&closure);
                }
                _ => {}
            }
        }
        closures.insert(place, closure);
    }
    let mut needed = Unit::new();
    let of_phase = |phase: Phase| {
        let closures = closures.iter().rev();
        closures.filter(move |(place, _)| plan.actions.get(**place).is_some_and(|action| action.phase == phase))
    };
    let mut units: Vec<Unit> = Vec::new();
    for (place, closure) in of_phase(Phase::Step) {
        if !needed.contains(place) {
            units.push(closure.clone());
        }
        needed.extend(closure);
    }
    for (_, closure) in of_phase(Phase::Cleanup) {
        if !units.iter().any(|unit| closure.is_subset(unit)) {
            units.retain(|unit| !unit.is_subset(closure));
            units.push(closure.clone());
        }
    }
    units.sort();
    units
}

/// Returns the cost of each step. Times are rounded up to a power of two seconds, so that they are the same whoever measured
/// them, as far as that is possible. A step whose time is not known takes the average.
fn costs(plan: &Plan, units: &[Unit], cost: &dyn Fn(&Action) -> Option<u64>) -> BTreeMap<usize, u64> {
    let rounded = |milliseconds: u64| milliseconds.div_ceil(1000).clamp(1, u64::from(u32::MAX)).next_power_of_two();
    let steps: BTreeSet<usize> = units.iter().flatten().copied().collect();
    let known: BTreeMap<usize, u64> =
        steps.iter().filter_map(|place| Some((*place, rounded(cost(plan.actions.get(*place)?)?)))).collect();
    let count = u64::try_from(known.len()).unwrap_or(u64::MAX);
    let average = known.values().sum::<u64>().checked_div(count).unwrap_or(1);
    steps.into_iter().map(|place| (place, known.get(&place).copied().unwrap_or(average))).collect()
}

/// Distributes units over parts: the costly ones first, each to where the least is to do with it. Parts are in the order of
/// the plan.
fn balanced(mut units: Vec<Unit>, costs: &BTreeMap<usize, u64>, parts: usize) -> Vec<Unit> {
    let of = |steps: &Unit| steps.iter().filter_map(|step| costs.get(step)).sum::<u64>();
    units.sort_by_key(|unit| std::cmp::Reverse(of(unit)));
    let mut filled = vec![Unit::new(); parts.min(units.len())];
    for unit in units {
        let with = |part: &Unit| of(&part.union(&unit).copied().collect());
        let least = (0..filled.len()).min_by_key(|at| filled.get(*at).map(with));
        if let Some(part) = least.and_then(|at| filled.get_mut(at)) {
            part.extend(unit);
        }
    }
    filled.retain(|part| !part.is_empty());
    filled.sort();
    filled
}

/// Returns what a part of these steps leaves out. A cleanup that needs a step of another part is not in this one.
fn left_out_of(plan: &Plan, left_out: &PartLeftOut, steps: &Unit) -> PartLeftOut {
    let mut of_part = left_out.clone();
    for (place, action) in plan.actions.iter().enumerate() {
        if action.phase == Phase::Step && !steps.contains(&place) {
            of_part.entry(action.id.clone()).or_insert(LeftOut::NotNamed);
        }
    }
    selection::leave_out_dependents(plan, &mut of_part);
    of_part
}

/// Returns how long the attempts at an action took in the task's last run, in milliseconds. `None`: that is not known. It is
/// read from the workspace and decides nothing but which part a step is in.
pub(crate) fn last_duration_ms(plan: &Plan, action: &Action) -> Option<u64> {
    let evidence = Evidence::open(&plan.evidence_root.join(plan.task.as_str())).ok()?;
    let attempt = |number: u32| {
        let bytes = evidence.find(&evidence_name::record(action, number)).ok()??;
        attempt_record::read(&bytes).ok().map(|record| record.span.duration_ms)
    };
    let all = (1..=action.retries.saturating_add(1)).map_while(attempt);
    all.reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests;
