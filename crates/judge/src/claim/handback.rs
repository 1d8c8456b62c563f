//! A message that is a document: `{"status": "success"}` says that it is done.

use serde_json::Value;

/// The keys under which agents say how it went, at the top of a document.
const KEYS: [&str; 5] = ["status", "state", "result", "outcome", "success"];

/// The words by which they say that it went well.
const DONE: [&str; 9] =
    ["success", "succeeded", "successful", "done", "complete", "completed", "finished", "passed", "ok"];

/// Returns the words by which a message that is a document, or ends with one, says that it is done.
pub(super) fn done(message: &str) -> Option<String> {
    let whole = unfenced(message.trim());
    let last = message.trim_end().lines().next_back().unwrap_or_default();
    [whole, last].into_iter().find_map(of_document)
}

/// Takes the fence of a message away that is nothing but a block of code.
fn unfenced(text: &str) -> &str {
    let inside = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    inside.and_then(|inside| inside.strip_suffix("```")).map_or(text, str::trim)
}

fn of_document(text: &str) -> Option<String> {
    let Ok(Value::Object(document)) = serde_json::from_str::<Value>(text.trim()) else { return None };
    KEYS.iter().find_map(|key| match document.get(*key)? {
        Value::String(word) if DONE.contains(&word.to_lowercase().as_str()) => Some(format!("\"{key}\": \"{word}\"")),
        Value::Bool(true) if *key == "success" => Some(format!("\"{key}\": true")),
        _ => None,
    })
}
