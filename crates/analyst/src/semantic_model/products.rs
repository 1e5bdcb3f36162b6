//! What the rows of a table amount to where the model only has a quantity and the price of one unit: their product, as a fact
//! that the model may well have left out. It is offered only where the units match and nothing of the model computes it.

use super::columns::{AccessModifier, DefaultAggregation, Fact, Metric};
use super::{LogicalTable, SemanticModel};
use crate::question::lemma::lemma;

/// A fact that is the product of two others.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    pub fact: Fact,
    /// The product in words: `quantity × unit cost`.
    pub formula: String,
}

/// Words in the name of a price that say for what it is paid, and words in the name of the quantity that it is paid for.
const UNITS: &[(&[&str], &[&str])] = &[
    (&["unit", "piece", "item"], &["quantity", "qty", "unit", "piece", "portion"]),
    (&["hourly", "hour"], &["hour"]),
    (&["daily", "day"], &["day"]),
    (&["nightly", "night"], &["night"]),
    (&["weekly", "week"], &["week"]),
    (&["kg", "kilo", "kilogram"], &["kg", "kilo", "kilogram"]),
    (&["ton", "tonne"], &["ton", "tonne"]),
    (&["litre", "liter"], &["litre", "liter"]),
    (&["km", "kilometre", "kilometer"], &["km", "kilometre", "kilometer"]),
    (&["kwh"], &["kwh"]),
];

/// What the pay for the hours of others is called.
const WAGES: &[&str] = &["wage cost", "labour cost", "labor cost", "payroll"];

/// Words for the price of a unit, what the product is called, and what else it may be called.
const PRICES: &[(&[&str], &str, &[&str])] = &[
    (&["cost"], "cost", &["total cost", "spend", "spending", "expense", "expenditure", "value"]),
    (&["price"], "value", &["total price", "amount", "worth"]),
    (&["wage", "pay", "salary"], "pay", &["wage cost", "labour cost", "labor cost", "cost"]),
    (&["rate", "fee", "charge", "rent", "tariff"], "charge", &["cost", "value", "amount"]),
];

/// What rows of a sale amount to.
const SALES: &[&str] = &["revenue", "sales", "turnover"];

/// Words in the names of tables whose rows are sales.
const SOLD: &[&str] = &["sale", "order", "invoice", "bill", "receipt"];

/// Words in the names of facts that already hold what a row amounts to.
const AMOUNTS: &[&str] = &["amount", "total", "value", "price", "sum", "cost", "revenue", "charge"];

/// The product that a table of the model lacks.
#[must_use]
pub fn product(model: &SemanticModel, table: &LogicalTable) -> Option<Product> {
    let public = || table.facts.iter().filter(|fact| fact.access_modifier == AccessModifier::Public);
    let price = only(public().filter(|fact| price_of(fact).is_some()))?;
    let quantity = only(public().filter(|fact| is_quantity_for(fact, price)))?;
    let is_curated = price.default_aggregation.is_some() || quantity.default_aggregation.is_some();
    let has_amount = public().any(|fact| !std::ptr::eq(fact, price) && is_amount(fact));
    if !is_curated || has_amount || is_computed(model, table, [quantity, price]) {
        return None;
    }
    let (head, synonyms) = price_of(price)?;
    let sold = if head == "value" && names_words(table).iter().any(|word| SOLD.contains(&word.as_str())) {
        SALES
    } else {
        &[]
    };
    let rows = std::iter::once(&table.name).chain(&table.synonyms).map(|name| parts(name).join(" "));
    let called = rows.skip(1).map(|rows| format!("{rows} {head}"));
    let synonyms = synonyms.iter().chain(sold).map(ToString::to_string).chain(called);
    let name = format!("{}_{head}", parts(&table.name).join("_"));
    Some(Product {
        formula: format!("{} × {}", spoken(quantity), spoken(price)),
        fact: Fact {
            synonyms: synonyms.filter(|synonym| !is_taken(model, synonym)).collect(),
            expr: format!("{} * {}", factor(&quantity.expr), factor(&price.expr)),
            data_type: Some("NUMBER".to_owned()),
            default_aggregation: Some(DefaultAggregation::Sum),
            name: (!is_taken(model, &name)).then_some(name)?,
            ..Fact::default()
        },
    })
}

/// Sums of products whose price is in the table that the rows of the quantity refer to: hours of shifts and the wage of
/// those who work them. Each with its formula in words.
#[must_use]
pub fn sums_of_products(model: &SemanticModel) -> Vec<(Metric, String)> {
    let sums = model.relationships.iter().filter_map(|relationship| {
        let (left, right) = (model.table(&relationship.left_table)?, model.table(&relationship.right_table)?);
        let is_between = |other: &&super::Relationship| {
            (&other.left_table, &other.right_table) == (&relationship.left_table, &relationship.right_table)
        };
        let is_only = model.relationships.iter().filter(is_between).count() == 1;
        (is_only && left.name != right.name).then(|| sum_of_product(model, left, right))?
    });
    sums.collect()
}

