//! One small program in each language.

use std::path::{Path, PathBuf};

use referee_model::mutant::Language;

pub(crate) const SAMPLES: [(Language, &str, &str); 12] = [
    (Language::C, "cart.c", include_str!("../samples/cart.c")),
    (Language::CSharp, "Cart.cs", include_str!("../samples/Cart.cs")),
    (Language::Cpp, "cart.cpp", include_str!("../samples/cart.cpp")),
    (Language::Go, "cart.go", include_str!("../samples/cart.go")),
    (Language::Java, "Cart.java", include_str!("../samples/Cart.java")),
    (Language::JavaScript, "cart.js", include_str!("../samples/cart.js")),
    (Language::Php, "cart.php", include_str!("../samples/cart.php")),
    (Language::Python, "cart.py", include_str!("../samples/cart.py")),
    (Language::Ruby, "cart.rb", include_str!("../samples/cart.rb")),
    (Language::Rust, "cart.rs", include_str!("../samples/cart.rs")),
    (Language::Tsx, "list.tsx", include_str!("../samples/list.tsx")),
    (Language::TypeScript, "cart.ts", include_str!("../samples/cart.ts")),
];

/// Returns every file of this workspace in a supported language.
pub(crate) fn files() -> Vec<(Language, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut directories: Vec<PathBuf> = ["crates", "examples", "xtask"].iter().map(|name| root.join(name)).collect();
    let mut files = Vec::new();
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.extend((!path.ends_with("node_modules")).then_some(path));
            } else if let Some(language) = Language::of(&path.to_string_lossy()) {
                files.extend(std::fs::read_to_string(&path).ok().map(|text| (language, path, text)));
            }
        }
    }
    files.sort();
    files
}
