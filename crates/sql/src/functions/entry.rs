//! The entries of the function table.

use crate::data_types::DataType;

/// No upper limit to the number of arguments.
pub const MANY: usize = usize::MAX;

pub struct FunctionEntry {
    pub name: &'static str,
    /// Other names of the same function.
    pub other_names: &'static [&'static str],
    /// The fewest and the most arguments.
    pub arity: (usize, usize),
    /// Takes the most arguments or none, and no number between.
    pub all_or_none: bool,
    /// What the arguments are coerced to; those past the last one like the last one, and any type if there is none.
    pub parameters: &'static [Parameter],
    /// The places of arguments that have one value for all rows.
    pub constants: &'static [usize],
    /// Takes WITHIN GROUP.
    pub takes_order: bool,
    /// The names arguments may be given by, in the order of their places; an empty one where a place has no name.
    pub argument_names: &'static [&'static str],
    pub class: FunctionClass,
    pub volatility: Volatility,
    pub nulls: Nulls,
    pub evaluation: Evaluation,
    pub returns: Returns,
    pub engine_call: EngineCall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionClass {
    Scalar,
    Aggregate,
    /// Has to have an OVER clause. Aggregates may have one.
    Window,
    /// Has to have an OVER clause with ORDER BY.
    OrderedWindow,
    /// Stands in FROM.
    Table,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    /// Depends on its arguments alone.
    Immutable,
    /// The same throughout a statement.
    Stable,
    /// Another value in every row.
    Volatile,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// A NULL argument makes the result NULL; aggregates skip it.
    Propagate,
    /// A NULL argument is a value like others.
    Accept,
    /// As `Propagate`, and without a NULL argument the result is not NULL; a VARIANT may hold one.
    Total,
    /// The result is never NULL.
    NeverNull,
}

/// Who computes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    Engine,
    /// A value of the session, which replaces the call (`context`).
    Session,
    /// Reads or changes the account, once, before the statement runs (`system_functions`).
    Account,
    /// Rows or values that are fetched before the statement runs; only where `lookups` looks for them.
    Lookup,
}

/// What an argument is coerced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    Any,
    Array,
    /// A whole number or bytes.
    Bits,
    Boolean,
    /// A time or a timestamp.
    Clock,
    /// A date part, as a text of its canonical name.
    DatePart,
    /// A file of a stage, by its location or address.
    File,
    Float,
    /// GEOGRAPHY or GEOMETRY; several of them in one call are of one type.
    Geo,
    /// A date or a timestamp.
    Instant,
    Integer,
    Lambda,
    /// NUMBER or FLOAT; a text is read as a NUMBER.
    Numeric,
    Object,
    /// A stage, by its name alone.
    Stage,
    /// NUMBER or FLOAT; a text is read as a FLOAT.
    Summand,
    Text,
    TextOrBinary,
    Variant,
}

impl Parameter {
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::TextOrBinary)
    }
}

pub enum Returns {
    /// Not modelled.
    Unknown,
    Fixed(DataType),
    /// The type of this argument.
    Like(usize),
    /// The common type of the arguments from this one.
    Common(usize),
    By(Rule),
    /// The columns of a table function.
    Rows(&'static [(&'static str, DataType)]),
}

/// Return types that depend on more than one argument's type; the binder implements the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Absolute,
    AddMonths,
    Average,
    Bits,
    /// A text of any length, with the collation of the argument.
    ChangedText,
    Concatenation,
    ConvertedZone,
    DateAdd,
    DateDifference,
    DatePart,
    Decode,
    Digest,
    Element,
    Geo,
    MapKeys,
    Median,
    PartOfText,
    Percentile,
    PercentileValue,
    Quotient,
    RandomNumber,
    Ratio,
    Reduced,
    Remainder,
    Rounded,
    SameText,
    Shifted,
    Sum,
    TextOrBinary,
    ToNumber,
    TruncatedInstant,
    ValueBy,
    Variance,
    Vector,
    ZeroIfNull,
}

/// How a call is lowered to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineCall {
    /// The engine has a function of this name, which at least some calls become.
    SameName,
    /// With the same arguments, under this name: the engine's own, or a macro or function that firn registers.
    Named(&'static str),
    /// A lowering pass rewrites it.
    Rewritten,
    /// It never reaches the engine.
    Never,
}

impl FunctionEntry {
    /// What the argument in this place is coerced to.
    pub fn parameter(&self, place: usize) -> Parameter {
        self.parameters.get(place).or(self.parameters.last()).copied().unwrap_or(Parameter::Any)
    }

