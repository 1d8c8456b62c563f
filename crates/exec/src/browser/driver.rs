//! The program that carries out commands inside the MCP server, with everything that Playwright offers there.

use referee_model::plan::interaction::BrowserOperation;
use serde::Deserialize;
use serde_json::{Value, json};

use super::transcript::{Events, Seen};

/// A function of a page and a request. It throws nothing, and returns [`CommandResult`].
const DRIVER: &str = include_str!("driver.js");

/// Tools that run a function of a page, the present name first.
pub(super) const TOOLS: [&str; 2] = ["browser_run_code_unsafe", "browser_run_code"];

/// What the driver is asked to do.
pub(super) enum Task<'task> {
    /// Starts the browser, if it is not running.
    Start,
    /// Carries out a command whose placeholders are filled in.
    Command(&'task BrowserOperation),
}

/// What happened in the page.
#[derive(Debug, Deserialize)]
pub(super) struct CommandResult {
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) message: String,
    /// Value that was evaluated or read, as JSON text.
    #[serde(default)]
    pub(super) value: Option<String>,
    /// Picture of the page, in base64.
    #[serde(default)]
    pub(super) image: Option<String>,
    /// Whether the browser is another one than before.
    #[serde(rename = "isNew")]
    pub(super) is_new: bool,
    pub(super) browser: Option<Identity>,
    #[serde(flatten)]
    pub(super) seen: Seen,
    #[serde(flatten)]
    pub(super) events: Events,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Done,
    /// The page does not have, or does not do, what was asked.
    Refused,
    /// The time limit is over.
    Late,
    /// The browser has ended.
    Lost,
}

#[derive(Debug, Deserialize)]
pub(super) struct Identity {
    pub(super) name: String,
    pub(super) version: String,
}

/// Returns the code that carries out a task. `nonce` marks its answer, and no page may know it.
pub(super) fn code(task: &Task<'_>, nonce: &str, limit_ms: u64, last: bool) -> String {
    let request = json!({"nonce": nonce, "operation": operation(task), "limit": limit_ms, "last": last});
    format!("async (page) => ({DRIVER})(page, {request})")
}

/// Finds the driver's answer in the answer of a tool. None: there is none.
pub(super) fn told(text: &str, nonce: &str) -> Option<CommandResult> {
    let start = format!("{{\"referee\":\"{nonce}\"");
    let line = text.lines().find(|line| line.starts_with(&start))?;
    serde_json::from_str(line).ok()
}

fn operation(task: &Task<'_>) -> Value {
    let operation = match task {
        Task::Start => return json!({"start": null}),
        Task::Command(operation) => operation,
    };
    match operation {
        BrowserOperation::Navigate(url) => json!({"navigate": url.to_string()}),
        BrowserOperation::Click(selector) => json!({"click": selector}),
        BrowserOperation::Fill(fields) => {
            let fields: Vec<(&str, String)> =
                fields.iter().map(|(field, value)| (field.as_str(), value.to_string())).collect();
            json!({"fill": fields})
        }
        BrowserOperation::Evaluate(script) => json!({"evaluate": script.to_string()}),
        BrowserOperation::Screenshot(_) => json!({"screenshot": null}),
        BrowserOperation::WaitFor(selector) => json!({"waitFor": selector}),
        BrowserOperation::See(text) => json!({"see": text.to_string()}),
        BrowserOperation::Content(selector) => json!({"content": selector}),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::plan::Template;

    use super::*;

    #[test]
    fn values_are_data_and_never_code() {
        let hostile = "'); process.exit(1); ('\\\"\u{2028}\n`${1}`";
        let operation = BrowserOperation::Evaluate(Template::plain(hostile));
        let code = code(&Task::Command(&operation), "n0", 5000, true);
        let request = code.strip_prefix("async (page) => (").unwrap().strip_prefix(DRIVER).unwrap();
        let request = request.strip_prefix(")(page, ").unwrap().strip_suffix(')').unwrap();
        let request: Value = serde_json::from_str(request).unwrap();
        assert_eq!(request["operation"], json!({"evaluate": hostile}));
        assert_eq!(
            (&request["nonce"], &request["limit"], &request["last"]),
            (&json!("n0"), &json!(5000), &json!(true))
        );
    }

    #[test]
    fn only_the_answer_of_this_call_counts() {
        let answer = |nonce: &str, kind: &str| {
            format!(
                "{{\"referee\":\"{nonce}\",\"kind\":\"{kind}\",\"isNew\":false,\"url\":\"about:blank\",\"title\":null,\
                 \"text\":null,\"browser\":null,\"console\":[],\"requests\":[],\"errors\":[],\"dialogs\":[],\
                 \"downloads\":[],\"windows\":[],\"dropped\":0}}"
            )
        };
        let text = format!("### Page\n{}\n### Result\n{}\n### Ran", answer("other", "done"), answer("n0", "refused"));
        assert_eq!(told(&text, "n0").unwrap().kind, Kind::Refused);
        assert!(told(&text, "n1").is_none());
        assert!(told(&answer("n0", "wonderful"), "n0").is_none());
        assert!(told("{\"referee\":\"n0\"}", "n0").is_none());
        assert!(told("", "n0").is_none());
    }
}
