//! Cuts a stream of rows into partitions: a small first one, then growing ones, each encoded once
//! and compressed on a second thread while the next is being encoded.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use bytes::Bytes;
use firn_catalog::registry::{Cells, ResultFormat, StoredPartition, StoredResult};
use firn_engine::{EngineError, RowBudget, RowStream};
use libdeflater::{CompressionLvl, Compressor};
use uuid::Uuid;

use crate::result_store::ResultStore;
use crate::row_type::row_type_json;

/// The contract's first partition stays below about 100 KB.
const FIRST_PARTITION_BYTES: usize = 90_000;
/// A result up to this size lives in its registry row.
const INLINE_BYTES_MAX: usize = 8_192;
pub const GZIP_LEVEL: i32 = 1;

pub struct PartitionLimits {
    pub chunk_bytes_max: usize,
    pub result_bytes_max: u64,
    pub rows_max: Option<u64>,
    /// Counts the rows as they are written, for those who ask how far the statement is.
    pub rows_written: Option<Arc<AtomicU64>>,
}

impl PartitionLimits {
    pub const UNLIMITED: Self =
        Self { chunk_bytes_max: usize::MAX, result_bytes_max: u64::MAX, rows_max: None, rows_written: None };
}

/// A result that is wholly on disk, or small enough to go into the registry with its record.
#[derive(Debug)]
pub struct WrittenResult {
    pub stored: StoredResult,
    pub first_rows: Bytes,
    pub completeness: Completeness,
    /// As in `Ended`.
    pub profile: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    Whole,
    /// The configured maximum was reached; what follows is missing.
    Cut,
}

#[derive(Debug, thiserror::Error)]
pub enum PartitionError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("a result partition cannot be written: {0}")]
    Disk(#[from] io::Error),
}

/// Pulls every row out of `rows`. Memory stays within a few partitions whatever the result's size.
pub fn write_partitions(
    rows: &mut dyn RowStream,
    format: ResultFormat,
    limits: &PartitionLimits,
    store: &ResultStore,
    handle: Uuid,
) -> Result<WrittenResult, PartitionError> {
    let mut cutter =
        Cutter { rows, format, limits, rows_left: limits.rows_max.unwrap_or(u64::MAX), bytes_written: 0, ended: false };
    let row_type = row_type_json(cutter.rows.columns());
    let mut first = Vec::with_capacity(1_024);
    let first_count = cutter.fill(&mut first, ("[", "]"), FIRST_PARTITION_BYTES)?;
    let first_rows = Bytes::from(first);
    let mut partitions =
        vec![StoredPartition { rows: first_count, uncompressed_bytes: first_rows.len() as u64, compressed_bytes: 0 }];

    let inline_rows = if cutter.is_done() && first_rows.len() <= INLINE_BYTES_MAX {
        Some(first_rows.to_vec())
    } else {
        store.write(handle, 0, &first_rows)?;
        partitions.extend(cutter.write_rest(store, handle)?);
        None
    };
    let completeness = cutter.completeness();
    let stored = StoredResult {
        row_type,
        rows: partitions.iter().map(|partition| partition.rows).sum(),
        partitions,
        stats: None,
        cells: if format == ResultFormat::Arrow { Cells::ARROW } else { Cells::default() },
        inline_rows,
        stored_under: handle,
    };
    Ok(WrittenResult { stored, first_rows, completeness, profile: None })
}

struct Cutter<'rows> {
    rows: &'rows mut dyn RowStream,
    format: ResultFormat,
    limits: &'rows PartitionLimits,
    rows_left: u64,
    bytes_written: u64,
    ended: bool,
}

