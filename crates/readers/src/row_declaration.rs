//! Declaration of the rows that make up a format.

/// Declares a row: the roles that a matching line can have, each with the function that creates such a row, and
/// the options of a row, each with the method that sets it. Flags are off, and values absent, until set.
macro_rules! declare_row {
    (
        $(#[$about:meta])*
        $row:ident
        kinds { $($(#[$kind_doc:meta])* $create:ident: $kind:ident,)* }
        flags { $($(#[$flag_doc:meta])* $flag:ident,)* }
        values { $($(#[$value_doc:meta])* $value:ident: $type:ty,)* }
    ) => {
        /// The role of a matching line.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            $($(#[$kind_doc])* $kind,)*
        }

        $(#[$about])*
        pub(crate) struct $row {
            pub(super) kind: Kind,
            pub(super) pattern: $crate::pattern::Pattern,
            $(pub(super) $flag: bool,)*
            $(pub(super) $value: Option<$type>,)*
        }

        impl $row {
            fn new(kind: Kind, pattern: &'static str) -> Self {
                let pattern = $crate::pattern::Pattern::new(pattern);
                Self { kind, pattern, $($flag: false,)* $($value: None,)* }
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

        $($(#[$kind_doc])*
        pub(crate) fn $create(pattern: &'static str) -> $row {
            $row::new(Kind::$kind, pattern)
        })*
    };
}

pub(crate) use declare_row;
