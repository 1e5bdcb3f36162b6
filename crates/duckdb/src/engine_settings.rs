//! What the engine is opened with.

use std::path::PathBuf;

use firn_engine::StageQuotas;

use super::external_access::ExternalAccess;

/// What the instance is started with.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The only folder, with `stage_dir` and `temp_dir`, that the engine may touch.
    pub data_dir: PathBuf,
    /// Where the files of stages lie.
    pub stage_dir: PathBuf,
    /// Where queries spill what does not fit in memory.
    pub temp_dir: PathBuf,
    /// `None` leaves the engine's choice: one per core.
    pub threads: Option<u32>,
    /// `None` leaves the engine's choice: four fifths of the machine's memory.
    pub memory_limit_bytes: Option<u64>,
    pub stage_quotas: StageQuotas,
    /// `None` reaches no storage outside.
    pub external: Option<ExternalAccess>,
}
