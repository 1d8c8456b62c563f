//! Determines which of the plan's actions an agent applied: those that it names and whose target paths changed. A
//! claim without a change counts for nothing.

use std::path::{Path, PathBuf};

use referee_foreign::agent_answer;
use referee_ledger::State;
use referee_ledger::tree::{Cache, Changes, Exclusions, Snapshot};
use referee_model::incident::remediation::RemediationAction;
use serde_json::Value;

use crate::inputs;

/// The key under which an agent names the actions.
const KEY: &str = "actions_applied";

/// Maximum number of positions in the output, from its end, at which a JSON object is tried.
const PLACES: usize = 200;

/// Files of a workspace before a turn. `None`: they could not be listed, so no action counts as applied.
pub(super) struct Before(Option<(Exclusions, Snapshot)>);

impl Before {
    /// Lists the files, without those of incidents and of the state directory.
    pub(super) fn look(workspace: &Path, root: &Path, state: &State) -> Self {
        let exclusions = Exclusions::new(workspace, &[root, state.path()], &[]).ok();
        Self(exclusions.and_then(|exclusions| {
            let mut cache = Cache::open(Some(state), workspace);
            let (_, snapshot) = inputs::observe(workspace, &exclusions, &mut cache).ok()?;
            // A cache that cannot be written only costs time.
            let _ = cache.save();
            Some((exclusions, snapshot))
        }))
    }

    /// Returns the files that differ now, relative to the workspace.
    pub(super) fn changed(&self, workspace: &Path, state: &State) -> Vec<PathBuf> {
        let Some((exclusions, before)) = &self.0 else { return Vec::new() };
        let mut cache = Cache::open(Some(state), workspace);
        let Ok((listing, after)) = inputs::observe(workspace, exclusions, &mut cache) else { return Vec::new() };
        Changes::between(before, &after, &listing).files.into_iter().map(|change| change.path).collect()
    }
}

/// Returns those of the plan's actions that an agent names in its last JSON object and whose target paths changed,
/// in the plan's order.
pub(super) fn applied(printed: &str, actions: &[RemediationAction], changed: &[PathBuf]) -> Vec<String> {
    let said = said(printed);
    let has_changed = |action: &&RemediationAction| changed.iter().any(|path| is_of(path, &action.target_paths));
    let named = actions.iter().filter(|action| said.contains(&action.id));
    named.filter(has_changed).map(|action| action.id.clone()).collect()
}

/// Whether a path is one of these targets, or is below one of them.
pub(super) fn is_of(path: &Path, targets: &[String]) -> bool {
    let is_below = |target: &String| {
        let target = Path::new(target.trim_end_matches('/'));
        let target = target.strip_prefix(".").unwrap_or(target);
        path.starts_with(target)
    };
    targets.iter().filter(|target| !target.is_empty()).any(is_below)
}

/// Returns the actions that an agent names: in its answer if it prints one as data, else in the last object in its
/// output.
fn said(printed: &str) -> Vec<String> {
    let answer = agent_answer::read(printed).and_then(|answer| answer.output.result);
    let found = answer.as_deref().and_then(last_object).or_else(|| last_object(printed));
    let named = found.as_ref().and_then(|object| object.get(KEY)).and_then(Value::as_array);
    named.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the last JSON object with the key in a text.
fn last_object(text: &str) -> Option<Value> {
    let places = text.rmatch_indices('{').map(|(place, _)| place).take(PLACES);
    places.filter_map(|place| text.get(place..)).find_map(|rest| {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        values.next()?.ok().filter(|value| value.get(KEY).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(id: &str, targets: &[&str]) -> RemediationAction {
        RemediationAction {
            id: id.to_owned(),
            title: String::new(),
            priority: "P0".to_owned(),
            risk: "low".to_owned(),
            target_paths: targets.iter().map(|target| (*target).to_owned()).collect(),
            verification: Vec::new(),
        }
    }

    #[test]
    fn what_an_agent_says_counts_where_files_changed() {
        let actions = [action("A1", &["src/a.js"]), action("A2", &["lib/"]), action("A3", &[]), action("A4", &["."])];
        let changed = [PathBuf::from("src/a.js"), PathBuf::from("lib/b/c.js")];
        let all = r#"{"actions_applied": ["A1", "A2", "A3", "A4", "A9"]}"#;
        for (printed, changed, expected) in [
            (all.to_owned(), &changed[..], &["A1", "A2", "A4"][..]),
            (all.to_owned(), &changed[..1], &["A1", "A4"]),
            (all.to_owned(), &[], &[]),
            (format!("I did it.\n{all}\nBye."), &changed, &["A1", "A2", "A4"]),
            ("{\"actions_applied\": [\"A1\"]}\n{\"actions_applied\": [\"A2\"]}".to_owned(), &changed, &["A2"]),
            (r#"{"type":"result","subtype":"success","session_id":"s","result":"Done: {\"actions_applied\": [\"A1\"]}"}"#.to_owned(), &changed, &["A1"]),
            (r#"{"actions_applied": "A1"}"#.to_owned(), &changed, &[]),
            (r#"{"actions_applied": [1, null]}"#.to_owned(), &changed, &[]),
            ("A1 A2 {{{{".to_owned(), &changed, &[]),
            (String::new(), &changed, &[]),
        ] {
            assert_eq!(applied(&printed, &actions, changed), expected, "{printed}");
        }
    }

    #[test]
    fn a_directory_covers_what_is_below_it_and_nothing_beside_it() {
        let targets = ["src".to_owned(), String::new()];
        assert!(is_of(Path::new("src/a.js"), &targets) && is_of(Path::new("src"), &targets));
        assert!(!is_of(Path::new("src2/a.js"), &targets) && !is_of(Path::new("a/src"), &targets));
    }
}
