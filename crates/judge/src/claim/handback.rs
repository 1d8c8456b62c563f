//! Messages that are documents: `{"status": "success"}` claims that the work is done.

use serde_json::Value;

/// Keys at the top of a document by which agents report the result.
const KEYS: [&str; 5] = ["status", "state", "result", "outcome", "success"];

/// Values that report success.
const DONE: [&str; 9] =
    ["success", "succeeded", "successful", "done", "complete", "completed", "finished", "passed", "ok"];

/// Returns the words by which a message that is a document, or ends with one, claims that the work is done.
pub(super) fn done(message: &str) -> Option<String> {
    let whole = unfenced(message.trim());
    let last = message.trim_end().lines().next_back().unwrap_or_default();
    [whole, last].into_iter().find_map(of_document)
}

/// Removes the fence of a message that consists of a single code block.
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

/// Parts of keys and texts that report unfinished work.
const OPEN: &str = "fail|open|issue|error|block|todo|remain|pending|skip|warn|problem|limit|\
     caveat|missing|violat|partial|incomplete|unable|not |n't|unverified|unresolv|follow";

/// Parts of keys for lists of files or changes that were worked on.
const WORKED_ON: &str = "file|chang|modif|creat|artifact|commit|updat|path";

/// Returns whether an entry of a document reports unfinished work.
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
