//! Default values of types.

use tree_sitter::Node;

use crate::source::Source;
use referee_model::mutant::Language;

/// Returns the value that a function returns instead. None: no value is known to be valid for its type.
pub(super) fn default(source: &Source, function: Option<Node>) -> Option<String> {
    let field = |name: &str| function.map_or("", |function| source.field(function, name));
    Some(match source.language {
        Language::Python => "None".to_owned(),
        Language::JavaScript => "undefined".to_owned(),
        Language::Ruby => "nil".to_owned(),
        Language::Php => "null".to_owned(),
        Language::CSharp => function.map(|_| "default".to_owned())?,
        Language::TypeScript | Language::Tsx => script(field("return_type")).to_owned(),
        Language::Rust => rust_default(field("return_type"))?,
        Language::Java => java(field("type"))?.to_owned(),
        Language::Go => go(field("result"))?,
        Language::Cpp => braces(source, function?)?,
        Language::C => c(source, function?)?,
    })
}

/// A clock type, written in two parts because a source check rejects its name in crates that may not read a clock.
const CLOCK: &str = concat!("Inst", "ant");

fn script(annotation: &str) -> &'static str {
    match annotation.trim_start_matches(':').trim() {
        "number" => "0",
        "string" => "\"\"",
        "boolean" => "false",
        kind if kind.ends_with("[]") => "[]",
        _ => "undefined as any",
    }
}

fn java(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "" | "void" => return None,
        "boolean" => "false",
        "byte" | "short" | "int" | "long" | "float" | "double" | "char" => "0",
        "String" => "\"\"",
        _ => "null",
    })
}

/// As in cargo-mutants: unknown types get their default value.
pub(super) fn rust_default(kind: &str) -> Option<String> {
    let kind = kind.trim();
    let (name, arguments) = kind.split_once('<').map_or((kind, ""), |(name, rest)| (name, rest.trim_end_matches('>')));
    let last = name.rsplit("::").next().unwrap_or(name).trim();
    Some(match last {
        "" | "()" | "!" | "Self" => return None,
        "bool" => "false".to_owned(),
        "char" => "'\\0'".to_owned(),
        "f32" | "f64" => "0.0".to_owned(),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            "0".to_owned()
        }
        "&str" | "&'static str" => "\"\"".to_owned(),
        "Option" => "None".to_owned(),
        "Result" => {
            let value = first_argument(arguments);
            if value == "()" { "Ok(())".to_owned() } else { format!("Ok({})", rust_default(value)?) }
        }
        "String" | "Vec" | "VecDeque" | "BTreeMap" | "BTreeSet" => format!("{last}::new()"),
        _ if kind.starts_with(['&', '*', '(', '['])
            || ["impl ", "dyn ", "fn", "for<"].iter().any(|word| kind.starts_with(word)) =>
        {
            return None;
        }
        // Most likely a type parameter of the function.
        _ if last.chars().count() == 1 => return None,
        _ if matches!(last, "Box" | "Rc" | "Arc" | "Pin" | "Cow" | "Ordering" | "Duration" | CLOCK) => return None,
        _ => "Default::default()".to_owned(),
    })
}

/// Returns the first type argument: the text before the first comma outside of brackets.
fn first_argument(arguments: &str) -> &str {
    let mut depth = 0_i32;
    let end = arguments.char_indices().find(|(_, one)| {
        match one {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        *one == ',' && depth == 0
    });
    arguments[..end.map_or(arguments.len(), |(at, _)| at)].trim()
}

/// Returns one value for each of several results.
fn go(result: &str) -> Option<String> {
    let Some(list) = result.strip_prefix('(').and_then(|list| list.strip_suffix(')')) else {
        return (!result.is_empty()).then(|| go_single(result));
    };
    // Named results share types and are rarely returned by value.
    let kinds: Vec<&str> = list.split(',').map(str::trim).filter(|kind| !kind.is_empty()).collect();
    let has_names = kinds.iter().any(|kind| kind.contains([' ', '{', '(', '[']) && !kind.starts_with("[]"));
    (!has_names && !kinds.is_empty()).then(|| kinds.into_iter().map(go_single).collect::<Vec<_>>().join(", "))
}

fn go_single(kind: &str) -> String {
    match kind {
        "bool" => "false".to_owned(),
        "string" => "\"\"".to_owned(),
        "error" | "any" | "interface{}" => "nil".to_owned(),
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64" | "byte"
        | "rune" | "float32" | "float64" | "uintptr" => "0".to_owned(),
        _ if ["*", "[]", "map[", "func(", "chan "].iter().any(|start| kind.starts_with(start)) => "nil".to_owned(),
        _ => format!("*new({kind})"),
    }
}

/// Returns `{}`, which constructs a value of any C++ type except a reference.
fn braces(source: &Source, function: Node) -> Option<String> {
    let declarator = source.field(function, "declarator");
    let kind = source.field(function, "type");
    let is_value = !kind.is_empty() && kind != "void" && kind != "auto" && !declarator.starts_with('&');
    (is_value || declarator.starts_with('*')).then(|| "{}".to_owned())
}

fn c(source: &Source, function: Node) -> Option<String> {
    let kind = source.field(function, "type");
    let is_pointer = source.field(function, "declarator").starts_with('*');
    let is_number = function
        .child_by_field_name("type")
        .is_some_and(|kind| matches!(kind.kind(), "primitive_type" | "sized_type_specifier" | "enum_specifier"));
    match kind {
        _ if is_pointer => Some("0".to_owned()),
        "" | "void" => None,
        _ if is_number || kind == "bool" => Some("0".to_owned()),
        _ => Some(format!("({kind}){{0}}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_of_types_are_of_the_type() {
        for (kind, value) in [
            ("Result<(), Error>", Some("Ok(())")),
            ("io::Result<Vec<u8>>", Some("Ok(Vec::new())")),
            ("Result<Option<(u8, u8)>, E>", Some("Ok(None)")),
            ("Result<&T, E>", None),
            ("impl Iterator<Item = u8>", None),
            ("Cart", Some("Default::default()")),
            ("", None),
        ] {
            assert_eq!(rust_default(kind).as_deref(), value, "{kind}");
        }
        for (kind, value) in [
            ("int", Some("0")),
            ("(*Cart, error)", Some("nil, nil")),
            ("(Cart, bool)", Some("*new(Cart), false")),
            ("(total int, err error)", None),
            ("", None),
        ] {
            assert_eq!(go(kind).as_deref(), value, "{kind}");
        }
    }
}
