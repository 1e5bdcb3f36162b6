//! What unloaded files are called, and the partitions they lie in.

use firn_sql::command::UnloadedFiles;
use firn_sql::file_formats::{Compression, FileFormat};
use firn_sql::stages::StagePath;
use firn_sql::{Failure, ast, print};

use super::job::Unload;

/// The column that holds a row's partition.
pub(super) const PARTITION: &str = "@partition";

/// The name of the file with this number, in a partition or in none.
pub(super) fn path(unload: &Unload<'_>, partition: Option<&str>, number: usize) -> Result<StagePath, Failure> {
    let location = unload.located.path.as_str();
    if unload.copy.files == UnloadedFiles::Single {
        let name = if location.is_empty() || location.ends_with('/') {
            format!("{location}data")
        } else {
            location.to_owned()
        };
        return StagePath::parse(&name);
    }
    let (folder, base) = location.rsplit_once('/').map_or(("", location), |(folder, base)| (folder, base));
    let mut path = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let base = match (base, partition) {
        ("", _) => "data",
        (base, None) => base,
        (base, Some(_)) => {
            path.push_str(base);
            path.push('/');
            "data"
        }
    };
    if let Some(partition) = partition {
        path.push_str(partition.trim_matches('/'));
        path.push('/');
    }
    let statement = unload.query_id.as_ref().map_or_else(String::new, |id| format!("_{id}"));
    StagePath::parse(&format!("{path}{base}{statement}_0_{number}_0{}", extension(&unload.format)))
}

fn extension(format: &FileFormat) -> String {
    let (kind, given) = match format {
        FileFormat::Csv(csv) => (".csv", csv.file_extension.as_deref()),
        FileFormat::Json(json) => (".json", json.file_extension.as_deref()),
        FileFormat::Parquet(parquet) => {
            return if parquet.compression == Compression::Snappy { ".snappy.parquet" } else { ".parquet" }.to_owned();
        }
    };
    let kind = given.map_or_else(|| kind.to_owned(), |given| format!(".{}", given.trim_start_matches('.')));
    let compressed = match chosen_compression(format) {
        Compression::Gzip => ".gz",
        Compression::Zstd => ".zst",
        Compression::Bzip2 => ".bz2",
        Compression::Deflate => ".deflate",
        Compression::RawDeflate => ".raw_deflate",
        _ => "",
    };
    format!("{kind}{compressed}")
}

/// AUTO compresses with gzip.
pub(super) fn chosen_compression(format: &FileFormat) -> Compression {
    match format.compression() {
        Compression::Auto => Compression::Gzip,
        chosen => chosen,
    }
}

/// `SELECT partition AS "@partition", query.* FROM (query)`, in the order of partitions.
pub(super) fn with_partition(query: ast::Query, partition: &ast::Expr) -> Result<ast::Query, Failure> {
    let mut outer = print::read_query("SELECT 1 AS \"@partition\", * FROM (SELECT 1) AS \"unloaded\" ORDER BY 1")?;
    if let ast::SetExpr::Select(select) = outer.body.as_mut() {
        if let Some(ast::SelectItem::ExprWithAlias { expr, .. }) = select.projection.first_mut() {
            *expr = partition.clone();
        }
        if let Some(ast::TableWithJoins { relation: ast::TableFactor::Derived { subquery, .. }, .. }) =
            select.from.first_mut()
        {
            **subquery = query;
        }
    }
    Ok(outer)
}

/// A row without a partition lies in this one.
pub(super) fn partition_folder(value: Option<String>) -> String {
    value.filter(|value| !value.is_empty()).unwrap_or_else(|| "_NULL_".to_owned())
}
