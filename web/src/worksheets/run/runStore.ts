import { create } from 'zustand';
import type { Outcome, Run } from './run';

interface RunState {
  /** The last run of each worksheet, by the worksheet's id. */
  runs: Readonly<Record<string, Run>>;
}

export const useRuns = create<RunState>(() => ({ runs: {} }));

export function runOf(worksheetId: string): Run | null {
  return useRuns.getState().runs[worksheetId] ?? null;
}

export function putRun(worksheetId: string, run: Run | null): void {
  useRuns.setState(({ runs }) => {
    const { [worksheetId]: _, ...others } = runs;
    return { runs: run === null ? others : { ...others, [worksheetId]: run } };
  });
}

/** Changes a run unless another one has taken its place. */
export function changeRun(worksheetId: string, runId: string, changes: Partial<Run>): void {
  const run = runOf(worksheetId);
  if (run?.id === runId) putRun(worksheetId, { ...run, ...changes });
}

export function changeOutcome(
  worksheetId: string,
  runId: string,
  index: number,
  changes: Partial<Outcome>,
): void {
  const run = runOf(worksheetId);
  if (run?.id !== runId) return;
  const outcomes = run.outcomes.map((one, at) => (at === index ? { ...one, ...changes } : one));
  putRun(worksheetId, { ...run, outcomes });
}
