//! Actions of a plan, in order.

use referee_model::incident::remediation::{Cause, Confidence, RemediationAction, Verification};
use referee_syntax::cut::characters;

use super::{Case, SENTENCE};

/// Class of an incident that needs a new sign-in (seed 3).
const AUTH_EXPIRED: &str = "auth_expired";

/// Returns the actions: reproduce, sign in if required, change, verify.
pub(super) fn of(
    case: &Case<'_>,
    causes: &[Cause],
    targets: &[String],
    verification: &[Verification],
) -> Vec<RemediationAction> {
    let commands: Vec<String> = verification.iter().map(|verification| verification.command().clone()).collect();
    let action = |id: &str, title: String, priority: u8, risk: Confidence| RemediationAction {
        id: id.to_owned(),
        title: characters(&title, SENTENCE),
        priority: format!("P{priority}"),
        risk: risk.as_str().to_owned(),
        target_paths: Vec::new(),
        verification: commands.clone(),
    };
    let reproduce = match commands.first() {
        Some(command) => format!("Reproduce the failure: run {command}"),
        None => "Reproduce the failure, and write a check that shows it".to_owned(),
    };
    let cause = causes.first().map(|first| first.reason.clone()).unwrap_or_default();
    let mut actions = vec![action("A1", reproduce, 0, Confidence::Low)];
    if case.failure_class == AUTH_EXPIRED {
        let sign_in = "Sign in again, as a person who may, and see that the session holds".to_owned();
        actions.push(RemediationAction { verification: Vec::new(), ..action("A1b", sign_in, 0, Confidence::Low) });
    }
    let change =
        action("A2", format!("Make the smallest change that removes the cause: {cause}"), 0, Confidence::Medium);
    actions.push(RemediationAction { target_paths: targets.to_vec(), ..change });
    let verify = "Verify that it is over, and that nothing else broke".to_owned();
    actions.push(action("A3", verify, 1, Confidence::Low));
    actions
}
