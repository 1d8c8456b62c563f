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
    let (key, words) = KEYS.iter().find_map(|key| match document.get(*key)? {
        Value::String(word) if DONE.contains(&word.to_lowercase().as_str()) => {
            Some((key, format!("\"{key}\": \"{word}\"")))
        }
        Value::Bool(true) if *key == "success" => Some((key, format!("\"{key}\": true"))),
        _ => None,
    })?;
    let is_open = document.iter().any(|(other, value)| other != key && is_open(&other.to_lowercase(), value));
    (!is_open).then_some(words)
}

/// What keys and texts speak of that something is left.
const OPEN: &str = "fail|open|issue|error|block|todo|remain|pending|skip|warn|problem|limit|\
     caveat|missing|violat|partial|incomplete|unable|not |n't|unverified|unresolv|follow";

/// Keys of lists of what was worked on.
const WORKED_ON: &str = "file|chang|modif|creat|artifact|commit|updat|path";

/// Whether an entry of a document says that something is left.
fn is_open(key: &str, value: &Value) -> bool {
    let speaks = |text: &str, of: &str| of.split('|').any(|part| text.contains(part));
    let is_of_open = speaks(key, OPEN);
    match value {
        Value::Null => false,
        Value::Bool(is_so) => *is_so == is_of_open,
        Value::Number(number) => is_of_open && number.as_f64() != Some(0.0),
        Value::String(text) => {
            let text = text.to_lowercase();
            speaks(&text, OPEN) || is_of_open && !matches!(text.trim(), "" | "none" | "no" | "0" | "n/a" | "-")
        }
        Value::Array(items) => {
            !items.is_empty() && (!speaks(key, WORKED_ON) || is_of_open) || items.iter().any(|item| is_open("", item))
        }
        Value::Object(entries) => entries.iter().any(|(key, value)| is_open(&key.to_lowercase(), value)),
    }
}
