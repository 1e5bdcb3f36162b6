import { useEffect, useLayoutEffect, useState } from 'react';
import type { RowSource } from './types';

/** A number that changes when rows arrive, at most once a frame. */
export function useRowSource(source: RowSource): number {
  const [version, setVersion] = useState(0);
  // In the layout phase: rows may arrive before later effects run.
  useLayoutEffect(() => {
    let frame = 0;
    const stop = source.subscribe(() => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        setVersion((before) => before + 1);
      });
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [source]);
  return version;
}

const ENSURE_REST_MS = 100;

/** Asks for the rows in sight. While the bar is dragged far, only for those where it rests. */
export function useEnsureRows(
  source: RowSource,
  first: number,
  last: number,
  sourceRow: (row: number) => number,
  version: number,
): void {
  const [rest, setRest] = useState({ first: 0 });
  const page = last - first + 1;
  const isNear = Math.abs(first - rest.first) <= page * 3;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows may have been dropped since
  useEffect(() => {
    if (last < first) return;
    const ask = () => {
      for (const run of consecutiveRuns(first, last, sourceRow)) source.ensure(run[0], run[1]);
    };
    if (isNear) {
      ask();
      setRest((before) => (before.first === first ? before : { first }));
      return;
    }
    const timer = setTimeout(() => setRest({ first }), ENSURE_REST_MS);
    return () => clearTimeout(timer);
  }, [source, first, last, sourceRow, isNear, version]);
}

function consecutiveRuns(
  first: number,
  last: number,
  sourceRow: (row: number) => number,
): [number, number][] {
  const runs: [number, number][] = [];
  for (let row = first; row <= last; row++) {
    const at = sourceRow(row);
    const run = runs.at(-1);
    if (run && run[1] + 1 === at) run[1] = at;
    else runs.push([at, at]);
  }
  return runs;
}
