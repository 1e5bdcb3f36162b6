import { useEffect, useState } from 'react';
import { isRunning, type Run } from './run/run';

/** Milliseconds since the run began, to a tenth of a second. */
export function useElapsed(run: Run): number {
  const [now, setNow] = useState(Date.now());
  const runs = isRunning(run);
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, [runs]);
  return Math.max((run.endedAtMs ?? now) - run.startedAtMs, 0);
}
