//! Results and outcomes do not stay for ever: the sweeper removes what has expired and, past the limits of the disk and of
//! the state file, the oldest. So it does with what was dropped and can no longer come back.

use std::convert::Infallible;
use std::sync::Arc;

use firn_engine::stage_files::MissingFiles;
use uuid::Uuid;

use crate::clock::now_ms;
use crate::grants;
use crate::run_error::RunError;
use crate::services::Services;

/// How many missing files of a stage the log names.
const MISSING_FILES_NAMED: usize = 10;

/// Runs until it is aborted with the service that owns it.
pub async fn sweep_regularly(services: Arc<Services>) -> Infallible {
    let mut ticks = tokio::time::interval(services.limits.sweep_interval);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    // What happened to files and history before this process is not known.
    let mut sweeps: fn(&Services) -> Result<usize, RunError> = first_sweep;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = services.written_results.enough() => {}
            () = services.written_history.enough() => sweeps = sweep_with_history,
        }
        let services = services.clone();
        let swept = tokio::task::spawn_blocking(move || sweeps(&services)).await;
        sweeps = sweep;
        match swept {
            Ok(Ok(removed)) if removed > 0 => tracing::info!(removed, "results have left the disk"),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::error!(%error, "expired results cannot be removed"),
            Err(error) => tracing::error!(%error, "the sweeper stopped"),
        }
    }
}

fn first_sweep(services: &Services) -> Result<usize, RunError> {
    report_missing_files(services);
    sweep_with_history(services)
}

/// Files of stages that nobody removed through the server and that are gone all the same.
fn report_missing_files(services: &Services) {
    match services.engine.stage_files().take_missing() {
        Ok(stages) => {
            for MissingFiles { folder, paths } in stages {
                let files = paths.len();
                let first: Vec<&String> = paths.iter().take(MISSING_FILES_NAMED).collect();
                tracing::warn!(%folder, files, ?first, "files of a stage are missing; put them again or restore a backup");
            }
        }
        Err(error) => tracing::warn!(%error, "missing files of stages cannot be looked for"),
    }
}

/// Returns how many results' files were removed.
fn sweep(services: &Services) -> Result<usize, RunError> {
    services.kept_sessions.end_idle();
    services.ballast.restore();
    services.reopen_databases();
    services.engine.purge_dropped(now_ms())?;
    services.databases.purge_dropped(&services.catalog, services.engine.as_ref())?;
    grants::sweep(services)?;
    let registry = services.catalog.registry();
    let mut gone = registry.take_expired(now_ms(), services.limits.history_retention.as_millis() as i64)?;
    for (user_id, over) in registry.users_past(services.limits.results_user_bytes_max)? {
        services.cache.forget_all();
        gone.extend(registry.take_oldest_of_user(user_id, over)?);
    }
    let over = registry.disk_bytes()?.saturating_sub(services.limits.results_disk_bytes_max);
    if over > 0 {
        services.cache.forget_all();
        gone.extend(registry.take_oldest_until(over)?);
    }
    for stored_under in &gone {
        remove(services, *stored_under);
    }
    Ok(gone.len())
}

/// Measuring the history reads every row, so it is done when enough was added to it.
fn sweep_with_history(services: &Services) -> Result<usize, RunError> {
    let registry = services.catalog.registry();
    let mut gone = Vec::new();
    for (user_id, over) in registry.users_with_history_past(services.limits.history_user_bytes_max)? {
        services.cache.forget_all();
        gone.extend(registry.forget_oldest(Some(user_id), over)?);
    }
    let over = registry.history_bytes()?.saturating_sub(services.limits.history_bytes_max);
    if over > 0 {
        services.cache.forget_all();
        gone.extend(registry.forget_oldest(None, over)?);
    }
    for stored_under in &gone {
        remove(services, *stored_under);
    }
    Ok(gone.len() + sweep(services)?)
}

/// At start: partitions that belong to no statement were being written when the server died.
pub fn remove_left_over(services: &Services) -> Result<(), RunError> {
    let stored = services.store.stored().map_err(|error| RunError::Internal(error.to_string()))?;
    let known = services.catalog.registry().stored_folders()?;
    for stored_under in stored.into_iter().filter(|handle| !known.contains(handle)) {
        remove(services, stored_under);
    }
    Ok(())
}

fn remove(services: &Services, stored_under: Uuid) {
    if let Err(error) = services.store.remove(stored_under) {
        tracing::warn!(%stored_under, %error, "a result's files cannot be removed");
    }
}
