//! Mutexes that are not poisoned by a panic of their holder.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic while one of these short locks is held leaves nothing half done behind it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
