import { expect, it } from 'vitest';
import { beganAtMs, newOutcome, type Run } from './run';

it('a statement begins where the server says, and behind those before it', () => {
  const outcomes = [{ ...newOutcome('SELECT 1', 0), tookMs: 500 }, newOutcome('SELECT 2', 9)];
  const run = { startedAtMs: 10_000, outcomes } as Run;
  expect(beganAtMs(run, 0, 10_020)).toBe(10_020);
  expect(beganAtMs(run, 1, 10_020)).toBe(10_500);
  expect(beganAtMs(run, 1, undefined)).toBe(10_500);
});
