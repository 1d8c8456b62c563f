//! Declaration of formats and of the rows that make them up.

/// Declares a structure with options, each with the method of the same name that sets it. Flags are off, and values
/// absent, until set.
macro_rules! with_options {
    (
        $(#[$about:meta])*
        $name:ident { $($field:ident: $of:ty,)* }
        flags { $($(#[$flag_doc:meta])* $flag:ident,)* }
        values { $($(#[$value_doc:meta])* $value:ident: $type:ty,)* }
    ) => {
        $(#[$about])*
        pub(crate) struct $name {
            $(pub(super) $field: $of,)*
            $(pub(super) $flag: bool,)*
            $(pub(super) $value: Option<$type>,)*
        }

        impl $name {
            /// Creates the structure with no option set.
            fn of($($field: $of),*) -> Self {
                Self { $($field,)* $($flag: false,)* $($value: None,)* }
            }

            $($(#[$flag_doc])*
            pub(crate) fn $flag(self) -> Self {
                Self { $flag: true, ..self }
            })*

            $($(#[$value_doc])*
            pub(crate) fn $value(self, $value: $type) -> Self {
                Self { $value: Some($value), ..self }
            })*
        }
    };
}

/// Declares a row: the roles that a matching line can have, each with the function that creates such a row, and
/// the [options](with_options) of a row.
macro_rules! declare_row {
    (
        $row:ident
        kinds { $($(#[$kind_doc:meta])* $create:ident: $kind:ident,)* }
        $($options:tt)*
    ) => {
        /// The role of a matching line.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            $($(#[$kind_doc])* $kind,)*
        }

        $crate::row_declaration::with_options! {
            $row { kind: Kind, pattern: $crate::pattern::Pattern, }
            $($options)*
        }

        $($(#[$kind_doc])*
        pub(crate) fn $create(pattern: impl Into<std::borrow::Cow<'static, str>>) -> $row {
            $row::of(Kind::$kind, $crate::pattern::Pattern::of(pattern.into()))
        })*
    };
}

pub(crate) use {declare_row, with_options};
