//! `--columns`: which columns of a list are shown.

use std::marker::PhantomData;

use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::ops::failure::Failure;
use crate::render::table::{Columns, Tabled};

/// The option of a list that is a table, or of one that lists two kinds of rows.
#[derive(Debug, Clone, clap::Args)]
pub struct ColumnsArg<A: Tabled, B: Tabled = A> {
    /// Show these columns, in this order
    #[arg(id = "columns", long = "columns", value_name = "A,B", value_delimiter = ',', value_parser = known::<A, B>())]
    names: Vec<String>,
    #[arg(skip)]
    rows: PhantomData<fn(A, B)>,
}

impl<A: Tabled, B: Tabled> ColumnsArg<A, B> {
    /// The columns that are named, of a table of such rows; the usual ones where none is.
    ///
    /// # Errors
    /// A column is named twice, or is one of the other table.
    pub fn of<R: Tabled>(&self) -> Result<Columns<R>, Failure> {
        let hint = "name each column once; `--help` lists the columns";
        Columns::named(&self.names).map_err(|message| Failure::usage(message, hint))
    }
}

/// The names of the columns, each once.
fn known<A: Tabled, B: Tabled>() -> PossibleValuesParser {
    let of_first = A::COLUMNS.iter().map(|it| (it.name, it.about));
    let of_second = B::COLUMNS.iter().map(|it| (it.name, it.about));
    let others = of_second.filter(|(name, _)| A::names().all(|it| it != *name));
    let all = of_first.chain(others);
    all.map(|(name, about)| PossibleValue::new(name).help(about))
        .collect::<Vec<_>>()
        .into()
}
