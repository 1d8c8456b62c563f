//! The manual is true: the commands of its chapters are run in order, and print what it says.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use regex::Regex;

use crate::support::{Finished, Workspace, at_a_terminal, finish, program, repository};

/// Console blocks that may not be run: each needs what a test cannot have.
const NOT_RUN_MAX: usize = 2;

/// A fenced block of a chapter.
struct Block {
    /// The line of its fence.
    line: usize,
    kind: Kind,
    content: String,
    /// The last line above it that is not blank.
    above: String,
}

enum Kind {
    /// A file of the workspace.
    File(String),
    Session,
    /// A session at a terminal, where a person answers.
    Terminal,
    NotRun,
    /// To be read.
    Text,
}

/// A command of a session.
struct Step {
    line: String,
    /// What has to be printed, in this order.
    printed: Vec<String>,
    code: i32,
}

#[test]
fn commands_of_every_chapter_print_what_it_says() {
    let chapters = chapters();
    let wrong: Vec<String> = thread::scope(|scope| {
        let running: Vec<_> = chapters.iter().map(|chapter| scope.spawn(move || run_chapter(chapter))).collect();
        running.into_iter().flat_map(|chapter| chapter.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn blocks_that_are_not_run_are_few_and_say_why() {
    let mut count = 0;
    for chapter in chapters() {
        for block in blocks(&read(&chapter)).iter().filter(|block| matches!(block.kind, Kind::NotRun)) {
            count += 1;
            let reason = block.above.strip_prefix("<!-- norun: ").and_then(|rest| rest.strip_suffix(" -->"));
            let place = format!("{}:{}", chapter.display(), block.line);
            assert!(reason.is_some_and(|reason| reason.len() > 10), "{place} needs `<!-- norun: REASON -->` above it");
            for step in steps(&block.content) {
                assert!(is_known(&step.line), "{place}: no such command: {}", step.line);
            }
        }
    }
    assert!(count <= NOT_RUN_MAX, "{count} blocks are not run");
}

#[test]
fn every_page_is_in_the_summary_and_every_reference_page_is_included() {
    let linked: BTreeSet<PathBuf> = links(&read(&source().join("SUMMARY.md"))).into_iter().map(PathBuf::from).collect();
    let mut pages = BTreeSet::new();
    markdown(&source(), &source(), &mut pages);
    pages.remove(Path::new("SUMMARY.md"));
    assert_eq!(linked, pages);

    let documentation = repository().join("docs");
    let mut references = BTreeSet::new();
    markdown(&documentation, &documentation, &mut references);
    for page in references.iter().filter(|page| !page.starts_with("manual")) {
        let wrapper = source().join("reference").join(page);
        let up = "../".repeat(page.components().count() + 2);
        assert_eq!(
            read(&wrapper),
            format!("{{{{#include {up}{}}}}}\n", page.display()),
            "{} includes docs/{}",
            wrapper.display(),
            page.display()
        );
    }
}

#[test]
fn links_of_chapters_lead_to_pages_and_headings() {
    let mut wrong = String::new();
    for chapter in chapters() {
        for link in links(&read(&chapter)).iter().filter(|link| !link.contains("://")) {
            let (page, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if page.is_empty() { chapter.clone() } else { source().join(page) };
            let text = included(&target);
            if text.is_none_or(|text| !heading.is_empty() && !headings(&text).contains(heading)) {
                writeln!(wrong, "{}: {link}", chapter.display()).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs the sessions of a chapter in a workspace of its own, and returns what differs from what it says.
fn run_chapter(chapter: &Path) -> Vec<String> {
    let workspace = Workspace::new();
    let mut wrong = Vec::new();
    for block in blocks(&read(chapter)) {
        let at_terminal = match &block.kind {
            Kind::File(name) => {
                workspace.write(name, &block.content);
                continue;
            }
            Kind::NotRun | Kind::Text => continue,
            Kind::Session => false,
            Kind::Terminal => true,
        };
        for step in steps(&block.content) {
            let finished = run(&workspace, &step.line, at_terminal);
            if let Some(problem) = problem(&step, &finished) {
                let place = format!("{}:{}", chapter.display(), block.line);
                wrong.push(format!("{place}: {problem}\n$ {}\n{}{}", step.line, finished.stdout, finished.stderr));
            }
        }
    }
    wrong
}

/// Runs a line with the program on PATH; what it prints is in one stream, as a reader sees it.
fn run(workspace: &Workspace, line: &str, at_terminal: bool) -> Finished {
    let own = program().parent().unwrap().display().to_string();
    let path = format!("{own}:{}", std::env::var("PATH").unwrap());
    let mut shell = workspace.tool("/bin/sh");
    shell.env("PATH", path).env("NO_COLOR", "1").args(["-c", &format!("exec 2>&1; {line}")]);
    if at_terminal {
        return at_a_terminal(&shell, "y\n");
    }
    finish(shell.spawn().unwrap())
}

/// Why what a command did is not what the chapter says.
fn problem(step: &Step, finished: &Finished) -> Option<String> {
    if finished.code != Some(step.code) {
        return Some(format!("it exits with {:?}, not with {}", finished.code, step.code));
    }
    let mut printed = finished.stdout.lines();
    let missing = step.printed.iter().find(|expected| {
        let pattern = pattern(expected);
        !printed.any(|line| pattern.is_match(line.trim_end()))
    });
    missing.map(|missing| format!("it does not print, or not in this order: {missing}"))
}

/// A whole line, in which `[..]` is any text.
fn pattern(expected: &str) -> Regex {
    let parts: Vec<String> = expected.trim_end().split("[..]").map(regex::escape).collect();
    Regex::new(&format!("^{}$", parts.join(".*"))).unwrap()
}

fn steps(session: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in session.lines() {
        if let Some(typed) = line.strip_prefix("$ ") {
            steps.push(Step { line: typed.to_owned(), printed: Vec::new(), code: 0 });
            continue;
        }
        let step = steps.last_mut().unwrap_or_else(|| panic!("a session begins with `$ `, and not with: {line}"));
        match line.strip_prefix("# exit ") {
            Some(code) => step.code = code.parse().unwrap(),
            None if line.trim().is_empty() => {}
            None => {
                assert_ne!(line.trim(), "[..]", "any output has such a line: {}", step.line);
                step.printed.push(line.to_owned());
            }
        }
    }
    steps
}

/// The fenced blocks of a page. A fence of four backticks holds text with fences in it.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    let mut above = String::new();
    while let Some((number, line)) = lines.next() {
        if let Some(information) = line.strip_prefix("```") {
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            let content = inside.map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
            blocks.push(Block { line: number + 1, kind: kind(information), content, above: above.clone() });
        }
        if !line.trim().is_empty() {
            line.clone_into(&mut above);
        }
    }
    blocks
}

fn kind(information: &str) -> Kind {
    match information.split(',').collect::<Vec<_>>().as_slice() {
        ["console"] => Kind::Session,
        ["console", "terminal"] => Kind::Terminal,
        ["console", "norun"] => Kind::NotRun,
        [_, file] if file.starts_with("file=") => Kind::File(file["file=".len()..].to_owned()),
        ["text"] => Kind::Text,
        unknown => panic!("a block is a session, a file or text, and not {unknown:?}"),
    }
}

/// Whether the program has the command that a line begins with.
fn is_known(line: &str) -> bool {
    let words = line.split(' ').skip(1).take_while(|word| !word.starts_with('-'));
    let arguments: Vec<&str> = words.chain(["--help"]).collect();
    line.starts_with("referee ") && Workspace::new().referee(&arguments).code == Some(0)
}

fn source() -> PathBuf {
    repository().join("docs/manual/src")
}

/// The pages that teach, as the summary lists them.
fn chapters() -> Vec<PathBuf> {
    let summary = read(&source().join("SUMMARY.md"));
    let links = links(&summary).into_iter().filter(|link| !link.starts_with("reference/"));
    let chapters: Vec<PathBuf> = links.map(|link| source().join(link)).collect();
    assert!(chapters.len() > 10, "{chapters:?}");
    chapters
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The targets of the links of a page.
fn links(page: &str) -> Vec<String> {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    link.captures_iter(page).map(|found| found[1].to_owned()).collect()
}

/// Adds the pages below a directory, by their paths from `root`.
fn markdown(root: &Path, directory: &Path, pages: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            markdown(root, &path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.insert(path.strip_prefix(root).unwrap().to_owned());
        }
    }
}

/// The text of a page, or of the one that it includes. None: there is no such page.
fn included(page: &Path) -> Option<String> {
    let text = fs::read_to_string(page).ok()?;
    let Some(other) = text.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}\n")) else {
        return Some(text);
    };
    fs::read_to_string(page.parent()?.join(other)).ok()
}

/// The anchors that mdBook gives to the headings of a page.
fn headings(page: &str) -> BTreeSet<String> {
    let titles = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |title: &str| {
        let kept = title.chars().filter(|one| one.is_alphanumeric() || [' ', '-', '_'].contains(one));
        kept.map(|one| if one == ' ' { '-' } else { one.to_ascii_lowercase() }).collect()
    };
    titles.map(anchor).collect()
}
