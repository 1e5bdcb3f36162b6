import type { Progress, StatementContext } from '../../api/statements';
import type { ChartChoice } from '../../charts';

export type OutcomeState =
  | 'waiting'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  /** Did not run, since one before it failed. */
  | 'skipped';

export interface OutcomeError {
  code: string;
  message: string;
  /** Offset in the worksheet's text as it was when it ran; null if the server names no place. */
  offset: number | null;
  line: number | null;
}

/** One statement of a run and what became of it. */
export interface Outcome {
  text: string;
  /** Where the statement stood in the worksheet. */
  start: number;
  state: OutcomeState;
  handle: string | null;
  tookMs: number | null;
  rowCount: number | null;
  /** "3 rows inserted." for what changes rows. */
  message: string | null;
  error: OutcomeError | null;
  chart: ChartChoice | null;
  /** The run of the statement that was measured, if it is not this one. */
  profiledHandle: string | null;
}

export interface Run {
  id: string;
  context: StatementContext;
  startedAtMs: number;
  endedAtMs: number | null;
  /** What is cancelled: the statement, or the set of a script. */
  handle: string | null;
  outcomes: Outcome[];
  selected: number;
  /** Set once a person chose a statement: results that arrive do not take its place. */
  isChosen: boolean;
  view: 'table' | 'chart' | 'profile';
  progress: Progress | null;
  /** What became of variables and temporary tables, if they did not stay. */
  note: string | null;
}

export function isRunning(run: Run | null | undefined): run is Run {
  return run != null && run.endedAtMs === null;
}

/** When a statement began, as the server says it, but not before those ahead of it had ended. */
export function beganAtMs(run: Run, index: number, createdOnMs: number | undefined): number {
  const before = run.outcomes.slice(0, index).reduce((sum, { tookMs }) => sum + (tookMs ?? 0), 0);
  return Math.max(createdOnMs ?? 0, run.startedAtMs + before);
}

export function newOutcome(text: string, start: number): Outcome {
  return {
    text,
    start,
    state: 'waiting',
    handle: null,
    tookMs: null,
    rowCount: null,
    message: null,
    error: null,
    chart: null,
    profiledHandle: null,
  };
}
