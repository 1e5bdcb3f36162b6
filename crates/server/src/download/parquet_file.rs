//! Parquet: one row group at a time is in memory. Numbers are decimals of their precision and scale;
//! instants of TIMESTAMP_LTZ are in UTC, times without a zone stay so; TIMESTAMP_TZ, whose offset no type of the format has, and
//! semi-structured values are texts.

mod columns;

use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use firn_values::cells::shown::TextKinds;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::{Row, unique_names};
use columns::{ColumnWriter, WireColumn};

/// Pages of this size are compressed one by one.
const PAGE_BYTES: usize = 1 << 20;

/// A file that is being written; what is written is taken away piece by piece.
pub struct ParquetFile {
    columns: Vec<WireColumn>,
    /// Begun with the first rows.
    begun: Option<Box<Begun>>,
}

struct Begun {
    writer: SerializedFileWriter<Written>,
    written: Written,
    columns: Vec<ColumnWriter>,
}

/// Written bytes that nobody has taken yet.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Written {
    fn take(&self) -> Vec<u8> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ParquetFile {
    pub fn new(row_type: &str, texts: TextKinds) -> serde_json::Result<Self> {
        let mut columns: Vec<WireColumn> = serde_json::from_str(row_type)?;
        columns.iter_mut().for_each(|column| column.take_texts(texts));
        Ok(Self { columns, begun: None })
    }

    /// The bytes that the rows of a row group become.
    pub fn write_rows(&mut self, rows: &[Row<'_>]) -> io::Result<Vec<u8>> {
        self.begun(rows)?.write_rows(rows)
    }

    /// The end of the file, which says where everything is.
    pub fn finish(&mut self) -> io::Result<Vec<u8>> {
        self.begun(&[])?.finish()
    }

    fn begun(&mut self, first: &[Row<'_>]) -> io::Result<&mut Begun> {
        let begun = match self.begun.take() {
            Some(begun) => begun,
            None => Box::new(Begun::new(&self.columns, first)?),
        };
        Ok(self.begun.insert(begun))
    }
}

impl Begun {
    /// `first` are rows of the result: a column whose cells an output format made texts of is one of texts.
    fn new(wire: &[WireColumn], first: &[Row<'_>]) -> io::Result<Self> {
        let mut columns: Vec<ColumnWriter> = Vec::with_capacity(wire.len());
        let names = unique_names(wire.iter().map(|column| column.name.as_str()));
        for ((place, column), name) in wire.iter().enumerate().zip(names) {
            let cells = first.iter().filter_map(|row| row.get(place)?.0.as_deref());
            columns.push(ColumnWriter::new(name, column, cells));
        }
        let fields = columns.iter().map(|column| column.field().map(Arc::new)).collect::<Result<_, _>>();
        let schema = Type::group_type_builder("result").with_fields(fields.map_err(io::Error::other)?).build();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_data_page_size_limit(PAGE_BYTES)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by("firn".to_owned())
            .build();
        let written = Written::default();
        let schema = Arc::new(schema.map_err(io::Error::other)?);
        let writer = SerializedFileWriter::new(written.clone(), schema, Arc::new(properties));
        Ok(Self { writer: writer.map_err(io::Error::other)?, written, columns })
    }

    fn write_rows(&mut self, rows: &[Row<'_>]) -> io::Result<Vec<u8>> {
        if rows.is_empty() || self.columns.is_empty() {
            return Ok(self.written.take());
        }
        let mut group = self.writer.next_row_group().map_err(io::Error::other)?;
        for (place, column) in self.columns.iter().enumerate() {
            let Some(mut chunk) = group.next_column().map_err(io::Error::other)? else {
                return Err(io::Error::other("the file has fewer columns than the result"));
            };
            let cells = rows.iter().map(|row| row.get(place).and_then(|cell| cell.0.as_deref()));
            column.write(cells, rows.len(), &mut chunk)?;
            chunk.close().map_err(io::Error::other)?;
        }
        group.close().map_err(io::Error::other)?;
        self.writer.flush()?;
        Ok(self.written.take())
    }

    fn finish(&mut self) -> io::Result<Vec<u8>> {
        self.writer.finish().map_err(io::Error::other)?;
        self.writer.flush()?;
        Ok(self.written.take())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use bytes::Bytes;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    /// The rows of a file of these partitions, as the format's own reader shows them.
    fn read_back(row_type: &str, partitions: &[&str]) -> (String, Vec<String>) {
        let partitions: Vec<Vec<Row<'_>>> = partitions.iter().map(|rows| serde_json::from_str(rows).unwrap()).collect();
        let mut file = ParquetFile::new(row_type, TextKinds::default()).unwrap();
        let mut bytes = Vec::new();
        for rows in &partitions {
            bytes.extend(file.write_rows(rows).unwrap());
        }
        bytes.extend(file.finish().unwrap());
        let reader = SerializedFileReader::new(Bytes::from(bytes)).unwrap();
        let mut schema = Vec::new();
        parquet::schema::printer::print_schema(&mut schema, reader.metadata().file_metadata().schema());
        let rows = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        (String::from_utf8(schema).unwrap(), rows)
    }

    #[test]
    fn cells_keep_their_types_and_values() {
        let row_type = r#"[{"name":"N","type":"fixed","precision":10,"scale":2},{"name":"W","type":"fixed","precision":38,"scale":0},
            {"name":"F","type":"real"},{"name":"T","type":"text"},{"name":"B","type":"boolean"},{"name":"D","type":"date"},
            {"name":"M","type":"timestamp_ntz","scale":9},{"name":"V","type":"variant"}]"#;
        let first = r#"[["1.50","-12345678901234567890123456789012345678","1e100","x\"","true","19727","-0.250000000","{\n \"a\": 1\n}"]]"#;
        let second = r#"[["-0.05","0","NaN","","false","-1","253402300799.999999000",null],[null,null,null,null,null,null,null,null]]"#;
        let (schema, rows) = read_back(row_type, &[first, second]);
        for part in
            ["DECIMAL(10,2)", "DECIMAL(38,0)", "DOUBLE F", "STRING", "BOOLEAN B", "DATE", "TIMESTAMP(MICROS,false)"]
        {
            assert!(schema.contains(part), "{part} in {schema}");
        }
        assert_eq!(rows.len(), 3);
        assert!(
            rows[0].contains("N: 1.50") && rows[0].contains("W: -12345678901234567890123456789012345678"),
            "{}",
            rows[0]
        );
        assert!(rows[0].contains("D: 2024-01-05") && rows[0].contains(r#"{"a":1}"#), "{}", rows[0]);
        assert!(rows[0].contains("1969-12-31 23:59:59"), "{}", rows[0]);
        assert!(rows[1].contains("N: -0.05") && rows[1].contains("D: 1969-12-31"), "{}", rows[1]);
        assert!(rows[2].matches("null").count() == 8, "{}", rows[2]);
    }

    #[test]
    fn what_an_output_format_made_a_text_of_is_a_text() {
        let (schema, rows) =
            read_back(r#"[{"name":"D","type":"date"},{"name":"D","type":"date"}]"#, &[r#"[["05.01.2024","1"]]"#]);
        assert!(schema.contains("BYTE_ARRAY D (STRING)") && schema.contains("INT32 D_2 (DATE)"), "{schema}");
        assert!(rows[0].contains("05.01.2024"), "{}", rows[0]);
    }

    #[test]
    fn an_empty_result_is_a_file_with_its_columns() {
        let (schema, rows) = read_back(r#"[{"name":"N","type":"fixed","precision":38,"scale":0}]"#, &["[]"]);
        assert!(schema.contains("DECIMAL(38,0)") && rows.is_empty(), "{schema}");
    }
}
