/** 1.2 s, 3 min 4 s, 12 ms. */
export function shownDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "now", "5 min", "3 h", then the day: short enough for a list. */
export function shownAgo(ms: number, nowMs = Date.now()): string {
  const minutes = Math.floor((nowMs - ms) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  return new Date(ms).toLocaleDateString('en-CA');
}

export function shownCount(count: number): string {
  return count.toLocaleString('en');
}