impl Cutter<'_> {
    /// Writes one partition, rows of JSON between `frame`, and returns how many rows it has.
    fn fill(&mut self, out: &mut Vec<u8>, frame: (&str, &str), bytes: usize) -> Result<u64, EngineError> {
        if self.format == ResultFormat::Json {
            out.extend_from_slice(frame.0.as_bytes());
        }
        let before = out.len();
        let left = self.limits.result_bytes_max.saturating_sub(self.bytes_written);
        let bytes = (bytes as u64).min(left.max(1)) as usize;
        let budget = RowBudget { bytes: before + bytes, rows: self.rows_left };
        let encoded = match self.format {
            ResultFormat::Json => self.rows.encode(out, budget)?,
            ResultFormat::Arrow => self.rows.encode_arrow(out, budget)?,
        };
        self.rows_left -= encoded.rows;
        if let Some(written) = &self.limits.rows_written {
            written.fetch_add(encoded.rows, Ordering::Relaxed);
        }
        self.bytes_written += (out.len() - before) as u64;
        self.ended = encoded.ended;
        if self.format == ResultFormat::Json {
            out.extend_from_slice(frame.1.as_bytes());
        }
        Ok(encoded.rows)
    }

    fn is_done(&self) -> bool {
        self.ended || self.rows_left == 0 || self.bytes_written >= self.limits.result_bytes_max
    }

    fn completeness(&self) -> Completeness {
        if self.ended || self.rows_left == 0 { Completeness::Whole } else { Completeness::Cut }
    }

    fn write_rest(&mut self, store: &ResultStore, handle: Uuid) -> Result<Vec<StoredPartition>, PartitionError> {
        if self.is_done() {
            return Ok(Vec::new());
        }
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            let compressor = scope.spawn(move || compress_and_write(&receiver, store, handle));
            let encoded = self.encode_rest(&sender);
            drop(sender);
            let written = compressor.join().unwrap_or_else(|_| Err(io::Error::other("the compressor stopped")));
            encoded?;
            Ok(written?)
        })
    }

    fn encode_rest(&mut self, sender: &SyncSender<EncodedPartition>) -> Result<(), EngineError> {
        let mut target = FIRST_PARTITION_BYTES * 2;
        while !self.is_done() {
            let target_bytes = target.min(self.limits.chunk_bytes_max);
            let mut body = Vec::with_capacity(target_bytes + target_bytes / 16);
            let rows = self.fill(&mut body, ("{\"data\":[", "]}"), target_bytes)?;
            if rows > 0 && sender.send(EncodedPartition { rows, body }).is_err() {
                return Ok(());
            }
            target = target.saturating_mul(2);
        }
        Ok(())
    }
}

struct EncodedPartition {
    rows: u64,
    body: Vec<u8>,
}

fn compress_and_write(
    receiver: &Receiver<EncodedPartition>,
    store: &ResultStore,
    handle: Uuid,
) -> io::Result<Vec<StoredPartition>> {
    let mut compressor = Compressor::new(CompressionLvl::new(GZIP_LEVEL).unwrap_or_default());
    let mut partitions = Vec::new();
    let mut compressed = Vec::new();
    for EncodedPartition { rows, body } in receiver {
        compressed.resize(compressor.gzip_compress_bound(body.len()), 0);
        let length = compressor.gzip_compress(&body, &mut compressed).map_err(io::Error::other)?;
        store.write(handle, partitions.len() + 1, &compressed[..length])?;
        partitions.push(StoredPartition {
            rows,
            uncompressed_bytes: body.len() as u64,
            compressed_bytes: length as u64,
        });
    }
    Ok(partitions)
}

#[cfg(test)]
mod tests {
    use firn_engine::WireColumn;

    use super::*;
    use crate::json_rows;
    use crate::local_rows::LocalRows;

    fn written(rows: usize, limits: &PartitionLimits) -> (WrittenResult, ResultStore, tempfile::TempDir) {
        let cells = (0..rows).map(|row| vec![Some(format!("{row:0>40}"))]).collect();
        let mut stream = LocalRows::new(vec![WireColumn::text("A")], cells);
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        let store = ResultStore::open(folder.path()).unwrap_or_else(|error| panic!("no store: {error}"));
        let written = write_partitions(&mut stream, ResultFormat::Json, limits, &store, Uuid::nil());
        (written.unwrap_or_else(|error| panic!("not written: {error}")), store, folder)
    }

    fn limits() -> PartitionLimits {
        PartitionLimits { chunk_bytes_max: 1 << 20, ..PartitionLimits::UNLIMITED }
    }

    #[test]
    fn a_small_result_lives_in_its_row() {
        let (result, store, _folder) = written(3, &limits());
        assert_eq!(result.stored.inline_rows.as_deref(), Some(&result.first_rows[..]));
        assert_eq!(result.stored.rows, 3);
        assert!(store.read(&result.stored, 0).is_err(), "no file is made for it");
    }

