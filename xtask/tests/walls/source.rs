//! The shipped sources of a crate as its modules: which files there are, how many lines of code each has, and which file uses
//! which other. Code for tests is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::visit::Visit;
use syn::{Attribute, Item, UseTree};

/// The names of a module, from the crate's root.
type Module = Vec<String>;

/// A module that is a file of its own, or stands within one.
struct Source {
    file: PathBuf,
    items: Vec<Item>,
    /// What `use` makes known here, by name: where it stands.
    imports: BTreeMap<String, Module>,
}

/// A crate's shipped sources.
pub(super) struct Crate {
    modules: BTreeMap<Module, Source>,
    /// Lines of code of each file, comments, blank lines and tests left out.
    pub(super) lines: BTreeMap<PathBuf, usize>,
}

impl Crate {
    /// Reads a crate from its root file, such as `src/lib.rs`, and all modules that it declares.
    pub(super) fn read(root: &Path) -> Self {
        let mut this = Self { modules: BTreeMap::new(), lines: BTreeMap::new() };
        this.read_file(root, &root.with_file_name(""), Module::new());
        this
    }

    fn read_file(&mut self, file: &Path, children: &Path, module: Module) {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut lines = BTreeSet::new();
        for item in parsed.items.iter().filter(|item| !is_for_tests(attributes(item))) {
            lines_of(item.to_token_stream(), &mut lines);
        }
        self.lines.insert(file.to_owned(), lines.len());
        self.add(file, children, module, parsed.items);
    }

    fn add(&mut self, file: &Path, children: &Path, module: Module, items: Vec<Item>) {
        let items: Vec<Item> = items.into_iter().filter(|item| !is_for_tests(attributes(item))).collect();
        for item in &items {
            let Item::Mod(declared) = item else { continue };
            let name = declared.ident.to_string();
            let within = [module.as_slice(), std::slice::from_ref(&name)].concat();
            match &declared.content {
                Some((_, inner)) => self.add(file, &children.join(&name), within, inner.clone()),
                None => self.read_file(&children.join(format!("{name}.rs")), &children.join(&name), within),
            }
        }
        self.modules.insert(module, Source { file: file.to_owned(), items, imports: BTreeMap::new() });
    }

    /// For each file the other files that it uses, but for the crate's root.
    pub(super) fn uses(mut self) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        let imports: Vec<(Module, BTreeMap<String, Module>)> =
            self.modules.iter().map(|(module, source)| (module.clone(), imports(module, &source.items))).collect();
        for (module, imports) in imports {
            self.modules.get_mut(&module).expect("it was read").imports = imports;
        }
        let mut uses: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
        for (module, source) in &self.modules {
            let mut paths = Paths { found: Vec::new() };
            source.items.iter().filter(|item| !matches!(item, Item::Mod(_))).for_each(|item| paths.visit_item(item));
            let used = uses.entry(source.file.clone()).or_default();
            for path in paths.found {
                let Some(path) = absolute(module, &path) else { continue };
                let home = self.home(&path, 0);
                if !home.is_empty() && self.modules[&home].file != source.file {
                    used.insert(self.modules[&home].file.clone());
                }
            }
        }
        uses
    }

    /// The module that something stands in; what a module passes on is followed to where it stands.
    fn home(&self, path: &[String], depth: usize) -> Module {
        let length = (0..=path.len()).rev().find(|length| self.modules.contains_key(&path[..*length]));
        let module = &path[..length.expect("the root is a module")];
        let passed_on = path.get(module.len()).and_then(|name| self.modules[module].imports.get(name));
        match passed_on {
            Some(there) if depth < 8 => self.home(there, depth + 1),
            _ => module.to_vec(),
        }
    }
}

/// The paths that code names, such as `crate::request::Failure`.
struct Paths {
    found: Vec<Module>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(attributes(item)) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        leaves(&item.tree, &mut Module::new(), &mut |_, path| self.found.push(path.to_vec()));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.found.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }
}

/// A path from the crate's root. None: it leads out of the crate, or says nothing of modules.
fn absolute(module: &[String], path: &[String]) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some([module, rest].concat()),
        "super" => {
            let (_, above) = module.split_last()?;
            match rest.first().map(String::as_str) {
                Some("super") => absolute(above, rest),
                _ => Some([above, rest].concat()),
            }
        }
        _ => None,
    }
}

fn imports(module: &[String], items: &[Item]) -> BTreeMap<String, Module> {
    let mut imports = BTreeMap::new();
    for item in items {
        let Item::Use(item) = item else { continue };
        leaves(&item.tree, &mut Module::new(), &mut |name, path| {
            if let Some(path) = absolute(module, path) {
                imports.insert(name.to_owned(), path);
            }
        });
    }
    imports
}

/// Calls `each` with every name that a `use` makes known, and its path.
fn leaves(tree: &UseTree, path: &mut Module, each: &mut dyn FnMut(&str, &[String])) {
    match tree {
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            leaves(&step.tree, path, each);
            path.pop();
        }
        UseTree::Name(name) if name.ident == "self" => each(&path.last().cloned().unwrap_or_default(), path),
        UseTree::Name(name) => each(&name.ident.to_string(), &[path.as_slice(), &[name.ident.to_string()]].concat()),
        UseTree::Rename(name) => each(&name.rename.to_string(), &[path.as_slice(), &[name.ident.to_string()]].concat()),
        UseTree::Glob(_) => each("*", path),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, path, each)),
    }
}

/// Adds the lines on which there are tokens, doc comments left out.
fn lines_of(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let TokenTree::Punct(mark) = &token
            && mark.as_char() == '#'
        {
            if matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!') {
                tokens.next();
            }
            if tokens.next_if(is_doc).is_some() {
                continue;
            }
        }
        match token {
            TokenTree::Group(group) => {
                lines.insert(group.span_open().start().line);
                lines.insert(group.span_close().start().line);
                lines_of(group.stream(), lines);
            }
            other => lines.extend(other.span().start().line..=other.span().end().line),
        }
    }
}

fn is_doc(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    group.delimiter() == Delimiter::Bracket
        && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc")
}

/// Whether something is compiled for tests alone.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
