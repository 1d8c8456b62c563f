//! The walls between the rooms, as ARCHITECTURE.md draws them.

#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[path = "walls/source.rs"]
mod source;

/// Packages that may be locked, tests included: each one is somebody's code that runs on a user's machine or in our tests.
const LOCKED_PACKAGES_MAX: usize = 347;

/// Crates whose programs have a lock file of their own, and the packages that may be locked there.
const APART: [(&str, usize); 1] = [("fleet", 360)];

/// JSON Schemas that may be published: each one is a promise.
const SCHEMAS_MAX: usize = 25;

/// Lines of code that a file may have, comments, blank lines and tests left out.
const FILE_LINES_MAX: usize = 400;

/// For each crate: the lines of code that it may have, its files that may have more than [`FILE_LINES_MAX`], and its files that
/// may use each other in a circle. To grow beyond these a change has to touch them here.
const CRATES: [(&str, usize, usize, usize); 20] = [
    ("cli", 13520, 0, 0),
    ("database", 1100, 0, 0),
    ("document", 60, 0, 0),
    ("engine", 28600, 0, 6),
    ("exec", 12460, 0, 0),
    ("fleet", 3570, 0, 0),
    ("foreign", 1300, 0, 0),
    ("judge", 19320, 0, 8),
    ("ledger", 15290, 0, 4),
    ("mcp", 1300, 0, 0),
    ("model", 14010, 0, 0),
    ("mutation", 1800, 0, 0),
    ("readers", 24470, 0, 0),
    ("report", 16200, 0, 0),
    ("schema", 500, 0, 0),
    ("server", 7200, 0, 0),
    ("spec", 19020, 0, 4),
    ("syntax", 2850, 0, 0),
    ("testkit", 990, 0, 0),
    ("xtask", 2690, 0, 0),
];

/// A right to do operations, and the methods that it opens.
const RIGHTS: [(&str, &[&str]); 5] = [
    ("starts processes", &["std::process::Command::new"]),
    (
        "reads files",
        &[
            "std::fs::File::open",
            "std::fs::read",
            "std::fs::read_to_string",
            "std::fs::read_dir",
            "std::fs::canonicalize",
        ],
    ),
    (
        "writes files",
        &[
            "std::fs::File::create",
            "std::fs::OpenOptions::open",
            "std::fs::write",
            "std::fs::rename",
            "std::fs::remove_file",
            "std::fs::remove_dir_all",
            "std::fs::create_dir",
            "std::fs::create_dir_all",
            "std::fs::copy",
            "std::fs::hard_link",
        ],
    ),
    (
        "opens sockets",
        &["std::net::TcpStream::connect", "std::net::TcpStream::connect_timeout", "std::net::TcpListener::bind"],
    ),
    (
        "reads environment and clock",
        &[
            "std::env::var",
            "std::env::var_os",
            "std::env::vars",
            "std::env::vars_os",
            "std::env::current_dir",
            "std::env::current_exe",
            "std::time::SystemTime::now",
        ],
    ),
];

#[test]
fn every_edge_between_crates_stands_in_the_crate_table() {
    let rows = table("crate-table");
    let written: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> =
        rows.into_iter().map(|row| (code(&row[0]), (codes(&row[1]), codes(&row[2])))).collect();
    let real = edges();
    for (name, (ours, outside)) in &real {
        println!("| `{name}` | {} | {} |", list(ours), list(outside));
    }
    assert_eq!(
        written, real,
        "the table in ARCHITECTURE.md does not say what cargo says; the right rows are printed above"
    );
}

#[test]
fn rooms_have_no_doors_between_them_and_every_edge_leads_down() {
    let floor = |name: &str| match name {
        "model" | "syntax" | "document" => 0,
        "schema" => 1,
        "spec" | "exec" | "readers" | "foreign" | "judge" | "mutation" | "database" | "report" | "ledger" => 2,
        "engine" => 3,
        "server" | "mcp" | "fleet" => 4,
        "referee" | "testkit" => 5,
        "xtask" => 6,
        unknown => panic!("{unknown} has no floor"),
    };
    for (name, (ours, _)) in edges() {
        for used in ours {
            assert!(floor(&used) < floor(&name), "{name} must not use {used}");
        }
    }
}