    #[test]
    fn partitions_grow_up_to_the_chunk_size_and_lose_no_row() {
        let (result, store, _folder) = written(100_000, &limits());
        let sizes: Vec<u64> = result.stored.partitions.iter().map(|partition| partition.uncompressed_bytes).collect();
        assert!(sizes[0] < 100_000, "the first is small: {sizes:?}");
        assert!(sizes[1] > sizes[0] && sizes[2] > sizes[1], "the next ones grow: {sizes:?}");
        assert!(sizes.iter().all(|&size| size < (1 << 20) + 100), "none passes the chunk size: {sizes:?}");
        assert_eq!(result.stored.rows, 100_000);
        let last = result.stored.partitions.len() - 1;
        let compressed = store.read(&result.stored, last).unwrap_or_default();
        assert_eq!(compressed.len() as u64, result.stored.partitions[last].compressed_bytes);
        let mut body = vec![0; sizes[last] as usize];
        let length = libdeflater::Decompressor::new().gzip_decompress(&compressed, &mut body);
        assert_eq!(length.ok(), Some(body.len()));
        assert!(body.starts_with(b"{\"data\":[[\"") && body.ends_with(b"99999\"]]}"));
    }

    #[test]
    fn streams_of_arrow_hold_the_same_rows() {
        let cells: Vec<_> = (0..100_000).map(|row| vec![Some(format!("{row:0>40}"))]).collect();
        let mut stream = LocalRows::new(vec![WireColumn::text("A")], cells.clone());
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        let store = ResultStore::open(folder.path()).unwrap_or_else(|error| panic!("no store: {error}"));
        let written = write_partitions(&mut stream, ResultFormat::Arrow, &limits(), &store, Uuid::nil());
        let stored = written.unwrap_or_else(|error| panic!("not written: {error}")).stored;
        assert_eq!((stored.rows, stored.cells), (100_000, Cells::ARROW));
        let sizes: Vec<u64> = stored.partitions.iter().map(|partition| partition.uncompressed_bytes).collect();
        assert!(
            sizes[0] < 100_000 && sizes[1] > sizes[0] && sizes.iter().all(|&size| size < (1 << 20) + 1_000),
            "{sizes:?}"
        );
        let mut read: Vec<Vec<Option<String>>> = Vec::new();
        for partition in 0..stored.partitions.len() {
            let bytes = store.read(&stored, partition).unwrap_or_default();
            let json = if partition == 0 { json_rows::of_first(&bytes) } else { json_rows::of_later(&bytes) };
            read.extend(serde_json::from_slice::<Vec<Vec<_>>>(&json.unwrap_or_default()).unwrap_or_default());
        }
        assert_eq!(read, cells);
    }

    /// Whatever becomes of the files: what is read is what was written, or nothing.
    #[test]
    fn damaged_files_are_not_read() {
        let (result, store, folder) = written(10_000, &limits());
        assert!(result.stored.partitions.len() > 1);
        let files = folder.path().join("results/00").join(Uuid::nil().to_string());
        for partition in 0..2 {
            let file = files.join(partition.to_string());
            let whole = std::fs::read(&file).unwrap_or_default();
            let read = || store.read(&result.stored, partition).ok();
            let expected = read();
            assert!(expected.is_some());
            let change = |damaged: &[u8]| std::fs::write(&file, damaged).unwrap_or_else(|error| panic!("{error}"));
            let mut flipped = whole.clone();
            flipped[whole.len() / 2] ^= 1;
            let longer = [whole.as_slice(), b"]"].concat();
            for damaged in [&flipped[..], &whole[..whole.len() / 2], &whole[..whole.len() - 1], &longer, &[]] {
                change(damaged);
                assert_eq!(read(), None);
            }
            // As servers wrote it that had no sums.
            change(&whole[..whole.len() - 4]);
            assert_eq!(read(), expected);
        }
    }

    #[test]
    fn rows_and_bytes_can_be_limited() {
        let (by_rows, _store, _folder) = written(5_000, &PartitionLimits { rows_max: Some(4_000), ..limits() });
        assert_eq!((by_rows.stored.rows, by_rows.completeness), (4_000, Completeness::Whole));
        let (by_bytes, _store, _folder) = written(5_000, &PartitionLimits { result_bytes_max: 100_000, ..limits() });
        assert_eq!(by_bytes.completeness, Completeness::Cut);
        assert!(by_bytes.stored.rows > 1_000 && by_bytes.stored.rows < 4_000);
        let (exact, _store, _folder) = written(10, &PartitionLimits { rows_max: Some(10), ..limits() });
        assert_eq!((exact.stored.rows, exact.completeness), (10, Completeness::Whole));
    }
}