fn sum_of_product(model: &SemanticModel, rows: &LogicalTable, priced: &LogicalTable) -> Option<(Metric, String)> {
    let public = |table: &'_ LogicalTable| {
        table.facts.iter().filter(|fact| fact.access_modifier == AccessModifier::Public).cloned().collect::<Vec<Fact>>()
    };
    let (own, others) = (public(rows), public(priced));
    let price = only(others.iter().filter(|fact| price_of(fact).is_some()))?;
    let quantity = only(own.iter().filter(|fact| is_quantity_for(fact, price)))?;
    let is_curated = price.default_aggregation.is_some() || quantity.default_aggregation.is_some();
    let has_price = own.iter().any(|fact| price_of(fact).is_some() || is_amount(fact));
    if !is_curated || has_price || is_computed(model, rows, [quantity, price]) {
        return None;
    }
    let (head, _) = price_of(price)?;
    let name = format!("{}_{head}", parts(&rows.name).join("_"));
    let wages = if head == "pay" { WAGES } else { &[] };
    let of_priced = (head == "pay").then(|| format!("{} cost", parts(&priced.name).join(" ")));
    let synonyms = wages.iter().map(ToString::to_string).chain(of_priced);
    let metric = Metric {
        synonyms: synonyms.filter(|synonym| !is_taken(model, synonym)).collect(),
        expr: format!("SUM({}.{} * {}.{})", rows.name, quantity.name, priced.name, price.name),
        name: (!is_taken(model, &name)).then_some(name)?,
        ..Metric::default()
    };
    Some((metric, format!("{} × {}", spoken(quantity), spoken(price))))
}

