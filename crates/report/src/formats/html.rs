//! One page of HTML for people: the decision, what blocks and why, and the facts of the run. The page needs no other
//! file and no network, and all of it can be read without its script.

use std::io::{self, Write};

use referee_model::exit_code;
use referee_model::id::Digest;
use referee_model::record::{Notice, Span};
use referee_model::report::{JUDGE_VERSION, Report};
use referee_model::run_context::{WaiverState, WaiverUse};
use referee_model::verdict::Decision;
use referee_syntax::count::count;
use referee_syntax::duration;

use self::entry::{Entry, TIMELINE, attempt_spans, bar, look, stamp};
use self::markup::{Text, write_sentences};
use self::picture::Pictures;
use super::FileSource;
use super::check::{self, Status};
use crate::wording;

mod entry;
mod markup;
mod output;
mod picture;

const STYLE: &str = include_str!("html/page.css");

const SCRIPT: &str = include_str!("html/page.js");

/// What the page may load: nothing but its own style and script.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

const TOP: &str = r##"<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<p class="brand">Referee</p>
<div id="tools" class="tools" role="search" hidden>
<label class="unseen" for="q">Search the checks</label>
<input id="q" type="search" placeholder="Search the checks" autocomplete="off" spellcheck="false">
<button id="help" type="button" aria-haspopup="dialog">Keys</button>
<p id="found" class="found" role="status"></p>
</div>
</header>
<main id="main" tabindex="-1">
"##;

const KEYS: &str = r#"</main>
<dialog id="keys" aria-labelledby="keys-title">
<h2 id="keys-title">Keys</h2>
<dl>
<div><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next check, previous check</dd></div>
<div><dt><kbd>o</kbd></dt><dd>open or close its details</dd></div>
<div><dt><kbd>/</kbd></dt><dd>search</dd></div>
<div><dt><kbd>Esc</kbd></dt><dd>end the search, close this list</dd></div>
<div><dt><kbd>?</kbd></dt><dd>this list</dd></div>
</dl>
<form method="dialog"><button>Close</button></form>
</dialog>
"#;

/// Writes the runs as one page.
pub(crate) fn write(reports: &[&Report], files: FileSource<'_>, out: &mut dyn Write) -> io::Result<()> {
    let pictures = Pictures::of(reports, files);
    let level = if reports.len() > 1 { 2 } else { 1 };
    let numbered = reports.iter().zip(1..);
    let tasks: Vec<Task<'_>> = numbered.map(|(report, number)| Task::new(report, &pictures, number, level)).collect();
    write_head(&title(&tasks), out)?;
    out.write_all(TOP.as_bytes())?;
    if tasks.len() != 1 {
        write_overview(&tasks, out)?;
    }
    for task in &tasks {
        task.write(out)?;
    }
    out.write_all(KEYS.as_bytes())?;
    writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
}

