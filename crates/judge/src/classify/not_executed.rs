//! Judges an action with problems in the plan, which was not executed: SPECIFICATION_ERROR (ruling 3; seed 1,
//! detailed structure 6).

use referee_model::outcome::Rule;
use referee_model::plan::{Action, Plan, SpecificationProblem};

use super::draft::Draft;

/// Maximum number of problems named in a reason; all of them are in the plan.
const NAMED: usize = 5;

/// Explains why an action was not executed: by its own problems, else by those of the whole task.
pub(super) fn judge(plan: &Plan, action: &Action) -> Draft {
    let own: Vec<_> = plan.problems.iter().filter(|problem| problem.action.as_ref() == Some(&action.id)).collect();
    let problems =
        if own.is_empty() { plan.problems.iter().filter(|problem| problem.action.is_none()).collect() } else { own };
    let mut said: Vec<String> = problems.iter().take(NAMED).map(ToString::to_string).collect();
    if problems.len() > NAMED {
        said.push(format!("and {} more", problems.len() - NAMED));
    }
    if said.is_empty() {
        return super::unusable("it was not executed, and the plan has no problem with it".to_owned());
    }
    Draft::specification_error(Rule::NotExecutable, format!("{}{}", SpecificationProblem::REASON, said.join("; ")))
        .advise("Test specification has errors. Fix and regenerate.")
}
