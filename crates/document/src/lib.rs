//! What every document that is written and never read has in common, as one attribute.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens as _, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Field, Ident, Token, Type, parse_macro_input, parse_quote};

/// Makes a struct a document, or a part of one: its keys are in camel case, a field that is `None` is left out, and the
/// schema that is published of it allows no further keys.
///
/// It derives `Debug`, `Serialize` and, with the feature `schema` of its crate, `JsonSchema`. Words in parentheses say
/// what differs:
/// - `nulls`: a field that is `None` is written as null.
/// - `open`: the schema allows further keys. For what is flattened into others.
/// - `unpublished`: there is no schema.
#[proc_macro_attribute]
pub fn document(words: TokenStream, item: TokenStream) -> TokenStream {
    let words = parse_macro_input!(words with Punctuated::<Ident, Token![,]>::parse_terminated);
    let mut item = parse_macro_input!(item as DeriveInput);
    if let Some(unknown) = words.iter().find(|word| !["nulls", "open", "unpublished"].iter().any(|known| word == known))
    {
        return syn::Error::new(unknown.span(), "expected `nulls`, `open` or `unpublished`")
            .into_compile_error()
            .into();
    }
    let says = |word: &str| words.iter().any(|said| said == word);
    if !says("nulls") {
        fields(&mut item.data).filter(|field| is_optional(field)).for_each(leave_out_none);
    }
    let closed = if says("open") { Tokens::new() } else { quote!(, schemars(deny_unknown_fields)) };
    let schema =
        (!says("unpublished")).then(|| quote!(#[cfg_attr(feature = "schema", derive(schemars::JsonSchema) #closed)]));
    let item = item.into_token_stream();
    quote! {
        #[derive(Debug, serde::Serialize)]
        #schema
        #[serde(rename_all = "camelCase")]
        #item
    }
    .into()
}

fn fields(data: &mut Data) -> impl Iterator<Item = &mut Field> {
    let fields = match data {
        Data::Struct(data) => Some(data.fields.iter_mut()),
        Data::Enum(_) | Data::Union(_) => None,
    };
    fields.into_iter().flatten()
}

/// Whether a field is an `Option` with a key of its own.
fn is_optional(field: &Field) -> bool {
    let is_flattened = |attribute: &Attribute| attribute.to_token_stream().to_string().contains("flatten");
    let Type::Path(named) = &field.ty else { return false };
    named.path.segments.last().is_some_and(|last| last.ident == "Option") && !field.attrs.iter().any(is_flattened)
}

fn leave_out_none(field: &mut Field) {
    field.attrs.push(parse_quote!(#[serde(skip_serializing_if = "Option::is_none")]));
}
