//! Converts a check in a browser.

use crate::form::short as keys;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Member, Node};

use super::{node, put, renamed, said, text};

/// Returns the parameters of a browser action, if a check is one: it opens a page, and does all steps in it. The
/// browser is under a key of its own.
pub(super) fn parameters(written: &Node) -> Option<Vec<Entry>> {
    let (browser, place) = (keys::Browser::of(written), written.span);
    let open = browser.browser.entry()?;
    let open = is_taken(&open.value, "url")
        .then(|| command("browser_navigate", place, vec![put("url", open, open.value.clone())]));
    let steps = browser.steps.elements().iter().filter_map(step);
    let steps = open.into_iter().chain(steps).map(|step| limited(step, browser.step_timeout)).collect();
    let settings = renamed(&[
        (browser.engine, "browserType"),
        (browser.headless, "headless"),
        (browser.server, "mcpServerCommand"),
    ]);
    Some(vec![
        said("steps", place, node(Kind::List(steps), place)),
        said("executor", place, node(Kind::Map(settings), place)),
    ])
}

/// Converts a step. None: it has the complaint of its shape.
fn step(written: &Node) -> Option<Node> {
    let step = keys::BrowserStep::of(written);
    let kinds = [
        (step.open, "browser_navigate", "url"),
        (step.click, "browser_click", "selector"),
        (step.fill, "browser_fill_form", "formData"),
        (step.see, "browser_see", "text"),
        (step.wait, "browser_wait_for_selector", "selector"),
        (step.evaluate, "browser_evaluate", "script"),
        (step.content, "browser_get_content", "selector"),
        (step.screenshot, "browser_screenshot", "name"),
    ];
    let (entry, action, key) =
        kinds.into_iter().find_map(|(member, action, key)| Some((member.entry()?, action, key)))?;
    is_taken(&entry.value, key).then_some(())?;
    let mut entries = vec![put(key, entry, entry.value.clone())];
    entries.extend(renamed(&[(step.timeout, "waitTimeout")]));
    Some(command(action, entry.key_span, entries))
}

/// Returns whether the value of a key has its shape, and is not empty.
fn is_taken(value: &Node, key: &str) -> bool {
    match &value.kind {
        Kind::Text(text) => key != "formData" && !text.trim().is_empty(),
        Kind::Map(fields) => key == "formData" && !fields.is_empty(),
        _ => false,
    }
}

fn command(action: &str, place: Span, mut entries: Vec<Entry>) -> Node {
    entries.push(said("action", place, text(action, place)));
    node(Kind::Map(entries), place)
}

/// Gives a command the time limit of all steps, unless it has its own.
fn limited(mut command: Node, limit: Member<'_>) -> Node {
    if let (Kind::Map(entries), Some(limit)) = (&mut command.kind, limit.entry())
        && !entries.iter().any(|entry| entry.key == "waitTimeout")
    {
        entries.push(put("waitTimeout", limit, limit.value.clone()));
    }
    command
}
