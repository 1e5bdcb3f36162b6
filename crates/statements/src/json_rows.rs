//! Partitions of Arrow as the contract's JSON rows, for whoever reads a result in another format than it was asked for.

use std::io::{self, Read};

use bytes::Bytes;
use firn_arrow::JsonRows;
use firn_catalog::registry::ResultFormat;
use flate2::read::MultiGzDecoder;
use libdeflater::{CompressionLvl, Compressor};

use crate::error::StatementError;
use crate::partition_reader::{OpenPartition, PartitionReader};
use crate::partitions::GZIP_LEVEL;
use crate::view::{PartitionBody, ResultView, StatementView};

/// The rows of a first partition as `[[…],…]`.
pub fn of_first(stream: &[u8]) -> io::Result<Vec<u8>> {
    read(JsonRows::new(stream)?)
}

/// As `of_first`, of a later partition.
pub fn of_later(compressed: &[u8]) -> io::Result<Vec<u8>> {
    read(JsonRows::new(MultiGzDecoder::new(compressed))?)
}

/// The rows of a later partition piece by piece, in a JSON array that may be inside of an object.
pub fn read_later(partition: PartitionReader, format: ResultFormat) -> io::Result<Box<dyn Read + Send>> {
    let plain = MultiGzDecoder::new(partition);
    Ok(match format {
        ResultFormat::Json => Box::new(plain),
        ResultFormat::Arrow => Box::new(JsonRows::new(plain)?),
    })
}

impl OpenPartition {
    /// The rows as a JSON array, or an object around one.
    pub fn into_json_rows(self) -> io::Result<Box<dyn Read + Send>> {
        read_later(self.reader, self.format)
    }
}

fn read(mut rows: impl Read) -> io::Result<Vec<u8>> {
    let mut json = Vec::new();
    rows.read_to_end(&mut json)?;
    Ok(json)
}

impl StatementView {
    /// With the rows that it has, if any, in JSON.
    pub fn in_json(self) -> Result<Self, StatementError> {
        match self {
            Self::Succeeded(result) => result.in_json().map(|result| Self::Succeeded(Box::new(result))),
            other => Ok(other),
        }
    }
}

impl ResultView {
    fn in_json(self) -> Result<Self, StatementError> {
        let handle = self.handle;
        let body = body_in_json(self.body).map_err(|error| {
            tracing::error!(statement.handle = %handle, partition = self.partition, %error, "a result cannot be read");
            StatementError::DamagedResult(handle)
        })?;
        Ok(Self { body, ..self })
    }
}

fn body_in_json(body: PartitionBody) -> io::Result<PartitionBody> {
    Ok(match body {
        PartitionBody::Arrow(stream) => PartitionBody::Rows(of_first(&stream)?.into()),
        PartitionBody::CompressedArrow(compressed) => {
            let body = [b"{\"data\":", of_later(&compressed)?.as_slice(), b"}"].concat();
            PartitionBody::Compressed(gzip(&body)?)
        }
        json => json,
    })
}

fn gzip(body: &[u8]) -> io::Result<Bytes> {
    let mut compressor = Compressor::new(CompressionLvl::new(GZIP_LEVEL).unwrap_or_default());
    let mut compressed = vec![0; compressor.gzip_compress_bound(body.len())];
    let length = compressor.gzip_compress(body, &mut compressed).map_err(io::Error::other)?;
    compressed.truncate(length);
    Ok(compressed.into())
}