#[test]
fn no_more_packages_are_locked_than_the_budget_allows() {
    let lock = read(&root().join("Cargo.lock"));
    let packages = lock.lines().filter(|line| *line == "[[package]]").count();
    println!("{packages} packages");
    assert!(packages <= LOCKED_PACKAGES_MAX, "{packages} locked packages");
}

#[test]
fn a_program_with_a_lock_file_of_its_own_locks_no_more_than_its_budget_and_is_linked_by_nobody() {
    for (name, packages_max) in APART {
        let lock = read(&root().join("crates").join(name).join("Cargo.lock"));
        let packages = lock.lines().filter(|line| *line == "[[package]]").count();
        println!("{name}: {packages} packages");
        assert!(packages <= packages_max, "{packages} packages are locked for {name}");
        for (other, (ours, _)) in edges() {
            assert!(!ours.contains(name), "{other} must not use {name}: it would link what {name} links");
        }
    }
}

#[test]
fn no_crate_and_no_file_grows_beyond_its_ceiling() {
    let mut wrong = Vec::new();
    for directory in crate_directories() {
        let name = directory_name(&directory);
        let read = source::Crate::read(&crate_root(&directory));
        let lines: usize = read.lines.values().sum();
        let long: Vec<_> = read.lines.iter().filter(|(_, lines)| **lines > FILE_LINES_MAX).collect();
        let long_count = long.len();
        let listed = format!("{long:?}");
        let uses = read.uses();
        let circular = in_circles(&uses);
        println!("    (\"{name}\", {lines}, {long_count}, {}),", circular.len());
        let ceiling = CRATES.iter().find(|(known, ..)| *known == name);
        let Some((_, lines_max, long_max, circular_max)) = ceiling else {
            wrong.push(format!("{name} has no ceiling"));
            continue;
        };
        if lines > *lines_max {
            wrong.push(format!("{name} has {lines} lines of code, and may have {lines_max}"));
        }
        if long_count > *long_max {
            wrong.push(format!("{name} has {long_count} files of more than {FILE_LINES_MAX} lines: {listed}"));
        }
        if circular.len() > *circular_max {
            wrong.push(format!(
                "{name} has {} files in circles, and may have {circular_max}: {circular:?}",
                circular.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files that use each other in a circle. A file and the files of its own parts may.
fn in_circles(uses: &BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> Vec<&Path> {
    let reached: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        uses.keys().map(|file| (file, reachable(file, uses, &|_, _| true))).collect();
    let is_circular = |file: &PathBuf| {
        let circle: Vec<&PathBuf> =
            reached[file].iter().copied().filter(|other| reached[*other].contains(file)).collect();
        let is_one_module = circle.iter().any(|top| circle.iter().all(|part| is_within(part, top)));
        let downward = |from: &Path, to: &Path| !is_within(from, to);
        !circle.is_empty() && (!is_one_module || reachable(file, uses, &downward).contains(file))
    };
    uses.keys().filter(|file| is_circular(file)).map(PathBuf::as_path).collect()
}

/// The files that a file uses, by itself or by others.
fn reachable<'uses>(
    file: &Path,
    uses: &'uses BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    counts: &dyn Fn(&Path, &Path) -> bool,
) -> BTreeSet<&'uses PathBuf> {
    let used = |file: &Path| uses[file].iter().filter(|used| counts(file, used)).collect::<Vec<_>>();
    let mut seen = BTreeSet::new();
    let mut next = used(file);
    while let Some(one) = next.pop() {
        if seen.insert(one) {
            next.extend(used(one));
        }
    }
    seen
}

/// Whether a file is `top`, or one of the files of its parts.
fn is_within(file: &Path, top: &Path) -> bool {
    file == top || file.starts_with(top.with_extension(""))
}

#[test]
fn no_more_schemas_are_published_than_the_budget_allows() {
    let schemas = std::fs::read_dir(root().join("schemas")).unwrap().count();
    assert!(schemas <= SCHEMAS_MAX, "{schemas} published schemas");
}

#[test]
fn modules_of_a_crate_form_no_cycle() {
    for directory in crate_directories() {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (file, used) in source::Crate::read(&crate_root(&directory)).uses() {
            let module = top_level_module(&directory, &file);
            let used = used.iter().map(|used| top_level_module(&directory, used)).filter(|used| *used != module);
            uses.entry(module.clone()).or_default().extend(used.collect::<Vec<_>>());
        }
        uses.retain(|module, _| !["lib", "main"].contains(&module.as_str()));
        if let Some(cycle) = find_cycle(&uses) {
            panic!("{}: modules form a cycle: {}", directory.display(), cycle.join(" -> "));
        }
    }
}

/// The file that a crate begins with.
fn crate_root(directory: &Path) -> PathBuf {
    let roots = ["lib.rs", "main.rs"].map(|root| directory.join("src").join(root));
    roots.into_iter().find(|root| root.exists()).expect("a crate begins with one of them")
}

/// The module directly below the crate's root that a file is, or is part of.
fn top_level_module(directory: &Path, file: &Path) -> String {
    let relative = file.strip_prefix(directory.join("src")).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn lint_files_give_each_room_the_rights_of_the_operation_table_and_no_others() {
    let everything = forbidden(&root().join("clippy.toml"));
    let listed: BTreeSet<&str> = RIGHTS.iter().flat_map(|(_, methods)| methods.iter().copied()).collect();
    assert!(listed.iter().all(|method| everything.contains(*method)), "the root forbids every operation of the table");
    let rights = operation_table();
    for directory in crate_directories() {
        let name = directory_name(&directory);
        let own = directory.join("clippy.toml");
        let Some(granted) = rights.get(&name) else {
            assert!(!own.exists(), "{name} has a clippy.toml of its own but no right in the operation table");
            continue;
        };
        if ["testkit", "xtask"].contains(&name.as_str()) {
            continue;
        }
        let open: BTreeSet<&str> = RIGHTS
            .iter()
            .filter(|(right, _)| granted.contains(*right))
            .flat_map(|(_, methods)| methods.iter().copied())
            .collect();
        let expected: BTreeSet<String> =
            everything.iter().filter(|method| !open.contains(method.as_str())).cloned().collect();
        let stated = forbidden(&own);
        let missing: Vec<_> = expected.difference(&stated).filter(|method| !may_canonicalize(&name, method)).collect();
        assert!(missing.is_empty(), "{name}/clippy.toml must forbid {missing:?}");
    }
}

/// Resolving a path is a look at the disk that several rooms need; the operation table counts it as reading files.
fn may_canonicalize(name: &str, method: &str) -> bool {
    method == "std::fs::canonicalize" && ["cli", "spec", "exec", "ledger"].contains(&name)
}

#[test]
fn no_source_line_does_an_operation_that_its_room_has_no_right_to() {
    let rights = operation_table();
    let none = BTreeSet::new();
    for directory in crate_directories() {
        let name = directory_name(&directory);
        let granted = rights.get(&name).unwrap_or(&none);
        for (_, methods) in RIGHTS.iter().filter(|(right, _)| !granted.contains(*right)) {
            for file in shipped_files(&directory.join("src")) {
                let source = code_without_tests(&read(&file));
                for method in *methods {
                    let found = source.lines().any(|line| calls(line, &last_two(method)));
                    assert!(!found, "{} calls {method}, which its room has no right to", file.display());
                }
            }
        }
    }
}

/// How a method is called where its module or type is imported: `std::fs::read` as `fs::read(`.
fn last_two(method: &str) -> String {
    let parts: Vec<&str> = method.split("::").collect();
    format!("{}(", parts[parts.len() - 2..].join("::"))
}

/// Whether a line of code calls `call`, such as `fs::read(`, and not something whose name merely ends so.
fn calls(line: &str, call: &str) -> bool {
    line.match_indices(call).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        before.is_none_or(|character| !character.is_alphanumeric() && character != '_')
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn crate_directories() -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> =
        std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    directories.push(root().join("xtask"));
    directories.sort();
    directories
}

fn directory_name(directory: &Path) -> String {
    directory.file_name().unwrap().to_string_lossy().into_owned()
}

/// The methods that a `clippy.toml` forbids.
fn forbidden(path: &Path) -> BTreeSet<String> {
    let text = read(path);
    let entries = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let paths = entries.filter_map(|line| line.split_once("path = \"")?.1.split_once('"'));
    paths.map(|(method, _)| method.to_owned()).collect()
}

/// The rows of a table in ARCHITECTURE.md, without its head.
fn table(name: &str) -> Vec<Vec<String>> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let begin = text.find(&format!("<!-- {name}:begin -->")).expect("the table begins");
    let end = text.find(&format!("<!-- {name}:end -->")).expect("the table ends");
    text[begin..end]
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

fn operation_table() -> BTreeMap<String, BTreeSet<String>> {
    table("operation-table")
        .into_iter()
        .map(|row| {
            let granted = RIGHTS.iter().zip(&row[1..]).filter(|(_, cell)| *cell == "yes");
            (code(&row[0]), granted.map(|((right, _), _)| (*right).to_owned()).collect())
        })
        .collect()
}

fn code(cell: &str) -> String {
    cell.trim_matches('`').to_owned()
}

fn codes(cell: &str) -> BTreeSet<String> {
    cell.split(',').map(|part| code(part.trim())).filter(|part| !part.is_empty() && part != "–").collect()
}

fn list(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return "–".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// For each of our crates: the crates of ours and from outside that it links, development dependencies left out.
fn edges() -> BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> {
    let mut edges = edges_of(&root());
    for (name, _) in APART {
        edges.extend(edges_of(&root().join("crates").join(name)));
    }
    edges
}

/// The same, for the crates of one workspace.
fn edges_of(workspace: &Path) -> BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(workspace)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let short = |name: &str| name.strip_prefix("referee-").unwrap_or(name).to_owned();
    let mut edges = BTreeMap::new();
    for package in metadata["packages"].as_array().unwrap() {
        let (mut ours, mut outside) = (BTreeSet::new(), BTreeSet::new());
        for dependency in package["dependencies"].as_array().unwrap() {
            if dependency["kind"] == Value::Null {
                let name = dependency["name"].as_str().unwrap();
                if name.starts_with("referee-") {
                    ours.insert(short(name))
                } else {
                    outside.insert(name.to_owned())
                };
            }
        }
        edges.insert(short(package["name"].as_str().unwrap()), (ours, outside));
    }
    edges
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A file's code without comments, up to its unit tests: they may use what they like.
fn code_without_tests(source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let tests = lines.iter().position(|line| *line == "mod tests {").unwrap_or(lines.len());
    let code = lines[..tests].iter().map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
}

/// The files of a crate that are compiled into it, tests left out.
fn shipped_files(source: &Path) -> Vec<PathBuf> {
    let files = rust_files(source);
    let for_tests: BTreeSet<String> = files.iter().flat_map(|file| test_modules(&read(file))).collect();
    let is_shipped = |file: &PathBuf| {
        let relative = file.strip_prefix(source).unwrap().with_extension("");
        !relative.components().any(|part| for_tests.contains(part.as_os_str().to_str().unwrap()))
    };
    files.into_iter().filter(is_shipped).collect()
}

/// The names of modules in files of their own that a source declares for tests only.
fn test_modules(source: &str) -> Vec<String> {
    let declared = source.split("#[cfg(test)]\n").skip(1).filter_map(|rest| rest.lines().next()?.strip_prefix("mod "));
    declared.filter_map(|rest| rest.strip_suffix(';')).map(str::to_owned).collect()
}

fn find_cycle(uses: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(
        name: &str,
        uses: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|before| before == name) {
            return Some(path[start..].iter().cloned().chain([name.to_owned()]).collect());
        }
        if done.contains(name) {
            return None;
        }
        path.push(name.to_owned());
        for used in uses.get(name).into_iter().flatten() {
            if let Some(cycle) = visit(used, uses, path, done) {
                return Some(cycle);
            }
        }
        path.pop();
        done.insert(name.to_owned());
        None
    }
    let mut done = BTreeSet::new();
    uses.keys().find_map(|name| visit(name, uses, &mut Vec::new(), &mut done))
}

#[test]
fn the_page_about_documents_names_each_published_schema_and_no_other() {
    let page = read(&root().join("docs/documents.md"));
    let cells = page.lines().filter(|line| line.starts_with("| ")).filter_map(|line| line.rsplit('|').nth(1));
    let named: BTreeSet<String> =
        cells.filter_map(|cell| cell.trim().strip_prefix('`')?.strip_suffix('`')).map(file_of).collect();
    let files = std::fs::read_dir(root().join("schemas")).unwrap().map(|entry| entry.unwrap().file_name());
    let published: BTreeSet<String> = files.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(named, published);
}

/// The file in `schemas/` that a cell of the page names.
fn file_of(cell: &str) -> String {
    cell.strip_prefix("schemas/").map_or_else(|| format!("{cell}.schema.json"), str::to_owned)
}

#[test]
fn the_walls_would_notice_a_cycle_and_a_forbidden_call() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let cyclic =
        BTreeMap::from([("a".to_owned(), set(&["b"])), ("b".to_owned(), set(&["c"])), ("c".to_owned(), set(&["a"]))]);
    assert_eq!(find_cycle(&cyclic), Some(vec!["a".into(), "b".into(), "c".into(), "a".into()]));
    let straight = BTreeMap::from([("a".to_owned(), set(&["b", "c"])), ("b".to_owned(), set(&["c"]))]);
    assert_eq!(find_cycle(&straight), None);
    assert!(calls("    let text = fs::read(path)?;", &last_two("std::fs::read")));
    assert!(!calls("    let text = our_fs::read(path)?;", &last_two("std::fs::read")));
    assert_eq!(code_without_tests("a // fs::read(x)\n#[cfg(test)]\nmod tests {\n    b\n}\n"), "a \n#[cfg(test)]");
    assert!(!calls("    fs::read_to_string(path)", &last_two("std::fs::read")));
}

/// The rooms that the law rests on: the same evidence gives the same report only where nothing else can be asked.
const PURE: [&str; 6] = ["model", "syntax", "readers", "foreign", "judge", "mutation"];

/// What a pure room never names: files, sockets, environment, clock, threads, processes, the terminal.
const IMPURE: [&str; 18] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::thread",
    "std::process",
    "std::os",
    "fs::",
    "env::",
    "thread::",
    "process::",
    "SystemTime",
    "Instant",
    "::now(",
    "io::stdin(",
    "io::stdout(",
    "io::stderr(",
    "RandomState",
    "thread_local!",
];

/// What a room of the law that makes documents never names: collections whose order differs from run to run. A reader may
/// look something up in one; what it read stands in the order of the output.
const UNORDERED: [&str; 2] = ["HashMap", "HashSet"];

/// Crates from outside that a pure room may link, and all that these link in turn: none opens, asks or draws anything by
/// itself. What could (`jiff` can read the clock and the system's time zones) is built without it, and its calls stand in
/// [`IMPURE`].
const HARMLESS: [&str; 61] = [
    "aho-corasick",
    "arraydeque",
    "block-buffer",
    "bstr",
    "cfg-if",
    "const-oid",
    "cpufeatures",
    "crypto-common",
    "data-encoding",
    "digest",
    "form_urlencoded",
    "globset",
    "hybrid-array",
    "itoa",
    "jiff",
    "jiff-core",
    "jsonc-parser",
    "libc",
    "memchr",
    "percent-encoding",
    "proc-macro2",
    "quick-xml",
    "quote",
    "regex",
    "regex-automata",
    "regex-syntax",
    "ryu-js",
    "saphyr-parser",
    "serde",
    "serde_core",
    "serde_derive",
    "serde_json",
    "serde_json_canonicalizer",
    "serde_spanned",
    "sha2",
    "smallvec",
    "streaming-iterator",
    "strsim",
    "syn",
    "thiserror",
    "thiserror-impl",
    "toml",
    "toml_datetime",
    "toml_parser",
    "tree-sitter",
    "tree-sitter-c",
    "tree-sitter-c-sharp",
    "tree-sitter-cpp",
    "tree-sitter-go",
    "tree-sitter-java",
    "tree-sitter-javascript",
    "tree-sitter-language",
    "tree-sitter-php",
    "tree-sitter-python",
    "tree-sitter-ruby",
    "tree-sitter-rust",
    "tree-sitter-typescript",
    "typenum",
    "unicode-ident",
    "winnow",
    "zmij",
];

#[test]
fn the_rooms_of_the_law_name_nothing_that_looks_at_the_world() {
    for name in PURE {
        let files = shipped_files(&root().join("crates").join(name).join("src"));
        assert!(!files.is_empty(), "{name} has sources");
        for file in files {
            for (number, line) in code_without_tests(&read(&file)).lines().enumerate() {
                let unordered = UNORDERED.iter().filter(|_| name != "readers");
                let named = IMPURE.iter().chain(unordered).find(|word| names(line, word));
                assert_eq!(named, None, "{}:{} looks at the world: {line}", file.display(), number + 1);
            }
        }
    }
}

/// Whether a line of code names something, and not something whose name merely holds it.
fn names(line: &str, word: &str) -> bool {
    let is_part = |character: Option<char>| character.is_some_and(|one| one.is_alphanumeric() || one == '_');
    line.match_indices(word).any(|(start, found)| {
        let (before, after) = (line[..start].chars().next_back(), line[start + found.len()..].chars().next());
        let whole = word.ends_with(|last: char| last.is_alphanumeric());
        !(word.starts_with(|first: char| first.is_alphanumeric()) && is_part(before) || whole && is_part(after))
    })
}

#[test]
fn the_rooms_of_the_law_link_nothing_that_looks_at_the_world() {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--edges=normal", "--prefix=none", "--format={p}", "--offline", "--locked"]);
    for room in PURE {
        tree.arg(format!("--package=referee-{room}"));
    }
    let output = tree.current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).unwrap();
    let linked: BTreeSet<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    for room in PURE {
        assert!(linked.contains(format!("referee-{room}").as_str()), "{room} is listed");
    }
    let outside: BTreeSet<&str> =
        linked.into_iter().filter(|name| !name.is_empty() && !name.starts_with("referee-")).collect();
    let strange: Vec<&&str> = outside.iter().filter(|name| !HARMLESS.contains(name)).collect();
    assert!(strange.is_empty(), "{strange:?} are linked into the judge: can they look at the world?");
}

#[test]
fn the_walls_of_the_law_would_notice_a_look_at_the_world() {
    assert!(names("use std::fs;", "std::fs") && names("    let now = Instant::now();", "Instant"));
    assert!(names("let text = fs::read(path)", "fs::") && names("Timestamp::now()", "::now("));
    assert!(
        !names("use std::fmt;", "std::fs") && !names("own_process::x", "process::") && !names("Instants", "Instant")
    );
    assert!(!names("self.known(now)", "::now("));
}