/// What a product with the price of a unit is called, and what else.
fn price_of(fact: &Fact) -> Option<(&'static str, &'static [&'static str])> {
    let words = parts(&fact.name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let is_for_unit = UNITS.iter().any(|(price, _)| has(price));
    PRICES.iter().find(|(price, ..)| is_for_unit && has(price)).map(|(_, head, synonyms)| (*head, *synonyms))
}

fn is_quantity_for(fact: &Fact, price: &Fact) -> bool {
    let (own, price) = (words_of(fact), parts(&price.name));
    let has = |words: &[String], wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let fits = |(of_price, of_quantity): &(&[&str], &[&str])| has(&price, of_price) && has(&own, of_quantity);
    price_of(fact).is_none() && fact.default_aggregation != Some(DefaultAggregation::Avg) && UNITS.iter().any(fits)
}

/// The words of a fact's name and of the column behind it.
fn words_of(fact: &Fact) -> Vec<String> {
    let is_column = fact.expr.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    let column = if is_column { parts(&fact.expr) } else { Vec::new() };
    parts(&fact.name).into_iter().chain(column).collect()
}

fn is_amount(fact: &Fact) -> bool {
    let is_sum = fact.default_aggregation == Some(DefaultAggregation::Sum);
    is_sum && parts(&fact.name).iter().any(|word| AMOUNTS.contains(&word.as_str()))
}

/// Whether some metric or fact of the model is computed of both.
fn is_computed(model: &SemanticModel, table: &LogicalTable, factors: [&Fact; 2]) -> bool {
    let metrics = table.metrics.iter().chain(&model.metrics).map(|metric| &metric.expr);
    let mut expressions = metrics.chain(table.facts.iter().map(|fact| &fact.expr));
    let has = |expression: &str, name: &str| {
        let is_of_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
        expression.split(|character| !is_of_name(character)).any(|word| word.eq_ignore_ascii_case(name))
    };
    expressions.any(|text| factors.iter().all(|fact| has(text, &fact.name) || has(text, &fact.expr)))
}

/// Whether anything of the model is called so.
fn is_taken(model: &SemanticModel, name: &str) -> bool {
    let wanted = parts(name);
    let is_it = |name: &String| parts(name) == wanted;
    let called = |name: &String, synonyms: &[String]| is_it(name) || synonyms.iter().any(is_it);
    model.metrics.iter().any(|item| called(&item.name, &item.synonyms))
        || model.tables.iter().any(|table| {
            called(&table.name, &table.synonyms)
                || table.dimensions.iter().any(|item| called(&item.name, &item.synonyms))
                || table.time_dimensions.iter().any(|item| called(&item.name, &item.synonyms))
                || table.facts.iter().any(|item| called(&item.name, &item.synonyms))
                || table.metrics.iter().any(|item| called(&item.name, &item.synonyms))
                || table.filters.iter().any(|item| called(&item.name, &item.synonyms))
        })
}

fn names_words(table: &LogicalTable) -> Vec<String> {
    std::iter::once(&table.name).chain(&table.synonyms).flat_map(|name| parts(name)).collect()
}

/// The words of a name, each in its base form.
fn parts(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let words = lower.split(|character: char| !character.is_alphanumeric()).filter(|part| !part.is_empty());
    words.map(lemma).collect()
}

fn spoken(fact: &Fact) -> String {
    fact.name.to_lowercase().replace('_', " ")
}

fn factor(expr: &str) -> String {
    let is_bare = expr.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    if is_bare { expr.to_owned() } else { format!("({expr}\n)") }
}

fn only<'a>(mut facts: impl Iterator<Item = &'a Fact>) -> Option<&'a Fact> {
    facts.next().filter(|_| facts.next().is_none())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::{product, sums_of_products};
    use crate::semantic_model::read_yaml;

    fn check(table: &str, facts: &str, metrics: &str, expected: Option<(&str, &str)>) {
        let yaml = format!(
            "name: m\ntables:\n- name: {table}\n  base_table: {{table: T}}\n  facts: [{facts}]\n  metrics: [{metrics}]\n"
        );
        let model = read_yaml(&yaml).unwrap().model;
        let found = product(&model, &model.tables[0]).map(|product| (product.fact.name, product.fact.expr));
        assert_eq!(found.as_ref().map(|(name, expr)| (name.as_str(), expr.as_str())), expected, "{yaml}");
    }

    const QUANTITY: &str = "{name: quantity, expr: QTY, default_aggregation: sum}";

    #[test]
    fn a_quantity_is_multiplied_with_the_price_of_its_unit() {
        let facts = format!("{QUANTITY}, {{name: unit_cost, expr: UNIT_COST, default_aggregation: avg}}");
        check("deliveries", &facts, "", Some(("delivery_cost", "QTY * UNIT_COST")));
        let hours = "{name: hours, expr: HOURS, default_aggregation: sum}, {name: hourly_wage, expr: WAGE / 100}";
        check("shifts", hours, "", Some(("shift_pay", "HOURS * (WAGE / 100\n)")));
        let weight = "{name: weight_kg, expr: KG, default_aggregation: sum}, {name: price_per_kg, expr: PRICE}";
        check("harvests", weight, "", Some(("harvest_value", "KG * PRICE")));
    }

    #[test]
    fn there_is_no_product_of_other_units_or_beside_an_amount() {
        check("deliveries", &format!("{QUANTITY}, {{name: hourly_wage, expr: W}}"), "", None);
        check("deliveries", &format!("{QUANTITY}, {{name: price, expr: P}}"), "", None);
        let amount = "{name: unit_price, expr: P}, {name: amount, expr: A, default_aggregation: sum}";
        check("lines", &format!("{QUANTITY}, {amount}"), "", None);
        check("lines", "{name: quantity, expr: QTY}, {name: unit_price, expr: P}", "", None);
        let prices = "{name: unit_price, expr: P}, {name: unit_cost, expr: C}";
        check("lines", &format!("{QUANTITY}, {prices}"), "", None);
    }

    #[test]
    fn the_price_may_be_of_what_the_rows_refer_to() {
        let yaml = "
name: m
tables:
- name: shifts
  base_table: {table: SHIFTS}
  dimensions: [{name: worker_id, expr: WORKER_ID}]
  facts: [{name: hours, expr: HOURS, default_aggregation: sum}]
- name: workers
  base_table: {table: WORKERS}
  dimensions: [{name: worker_id, expr: WORKER_ID}]
  facts: [{name: hourly_wage, expr: WAGE, default_aggregation: avg}]
relationships:
- {name: r, left_table: shifts, right_table: workers, relationship_columns: [{left_column: worker_id, right_column: worker_id}]}
";
        let model = read_yaml(yaml).unwrap().model;
        let [(metric, formula)] = sums_of_products(&model).try_into().unwrap();
        assert_eq!(metric.expr, "SUM(shifts.hours * workers.hourly_wage)");
        assert_eq!(formula, "hours × hourly wage");
        assert!(metric.synonyms.contains(&"wage cost".to_owned()), "{:?}", metric.synonyms);
    }

    #[test]
    fn a_metric_that_computes_it_is_enough() {
        let facts = format!("{QUANTITY}, {{name: unit_price, expr: P}}");
        check("lines", &facts, "{name: net, expr: SUM(QTY * P * 0.8)}", None);
        check("lines", &facts, "{name: lines_with_a_price, expr: COUNT(P)}", Some(("line_value", "QTY * P")));
    }
}
