//! The probe report as one HTML page without references to other files.

use std::fmt::Write;

use referee_model::probe_set::{CheckProbes, ProbeSet};
use referee_syntax::count::count;

use super::{files, unwatched};
use crate::untrusted;

const STYLE: &str = "\
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884}\
td.n,th.n{text-align:right}code{font-family:ui-monospace,monospace}.hollow{color:#c22;font-weight:600}\
@media(prefers-color-scheme:dark){.hollow{color:#f77}}";

/// Returns the page.
pub fn html(sets: &[ProbeSet]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>Probes</title><style>{STYLE}</style></head><body>\n<h1>Probes</h1>\n"
    );
    for set in sets {
        let commit = set.commit.as_ref().map_or_else(String::new, |commit| format!(", commit {commit}"));
        let heading = untrusted::html(&format!("{} (learned {}{commit})", set.task, set.learned));
        add(&mut page, format_args!("<h2>{heading}</h2>\n"));
        for check in &set.checks {
            of_check(check, &mut page);
        }
        if !set.refused.is_empty() {
            page.push_str("<h3>Files without planted defects</h3>\n<ul>\n");
            for (path, reason) in &set.refused {
                add(
                    &mut page,
                    format_args!("<li><code>{}</code>: {}</li>\n", untrusted::html(path), untrusted::html(reason)),
                );
            }
            page.push_str("</ul>\n");
        }
    }
    page.push_str("</body></html>\n");
    page
}

fn of_check(check: &CheckProbes, page: &mut String) {
    add(page, format_args!("<h3>{}</h3>\n", untrusted::html(&check.name)));
    let class = if check.is_hollow() { " class=\"hollow\"" } else { "" };
    let (noticed, tried) = (check.noticed(), count(check.tried(), "planted defect"));
    add(page, format_args!("<p{class}>Reported {noticed} of {tried}.</p>\n"));
    page.push_str(
        "<table><thead><tr><th>File</th><th class=\"n\">Tried</th><th class=\"n\">Reported</th></tr></thead><tbody>\n",
    );
    for file in files(check) {
        let path = untrusted::html(&file.path);
        let (tried, reported) = (file.tried, file.reported);
        add(
            page,
            format_args!(
                "<tr><td><code>{path}</code></td><td class=\"n\">{tried}</td><td class=\"n\">{reported}</td></tr>\n"
            ),
        );
    }
    page.push_str("</tbody></table>\n");
    let unwatched = unwatched(check);
    if unwatched.is_empty() {
        return;
    }
    page.push_str("<h4>Not watched</h4>\n<ul>\n");
    for code in unwatched {
        let lines = code.lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let function = code.function.as_deref().map_or_else(String::new, |name| format!(" {}", untrusted::html(name)));
        let (path, defects) = (untrusted::html(&code.path), code.defects.join(", "));
        add(page, format_args!("<li><code>{path}</code>{function}, line {lines}: {defects}</li>\n"));
    }
    page.push_str("</ul>\n");
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(text);
}
