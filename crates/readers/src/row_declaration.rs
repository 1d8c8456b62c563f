//! Declaration of formats and of the rows that make them up.

use crate::pattern::Pattern;
use crate::pattern::ends::EndTable;

/// The rows of a format, ready to be matched.
pub(crate) struct RowTable<R: 'static> {
    rows: Vec<(&'static R, Pattern)>,
    /// The rows that a line may match by its ends.
    by_ends: EndTable,
}

impl<R> RowTable<R> {
    pub(crate) fn new(rows: impl IntoIterator<Item = &'static R>, pattern: fn(&R) -> &'static str) -> Self {
        let rows: Vec<_> = rows.into_iter().map(|row| (row, Pattern::new(pattern(row)))).collect();
        let by_ends = EndTable::new(rows.iter().map(|(_, pattern)| pattern.ends()));
        Self { rows, by_ends }
    }

    /// Returns the rows that a text may match by its first and last byte, in their order.
    pub(crate) fn admitted(&self, text: &str) -> impl Iterator<Item = (&'static R, &Pattern)> {
        self.by_ends.admitted(text).map(|row| (self.rows[row].0, &self.rows[row].1))
    }
}

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
            const fn of($($field: $of),*) -> Self {
                Self { $($field,)* $($flag: false,)* $($value: None,)* }
            }

            $($(#[$flag_doc])*
            pub(crate) const fn $flag(mut self) -> Self {
                self.$flag = true;
                self
            })*

            $($(#[$value_doc])*
            pub(crate) const fn $value(mut self, $value: $type) -> Self {
                self.$value = Some($value);
                self
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
            #[derive(Clone, Copy)]
            $row { kind: Kind, pattern: &'static str, }
            $($options)*
        }

        $($(#[$kind_doc])*
        pub(crate) const fn $create(pattern: &'static str) -> $row {
            $row::of(Kind::$kind, pattern)
        })*
    };
}

pub(crate) use {declare_row, with_options};
