import { expect, test } from 'vitest';
import { historyCall } from './historyCall';
import type { HistoryFilter } from './historyQuery';

const EVERYTHING: HistoryFilter = { user: null, state: 'all', hours: 24, text: '', withOwn: false };
const callOf = (filter: Partial<HistoryFilter>) => historyCall({ ...EVERYTHING, ...filter }, 100);

test('what is not filtered is read only as far as it is shown', () => {
  expect(callOf({})).toBe(
    'SNOWFLAKE.INFORMATION_SCHEMA.QUERY_HISTORY(END_TIME_RANGE_START => ' +
      "DATEADD('hour', -24, CURRENT_TIMESTAMP()), RESULT_LIMIT => 300)",
  );
  expect(callOf({ text: 'x' })).toContain('RESULT_LIMIT => 10000)');
  expect(callOf({ state: 'failed' })).toContain('RESULT_LIMIT => 10000)');
});

test('the server looks for the statements of a user', () => {
  expect(callOf({ user: "O'HARA", withOwn: true })).toMatch(
    /QUERY_HISTORY_BY_USER\(USER_NAME => 'O''HARA', .* INCLUDE_CLIENT_GENERATED_STATEMENT => TRUE\)$/,
  );
});