fn write_head(title: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, r#"<meta http-equiv="Content-Security-Policy" content="{POLICY}">"#)?;
    writeln!(out, r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#)?;
    writeln!(out, r#"<meta name="color-scheme" content="light dark">"#)?;
    writeln!(out, "<title>{} · Referee</title>", Text(title))?;
    // Without an icon of its own, a browser would ask the server for one.
    writeln!(out, r#"<link rel="icon" href="data:,">"#)?;
    writeln!(out, "<style>\n{STYLE}</style>\n</head>")
}

/// Returns the title of the document, which begins with the decision.
fn title(tasks: &[Task<'_>]) -> String {
    let word = wording::decision(decision(tasks)).0;
    match tasks {
        [] => "No run".to_owned(),
        [Task { report, .. }] => format!("{word} {}", check::task_name(report)),
        [Task { report, .. }, ..] => {
            format!("{word} {} of {}", count(tasks.len(), "task"), report.plan.specification.file)
        }
    }
}

/// Returns the decision on several tasks: `PASS` if every task passed, else `FAIL` if any failed, else `BLOCKED`.
fn decision(tasks: &[Task<'_>]) -> Decision {
    let has = |decision: Decision| tasks.iter().any(|task| task.report.verdict.decision == decision);
    if has(Decision::Fail) {
        Decision::Fail
    } else if has(Decision::Blocked) {
        Decision::Blocked
    } else {
        Decision::Pass
    }
}

/// Writes the decision on several tasks, and a list of them.
fn write_overview(tasks: &[Task<'_>], out: &mut dyn Write) -> io::Result<()> {
    let [first, ..] = tasks else { return writeln!(out, "<h1>No run</h1>") };
    let file = Text(&first.report.plan.specification.file);
    writeln!(out, "<h1>{} {} of {file}</h1>", stamp(decision(tasks)), count(tasks.len(), "task"))?;
    writeln!(out, "<nav aria-label=\"Tasks\">\n<ul class=\"tasks\">")?;
    for task in tasks {
        let (anchor, stamp) = (&task.anchor, stamp(task.report.verdict.decision));
        let name = check::task_name(task.report);
        let (numbers, time) = (task.numbers(), duration::short(check::duration_ms(task.report)));
        write!(out, r##"<li>{stamp} <a href="#{anchor}">{}</a> "##, Text(&name))?;
        writeln!(out, r#"<span class="muted">{numbers} · {time}</span></li>"#)?;
    }
    writeln!(out, "</ul>\n</nav>")
}

/// Says whether checks with a status are meant.
type StatusFilter = fn(&Status) -> bool;

/// A run and its place on the page.
struct Task<'r> {
    report: &'r Report,
    /// Id of its element, with which the ids of its checks begin.
    anchor: String,
    /// Level of the heading that names the task; those of its parts are below.
    level: usize,
    checks: Vec<Entry<'r>>,
}

impl<'r> Task<'r> {
    fn new(report: &'r Report, pictures: &'r Pictures, number: usize, level: usize) -> Self {
        let anchor = format!("t{number}");
        let checks = check::all(report).into_iter().zip(&report.actions);
        let checks = checks.map(|(check, action)| {
            let anchor = format!("{anchor}-{}", action.action.id);
            Entry { check, action, pictures, anchor }
        });
        Self { report, level, checks: checks.collect(), anchor }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let anchor = &self.anchor;
        writeln!(out, r#"<section id="{anchor}" aria-labelledby="{anchor}-title">"#)?;
        self.write_decision(out)?;
        let blocking = self.checks_with(Status::is_failure);
        self.write_in_full("blocking", "Checks that block", &blocking, " open", out)?;
        let remarks = self.checks_with(|status| *status == Status::PassedWithRemark);
        self.write_in_full("remarks", "Remarks", &remarks, "", out)?;
        self.write_others(&self.checks_with(|status| matches!(status, Status::Passed | Status::Skipped(_))), out)?;
        self.write_timeline(out)?;
        self.write_facts(out)?;
        writeln!(out, "</section>")
    }

    /// Returns the checks with certain statuses, in plan order.
    fn checks_with(&self, is_wanted: StatusFilter) -> Vec<&Entry<'r>> {
        self.checks.iter().filter(|entry| is_wanted(&entry.check.status)).collect()
    }

    /// Returns the numbers of checks in words, such as `1 blocking, 2 passed`.
    fn numbers(&self) -> String {
        let statuses: [(StatusFilter, &str); 4] = [
            (Status::is_failure, "blocking"),
            (|status| *status == Status::PassedWithRemark, "with a remark"),
            (|status| *status == Status::Passed, "passed"),
            (|status| matches!(status, Status::Skipped(_)), "skipped"),
        ];
        let numbers = statuses.map(|(is_wanted, word)| (self.checks_with(is_wanted).len(), word)).into_iter();
        let words = numbers.filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}"));
        let words: Vec<String> = words.collect();
        if words.is_empty() { "no check".to_owned() } else { words.join(", ") }
    }

    /// Writes the decision, its reasons and what to do next.
    fn write_decision(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { report, anchor, level, .. } = self;
        let (stamp, name) = (stamp(report.verdict.decision), check::task_name(report));
        writeln!(out, r#"<h{level} id="{anchor}-title">{stamp} {}</h{level}>"#, Text(&name))?;
        write_sentences(&report.verdict.reasons, out)?;
        for banner in self.banners() {
            writeln!(out, r#"<p class="banner">{}</p>"#, Text(&banner))?;
        }
        let next = match report.verdict.decision {
            Decision::Pass if report.is_reduced() => "run the whole task: a reduced run never counts as done",
            Decision::Pass | Decision::Fail | Decision::Blocked => wording::next_step(report.verdict.agent_action),
        };
        writeln!(out, "<p><strong>Next step:</strong> {next}.</p>")?;
        let time = duration::short(check::duration_ms(report));
        writeln!(out, r#"<p class="muted">{} · {time}</p>"#, self.numbers())
    }

    /// Returns what qualifies the decision: parts of the task that were left out, waivers, and a baseline.
    fn banners(&self) -> Vec<String> {
        let Report { run, verdict, .. } = self.report;
        let reduced = self.report.is_reduced().then(|| {
            let profile = run.scope.profile.as_str();
            format!("This was a reduced run (profile {profile}), which never counts as done.")
        });
        let waivers = verdict.waivers.iter().filter(|used| used.state == WaiverState::Applied);
        let baseline = verdict.baseline.as_ref().map(ToString::to_string);
        reduced.into_iter().chain(waivers.map(WaiverUse::sentence)).chain(baseline).collect()
    }

    /// Begins a part of the run, whose detail may be empty.
    fn begin(&self, name: &str, title: &str, detail: &str, out: &mut dyn Write) -> io::Result<()> {
        let (anchor, level) = (&self.anchor, self.level + 1);
        writeln!(out, r#"<section aria-labelledby="{anchor}-{name}">"#)?;
        let detail = if detail.is_empty() { String::new() } else { format!(" <small>{detail}</small>") };
        writeln!(out, r#"<h{level} id="{anchor}-{name}">{title}{detail}</h{level}>"#)
    }

    /// Writes checks with everything that is known of them.
    fn write_in_full(
        &self,
        name: &str,
        title: &str,
        checks: &[&Entry<'_>],
        open: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if checks.is_empty() {
            return Ok(());
        }
        self.begin(name, title, &checks.len().to_string(), out)?;
        for entry in checks {
            entry.write(self.level + 2, open, out)?;
        }
        writeln!(out, "</section>")
    }

    /// Writes a table of the checks that passed or did not run.
    fn write_others(&self, checks: &[&Entry<'_>], out: &mut dyn Write) -> io::Result<()> {
        if checks.is_empty() {
            return Ok(());
        }
        self.begin("others", "Passed and skipped checks", &checks.len().to_string(), out)?;
        writeln!(out, r#"<table class="others"><caption class="unseen">Checks that passed or did not run</caption>"#)?;
        write!(out, r#"<thead><tr><th scope="col">Check</th><th scope="col">Result</th>"#)?;
        write!(out, r#"<th scope="col" class="number">Duration</th><th scope="col">Reason</th></tr></thead>"#)?;
        writeln!(out, "\n<tbody>")?;
        for entry in checks {
            entry.write_row(out)?;
        }
        writeln!(out, "</tbody>\n</table>\n</section>")
    }

    /// Writes when each check ran, as numbers and as bars.
    fn write_timeline(&self, out: &mut dyn Write) -> io::Result<()> {
        let began = self.report.run.started;
        let start = |span: &Span| span.started.milliseconds_since(began);
        let end = |span: &Span| start(span).saturating_add(span.duration_ms);
        let spans = self.checks.iter().flat_map(|entry| attempt_spans(entry.action));
        let Some(last) = spans.map(|span| end(&span)).max() else {
            return Ok(());
        };
        let total = check::duration_ms(self.report).max(last).max(1);
        self.begin("timeline", "Timeline", &duration::short(total), out)?;
        writeln!(out, r#"<table class="timeline"><caption class="unseen">When each check ran</caption>"#)?;
        write!(out, r#"<thead><tr><th scope="col">Check</th><th scope="col" class="number">Start</th>"#)?;
        write!(out, r#"<th scope="col" class="number">Duration</th><th scope="col">Bar</th></tr></thead>"#)?;
        writeln!(out, "\n<tbody>")?;
        for Entry { check, anchor, action, .. } in &self.checks {
            let spans = attempt_spans(action);
            let ([first, ..], Some(last)) = (spans.as_slice(), spans.last()) else { continue };
            let (class, sign, word) = look(&check.status);
            let (name, id) = (Text(check.name), Text(check.id));
            write!(out, r#"<tr data-of="{anchor}"><th scope="row"><span class="tone {class}" "#)?;
            write!(out, r#"aria-hidden="true">{sign}</span> <span class="unseen">{word}: </span>"#)?;
            writeln!(out, r##"<a href="#{anchor}">{name} <small>{id}</small></a></th>"##)?;
            let (from, to) = (duration::short(start(first)), duration::short(end(last)));
            let time = duration::short(check.duration_ms());
            writeln!(out, r#"<td class="number">{from}</td><td class="number">{time}</td>"#)?;
            write!(out, r#"<td class="track"><svg viewBox="0 0 {TIMELINE} 10" preserveAspectRatio="none" "#)?;
            write!(out, r#"role="img" aria-label="{word}, {from} to {to}"><rect class="ground" "#)?;
            write!(out, r#"width="{TIMELINE}" height="10"/>"#)?;
            for span in &spans {
                out.write_all(bar(class, start(span), span.duration_ms, total).as_bytes())?;
            }
            writeln!(out, "</svg></td></tr>")?;
        }
        writeln!(out, "</tbody>\n</table>\n</section>")
    }

    /// Writes notes and facts of the run as a whole.
    fn write_facts(&self, out: &mut dyn Write) -> io::Result<()> {
        let notes = self.notes();
        if !notes.is_empty() {
            self.begin("notes", "Notes", "", out)?;
            write_sentences(&notes, out)?;
            writeln!(out, "</section>")?;
        }
        self.begin("facts", "Facts of the run", "", out)?;
        writeln!(out, r#"<dl class="facts">"#)?;
        for (name, value) in self.facts() {
            writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", Text(&value))?;
        }
        writeln!(out, "</dl>\n</section>")
    }

    fn notes(&self) -> Vec<String> {
        let run = &self.report.run;
        let banners = self.banners();
        let notices = run.notices.iter().filter(|notice| !banners.contains(notice)).cloned();
        let services = run.services.iter().filter(|service| service.ended_early()).map(|service| {
            let ending = wording::observed::ending(&service.ending);
            format!("The service of {} ended while it was still needed: {ending}", service.action)
        });
        let of_services = run.services.iter().flat_map(|service| {
            let told = |notice: &Notice| format!("The service of {}: {}", service.action, notice.message);
            service.notices.iter().map(told)
        });
        notices.chain(services).chain(of_services).collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let Report { plan, run, verdict, .. } = self.report;
        let (host, context) = (&run.host, &run.run_context);
        let profile = run.scope.profile.as_str();
        let digest = |digest: Digest| digest.to_string();
        let mut facts = vec![
            ("Run", run.execution.to_string()),
            ("Started", run.started.to_string()),
            ("Ended", run.ended.to_string()),
            ("Duration", duration::short(check::duration_ms(self.report))),
            ("Profile", if self.report.is_reduced() { format!("{profile}, reduced") } else { profile.to_owned() }),
            ("Host", format!("{} {}", host.platform, host.architecture)),
            ("Agent", host.agent.clone().unwrap_or_else(|| "none known".to_owned())),
            ("Version of Referee", host.version.clone()),
            ("Version of the judge", JUDGE_VERSION.to_owned()),
            ("Exit code", exit_code::of(verdict.exit).to_string()),
            ("Specification", plan.specification.file.clone()),
            ("SHA-256 of the specification", digest(plan.specification.digest)),
        ];
        if let Some(tree) = &context.tree {
            facts.push(("Digest of the inputs before the run", digest(tree.before.digest)));
            facts.push(("Digest of the inputs after the run", digest(tree.after.digest)));
        }
        if let Some(baseline) = &verdict.baseline {
            facts.push(("SHA-256 of the baseline", digest(baseline.digest)));
        }
        facts.push(("Key of the signature", context.signer.map_or_else(|| "not signed".to_owned(), digest)));
        facts
    }
}

#[cfg(test)]
mod tests {
    use referee_model::reading::TestResults;
    use referee_syntax::line::is_deceptive;

    use referee_model::reading::TestFailure;
    use referee_model::report::{ActionHistory, Ran};

    use super::output::{FAILURES, FINDINGS};
    use super::*;
    use crate::human::fixture::{run_context, runs, servers};

    fn written(reports: &[&Report]) -> String {
        let mut out = Vec::new();
        write(reports, &|_, name| Err(io::Error::other(name.to_owned())), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Returns the results of the first check that found something.
    fn types(report: &mut Report) -> &mut Ran {
        let histories = report.actions.iter_mut().map(|action| &mut action.history);
        let mut ran = histories.filter_map(|history| match history {
            ActionHistory::Ran(ran) => Some(ran.as_mut()),
            ActionHistory::Skipped(_) => None,
        });
        ran.find(|ran| !ran.reading.diagnostics.is_empty()).unwrap()
    }

    #[test]
    fn what_blocks_comes_first_and_what_passed_last() {
        let page = written(&[&runs::failing()]);
        let places = [
            "<title>FAIL T001 Quote service",
            r#"<h1 id="t1-title"><span class="stamp bad">"#,
            "Next step:",
            r#"<article id="t1-STEP.1""#,
            r#"<article id="t1-STEP.6""#,
            r#"<article id="t1-STEP.4" class="check odd""#,
            r#"<tr id="t1-PREREQ.1""#,
            r#"<tr id="t1-STEP.5""#,
            "exec-20261121T090524123Z-1f3a9c04",
        ];
        let places = places.map(|text| page.find(text).unwrap_or_else(|| panic!("no {text} in {page}")));
        assert!(places.is_sorted(), "{places:?} in {page}");
        assert_eq!(page.matches("<tr data-of=").count(), 6, "{page}");
    }

    #[test]
    fn a_check_is_told_with_its_tests_findings_and_advice() {
        let page = written(&[&runs::failing()]);
        for text in [
            "1 tsc error (BLOCK_ON_ERRORS_ALWAYS)",
            "src/routes.ts:39:84",
            "TS2345",
            "Argument of type &#39;string&#39; is not assignable",
            "Fix the types, starting with src/routes.ts:39.",
            "<dt>Expected</dt><dd><pre>200</pre></dd>",
            "<dt>Received</dt><dd><pre>404</pre></dd>",
            "did not run: <strong>tests/server.test.ts</strong>",
        ] {
            assert!(page.contains(text), "no {text} in {page}");
        }
    }

    #[test]
    fn output_is_shown_with_its_beginning_its_end_and_the_size_between() {
        let page = written(&[&runs::timed_out()]);
        assert!(page.contains(">begin</pre>") && page.contains("✓ test 419</pre>"), "{page}");
        assert!(page.contains(" bytes left out …"), "{page}");
        let page = written(&[&runs::prerequisite_failed()]);
        for text in ["npm error code ENOTFOUND\nnpm error syscall", "step 29\n 10 %\n 50 %\n"] {
            assert!(page.contains(text), "no {text} in {page}");
        }
    }

    #[test]
    fn several_tasks_have_one_decision_and_a_place_each() {
        let page = written(&[&runs::passing(), &run_context::reduced(), &runs::blocked()]);
        assert!(page.contains("<title>BLOCKED 3 tasks of referee.yaml"), "{page}");
        for text in [r#"<section id="t3""#, r##"<a href="#t1">T001"##, r#"<h2 id="t2-title">"#] {
            assert!(page.contains(text), "no {text} in {page}");
        }
        assert_eq!(page.matches("<h1").count(), 1);
        assert!(written(&[]).contains("<h1>No run</h1>"));
    }

    #[test]
    fn a_reduced_run_is_never_said_to_be_done() {
        let page = written(&[&run_context::reduced()]);
        assert!(page.contains("which never counts as done") && !page.contains("may be called done"), "{page}");
    }

    #[test]
    fn retries_are_told_and_each_attempt_has_a_bar() {
        let page = written(&[&run_context::retried()]);
        assert!(page.contains("passed when tried again") && page.contains("Attempt 2: tests failed"), "{page}");
        assert_eq!(page.matches(r#"<rect class="bar "#).count(), 6, "{page}");
    }

    #[test]
    fn the_columns_of_a_finding_are_marked() {
        for (source, columns, shown) in [
            ("let port = 8080;", (5, Some(9)), "let <mark>port</mark> = 8080;</pre>"),
            ("if a < b {", (6, None), "if a <mark>&lt;</mark> b {</pre>"),
            ("short", (90, Some(99)), "short<mark> </mark></pre>"),
            ("\t数 = 1", (2, Some(3)), "    <mark>数</mark> = 1</pre>"),
        ] {
            let mut report = runs::failing();
            let found = &mut types(&mut report).reading.diagnostics[0];
            found.source = Some(source.to_owned());
            (found.column, found.end_column) = (Some(columns.0), columns.1);
            let page = written(&[&report]);
            assert!(page.contains(shown), "no {shown} in {page}");
        }
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let mut report = runs::failing();
        let reading = &mut types(&mut report).reading;
        let others = written(&[&runs::failing()]).matches("<li class=\"finding bad\">").count() - 1;
        reading.diagnostics = vec![reading.diagnostics[0].clone(); FINDINGS + 50];
        reading.counts.errors = 1_000;
        let failure = TestFailure { name: "adds".to_owned(), ..TestFailure::default() };
        let failures = vec![failure; FAILURES + 1];
        reading.tests = Some(TestResults { failures, ..TestResults::default() });
        let page = written(&[&report]);
        assert_eq!(page.matches("<li class=\"finding bad\">").count(), others + FINDINGS + FAILURES);
        let of_findings = "800 findings not shown here: see <code>STEP.1-diagnostics.json</code>";
        for rest in [of_findings, "1 failed test not shown here"] {
            assert!(page.contains(rest), "no {rest} in {page}");
        }
    }

    #[test]
    fn text_of_tools_is_neither_markup_nor_obeyed() {
        let evil = "</title></style></script><script>alert(1)</script><img src=x onerror=\"alert(1)\">'--><!--\
                    \u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}gpj.exe\u{0}\r\u{2028}&lt;";
        let [requests, services] = servers::hostile(evil);
        let page = written(&[&runs::hostile(evil, &"<x>".repeat(1 << 20)), &requests, &services]);
        assert!(page.len() < 1024 * 1024, "{} bytes", page.len());
        for tag in ["<script", "</script>", "<style", "</style>", "<title", "</title>"] {
            assert_eq!(page.matches(tag).count(), 1, "{tag} in {page}");
        }
        for markup in ["<img", "<x", "-->", "<!--", "\"alert(1)\""] {
            assert!(!page.contains(markup), "{markup} in {page}");
        }
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("&amp;lt;"), "{page}");
        assert_eq!(page.chars().find(|character| *character != '\n' && is_deceptive(*character)), None);
    }

    #[test]
    fn a_page_loads_nothing() {
        let page = written(&[&runs::failing(), &servers::requests()]);
        assert!(page.contains(&format!(r#"<meta http-equiv="Content-Security-Policy" content="{POLICY}">"#)));
        let targets: Vec<&str> = page.split("href=\"").skip(1).collect();
        assert!(targets.iter().all(|target| target.starts_with('#') || target.starts_with("data:,\"")), "{page}");
        for loaded in [" src=", "url(", "@import", "srcset", "action="] {
            assert!(!page.contains(loaded), "{loaded} in {page}");
        }
        // Style and script would end their elements.
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</"));
    }
}
