//! Pages in a real browser, wide and narrow, light and dark, judged by axe-core by the rules of levels A and AA.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::foreign_reports::{consumers, script, told};
use crate::reports::reported;
use crate::support::{Workspace, first_that_answers, skipped};

/// Widths times colour schemes.
const VIEWS: usize = 4;

/// What was seen of pages.
pub(crate) struct Looked(Value);

/// Looks at pages, by name. None, which is said: this machine has no browser, or not the packages.
#[track_caller]
pub(crate) fn look(
    workspace: &Workspace,
    name: &str,
    headers: &Value,
    pages: &BTreeMap<String, String>,
) -> Option<Looked> {
    let chromium = first_that_answers(&["chromium", "chromium-browser", "google-chrome"]);
    let (Some(chromium), Some(axe), Some(playwright)) = (chromium, consumers(), std::env::var_os("REFEREE_BROWSER"))
    else {
        skipped("Chromium, Playwright (REFEREE_BROWSER) and axe-core (REFEREE_CONSUMERS) are needed");
        return None;
    };
    let asked = json!({
        "chromium": chromium, "playwright": PathBuf::from(playwright), "axe": axe, "headers": headers, "pages": pages,
        "shots": std::env::var("REFEREE_SHOTS").ok(),
    });
    let configuration = workspace.state().join(format!("{name}.look.json"));
    fs::write(&configuration, asked.to_string()).unwrap();
    let mut command = Command::new("node");
    command.arg(script("accessibility.mjs")).arg(configuration);
    told(&mut command, "Playwright with axe-core").map(Looked)
}

impl Looked {
    /// Fails where anything of these many pages breaks a rule.
    #[track_caller]
    pub(crate) fn finds_nothing(&self, pages: usize) {
        assert_eq!(self.0["wrong"], json!([]), "{:#}", self.0["wrong"]);
        assert_eq!(self.0["looks"], json!(pages * VIEWS), "every page is looked at in every view");
    }
}

fn files(workspace: &Workspace, names: &[&str]) -> BTreeMap<String, String> {
    let address = |name: &str| format!("file://{}", workspace.path(name).display());
    names.iter().map(|name| ((*name).to_owned(), address(name))).collect()
}

#[test]
fn the_html_report_holds_to_the_rules_of_accessibility() {
    let workspace = reported();
    workspace.write("passing.yaml", "title: All is well\nchecks: { good: 'echo fine', other: 'true' }\n");
    workspace.referee(&["run", "-q", "passing.yaml", "--report", "html=passing.html"]).exits(0);
    let pages = files(&workspace, &["report.html", "passing.html"]);
    if let Some(looked) = look(&workspace, "report", &json!({}), &pages) {
        looked.finds_nothing(2);
    }
}

#[test]
fn what_breaks_a_rule_is_found() {
    let workspace = Workspace::new().file(
        "bad.html",
        "<!doctype html><html><title>bad</title><body style='background:#fff'><p style='color:#bbb'>too pale</p>\
         <img src='data:,'><div style='width:3000px'>too wide</div></body></html>",
    );
    let Some(Looked(told)) = look(&workspace, "bad", &json!({}), &files(&workspace, &["bad.html"])) else { return };
    let found: Vec<&str> = told["wrong"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    for rule in ["color-contrast", "image-alt", "html-has-lang", "overflow"] {
        assert_eq!(found.iter().filter(|id| **id == rule).count(), VIEWS, "{rule}: {told:#}");
    }
}
