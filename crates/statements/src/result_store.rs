//! Results on disk: one folder per statement below `results/`, the first partition as plain rows,
//! the others as the gzip bodies they are served as. Behind each is its CRC-32: nothing is served that was not written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use firn_catalog::registry::StoredResult;
use firn_engine::disk_room::{require_room, require_room_for_small};
use firn_engine::regular_files;
use libdeflater::Crc;
use uuid::Uuid;

use crate::partition_reader::PartitionReader;

#[derive(Clone, Debug)]
pub struct ResultStore {
    folder: PathBuf,
}

impl ResultStore {
    pub fn open(data_dir: &Path) -> io::Result<Self> {
        let folder = data_dir.join("results");
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    pub fn write(&self, stored_under: Uuid, partition: usize, body: &[u8]) -> io::Result<()> {
        let bytes = body.len() as u64;
        // The first is small, and people look around by small results on a disk that is nearly full.
        match partition {
            0 => require_room_for_small(&self.folder, bytes)?,
            _ => require_room(&self.folder, bytes)?,
        }
        let folder = self.folder_of(stored_under);
        fs::create_dir_all(&folder)?;
        let mut file = File::create(folder.join(partition.to_string()))?;
        file.write_all(body)?;
        file.write_all(&sum(body))
    }

    /// A partition as it was written; `InvalidData` where the file is not that.
    pub fn read(&self, result: &StoredResult, partition: usize) -> io::Result<Bytes> {
        let content = regular_files::read(&self.folder_of(result.stored_under).join(partition.to_string()))?;
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the file is not what was written");
        let length = usize::try_from(result.partition_bytes(partition)).map_err(|_| damaged())?;
        let content = Bytes::from(content);
        // Servers before wrote no sum.
        if content.len() == length {
            return Ok(content);
        }
        let (body, written) = content.split_at_checked(length).ok_or_else(damaged)?;
        if written == sum(body) { Ok(content.slice(..length)) } else { Err(damaged()) }
    }

    /// As `read`, piece by piece.
    pub fn open_partition(&self, result: &StoredResult, partition: usize) -> io::Result<PartitionReader> {
        let path = self.folder_of(result.stored_under).join(partition.to_string());
        PartitionReader::open(&path, result.partition_bytes(partition))
    }

    /// A folder that is gone already is as good as removed.
    pub fn remove(&self, stored_under: Uuid) -> io::Result<()> {
        match fs::remove_dir_all(self.folder_of(stored_under)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Every statement that has a folder; used at start to find what a crash left behind.
    pub fn stored(&self) -> io::Result<Vec<Uuid>> {
        let mut handles = Vec::new();
        for shard in fs::read_dir(&self.folder)? {
            let shard = shard?.path();
            if !shard.is_dir() {
                continue;
            }
            for folder in fs::read_dir(shard)? {
                handles.extend(folder?.file_name().to_str().and_then(|name| Uuid::try_parse(name).ok()));
            }
        }
        Ok(handles)
    }

    /// Two hex digits spread the folders, so that none holds hundreds of thousands.
    fn folder_of(&self, stored_under: Uuid) -> PathBuf {
        let name = stored_under.to_string();
        self.folder.join(&name[..2]).join(name)
    }
}

fn sum(body: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(body);
    crc.sum().to_le_bytes()
}