    /// The fewest arguments a call with this many has to have, and the most.
    pub(crate) fn arity_of(&self, given: usize) -> (usize, usize) {
        match self.arity {
            (_, most) if self.all_or_none && given > 0 => (most, most),
            arity => arity,
        }
    }

    pub(super) const fn volatile(mut self) -> Self {
        self.volatility = Volatility::Volatile;
        self
    }

    pub(super) const fn stable(mut self) -> Self {
        self.volatility = Volatility::Stable;
        self
    }

    pub(super) const fn accepts_nulls(mut self) -> Self {
        self.nulls = Nulls::Accept;
        self
    }

    pub(super) const fn total(mut self) -> Self {
        self.nulls = Nulls::Total;
        self
    }

    pub(super) const fn never_null(mut self) -> Self {
        self.nulls = Nulls::NeverNull;
        self
    }

    pub(super) const fn called(mut self, engine_name: &'static str) -> Self {
        self.engine_call = EngineCall::Named(engine_name);
        self
    }

    pub(super) const fn rewritten(mut self) -> Self {
        self.engine_call = EngineCall::Rewritten;
        self
    }

    pub(super) const fn also(mut self, other_names: &'static [&'static str]) -> Self {
        self.other_names = other_names;
        self
    }

    pub(super) const fn with_names(mut self, argument_names: &'static [&'static str]) -> Self {
        self.argument_names = argument_names;
        self
    }

    /// How many of the first arguments a table function needs.
    pub(super) const fn requiring(mut self, fewest: usize) -> Self {
        self.arity.0 = fewest;
        self
    }

    pub(super) const fn constant_at(mut self, constants: &'static [usize]) -> Self {
        self.constants = constants;
        self
    }

    pub(super) const fn within_group(mut self) -> Self {
        self.takes_order = true;
        self
    }

    pub(super) const fn all_or_none(mut self) -> Self {
        self.all_or_none = true;
        self
    }
}

/// Parameters and return type of a function, as the builders take them.
type Parameters = &'static [Parameter];

pub(super) const fn scalar(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: Parameters,
    returns: Returns,
) -> FunctionEntry {
    FunctionEntry {
        name,
        other_names: &[],
        arity: (fewest, most),
        all_or_none: false,
        parameters,
        constants: &[],
        takes_order: false,
        argument_names: &[],
        class: FunctionClass::Scalar,
        volatility: Volatility::Immutable,
        nulls: Nulls::Propagate,
        evaluation: Evaluation::Engine,
        returns,
        engine_call: EngineCall::SameName,
    }
}

pub(super) const fn aggregate(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: Parameters,
    returns: Returns,
) -> FunctionEntry {
    of_class(FunctionClass::Aggregate, scalar(name, fewest, most, parameters, returns))
}

pub(super) const fn window(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: Parameters,
    returns: Returns,
) -> FunctionEntry {
    of_class(FunctionClass::Window, scalar(name, fewest, most, parameters, returns))
}

pub(super) const fn ordered_window(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: Parameters,
    returns: Returns,
) -> FunctionEntry {
    of_class(FunctionClass::OrderedWindow, scalar(name, fewest, most, parameters, returns))
}

pub(super) const fn session(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: Parameters,
    returns: Returns,
) -> FunctionEntry {
    answered(Evaluation::Session, scalar(name, fewest, most, parameters, returns))
}

pub(super) const fn account(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: Parameters,
    returns: Returns,
) -> FunctionEntry {
    answered(Evaluation::Account, scalar(name, fewest, most, parameters, returns))
}

pub(super) const fn looked_up(
    name: &'static str,
    fewest: usize,
    most: usize,
    parameters: Parameters,
    returns: Returns,
) -> FunctionEntry {
    answered(Evaluation::Lookup, scalar(name, fewest, most, parameters, returns))
}

/// A table function, which takes all of its arguments by place or by name.
pub(super) const fn table(
    name: &'static str,
    argument_names: &'static [&'static str],
    returns: Returns,
) -> FunctionEntry {
    let entry = scalar(name, 0, argument_names.len(), &[], returns).with_names(argument_names).rewritten();
    of_class(FunctionClass::Table, entry)
}

/// A table function whose rows are looked up before the statement runs.
pub(super) const fn looked_up_table(name: &'static str, argument_names: &'static [&'static str]) -> FunctionEntry {
    answered(Evaluation::Lookup, table(name, argument_names, Returns::Unknown))
}

const fn of_class(class: FunctionClass, mut entry: FunctionEntry) -> FunctionEntry {
    entry.class = class;
    entry
}

const fn answered(evaluation: Evaluation, mut entry: FunctionEntry) -> FunctionEntry {
    entry.evaluation = evaluation;
    entry.volatility = Volatility::Stable;
    entry.engine_call = EngineCall::Never;
    entry
}
