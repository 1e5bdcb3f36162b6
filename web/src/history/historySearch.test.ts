import { expect, test, vi } from 'vitest';
import { type HistoryFilter, historySearch } from './historySearch';

const EVERYTHING: HistoryFilter = { user: null, state: 'all', hours: 24, text: '', withOwn: false };
const NOW = 1_800_000_000_000;
const DAY_AGO = NOW - 86_400_000;

test('the server looks for everything that is filtered', () => {
  vi.useFakeTimers({ now: NOW });
  expect(historySearch(EVERYTHING, 200)).toEqual({
    user: null,
    state: null,
    text: '',
    fromMs: DAY_AGO,
    withClients: false,
    limit: 200,
  });
  const narrow: HistoryFilter = {
    user: "O'HARA",
    state: 'failed',
    hours: 1,
    text: ' x ',
    withOwn: true,
  };
  expect(historySearch(narrow, 20_000)).toEqual({
    user: "O'HARA",
    state: 'failed',
    text: 'x',
    fromMs: NOW - 3_600_000,
    withClients: true,
    limit: 10_000,
  });
  vi.useRealTimers();
});

test('newer ones began after the newest that is shown, and within the time', () => {
  vi.useFakeTimers({ now: NOW });
  expect(historySearch(EVERYTHING, 100, NOW - 5).fromMs).toBe(NOW - 4);
  expect(historySearch(EVERYTHING, 100, 0).fromMs).toBe(DAY_AGO);
  vi.useRealTimers();
});
