//! What a run may spend, and what it means that nothing is left (seed 4, 3.2; ruling 24).

use referee_model::budget::{BudgetPart, CommandPolicy, RunBudget, Spending, TaskSize};
use referee_model::selection::Profile;
use referee_model::verdict::Decision;

/// Returns what an agent may do in one turn.
///
/// | profile | commands | test runs | installs packages | runs the application |
/// |---------|----------|-----------|-------------------|----------------------|
/// | strict  | 20       | 5         | yes               | yes                  |
/// | fast    | 8        | 3         | no                | yes                  |
/// | smoke   | 3        | 1         | no                | no                   |
/// | yolo    | 15       | 4         | yes               | yes                  |
pub fn command_policy(profile: Profile) -> CommandPolicy {
    let (max_commands, max_test_runs, allow_package_installs, allow_app_run) = match profile {
        Profile::Strict => (20, 5, true, true),
        Profile::Fast => (8, 3, false, true),
        Profile::Smoke => (3, 1, false, false),
        Profile::Yolo => (15, 4, true, true),
    };
    CommandPolicy { max_commands, max_test_runs, allow_package_installs, allow_app_run }
}

/// Returns what a whole run may spend: commands, test runs, requests to the web.
///
/// | profile | tiny       | normal     | large      |
/// |---------|------------|------------|------------|
/// | strict  | 20, 5, 10  | 40, 8, 20  | 60, 10, 30 |
/// | fast    | 15, 3, 8   | 30, 5, 15  | 50, 8, 25  |
/// | smoke   | 10, 1, 5   | 20, 2, 10  | 30, 3, 15  |
/// | yolo    | 15, 2, 8   | 25, 3, 12  | 40, 5, 20  |
pub fn run_budget(profile: Profile, size: TaskSize) -> RunBudget {
    let (commands, test_runs, web_requests) = match (profile, size) {
        (Profile::Strict, TaskSize::Tiny) => (20, 5, 10),
        (Profile::Strict, TaskSize::Normal) => (40, 8, 20),
        (Profile::Strict, TaskSize::Large) => (60, 10, 30),
        (Profile::Fast, TaskSize::Tiny) => (15, 3, 8),
        (Profile::Fast, TaskSize::Normal) => (30, 5, 15),
        (Profile::Fast, TaskSize::Large) => (50, 8, 25),
        (Profile::Smoke, TaskSize::Tiny) => (10, 1, 5),
        (Profile::Smoke, TaskSize::Normal) => (20, 2, 10),
        (Profile::Smoke, TaskSize::Large) => (30, 3, 15),
        (Profile::Yolo, TaskSize::Tiny) => (15, 2, 8),
        (Profile::Yolo, TaskSize::Normal) => (25, 3, 12),
        (Profile::Yolo, TaskSize::Large) => (40, 5, 20),
    };
    RunBudget { commands, test_runs, web_requests }
}

/// A budget with nothing left of what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted {
    /// What is used up.
    pub part: BudgetPart,
    /// How much of it there was.
    pub limit: u32,
}

impl Exhausted {
    /// What gates: an exhausted budget is never a pass (ruling 24), whatever passed before it was used up.
    pub fn decision(self) -> Decision {
        Decision::Blocked
    }

    /// Returns why, in a sentence.
    pub fn reason(self) -> String {
        format!("the budget is exhausted: all of its {} {} are used up", self.limit, self.part.as_str())
    }
}

/// Returns what is left of a budget after all of this.
///
/// | spent         | of                      |
/// |---------------|-------------------------|
/// | a command     | commands                |
/// | a test run    | test runs, and commands |
/// | a web request | web requests            |
///
/// # Errors
/// Fails at the first thing that nothing is left for.
pub fn spend(budget: RunBudget, spent: impl IntoIterator<Item = Spending>) -> Result<RunBudget, Exhausted> {
    spent
        .into_iter()
        .try_fold((budget, budget), |(whole, left), spending| Ok((whole, less(whole, left, spending)?)))
        .map(|(_, left)| left)
}

fn less(whole: RunBudget, left: RunBudget, spending: Spending) -> Result<RunBudget, Exhausted> {
    let take = |left: u32, limit: u32, part| left.checked_sub(1).ok_or(Exhausted { part, limit });
    let mut rest = left;
    match spending {
        Spending::Command => rest.commands = take(left.commands, whole.commands, BudgetPart::Commands)?,
        Spending::TestRun => {
            rest.test_runs = take(left.test_runs, whole.test_runs, BudgetPart::TestRuns)?;
            rest.commands = take(left.commands, whole.commands, BudgetPart::Commands)?;
        }
        Spending::WebRequest => {
            rest.web_requests = take(left.web_requests, whole.web_requests, BudgetPart::WebRequests)?;
        }
    }
    Ok(rest)
}

#[cfg(test)]
mod tests;
