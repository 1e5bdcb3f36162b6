// The table function of the history: how much of it is read.
import { sqlText } from '../sql/names';
import type { HistoryFilter } from './historyQuery';

/** Of the server's own database: everybody may ask it for their own statements, whatever databases their role sees. */
export const HISTORY = 'SNOWFLAKE.INFORMATION_SCHEMA.QUERY_HISTORY';

/** The function goes over the newest statements of the time, and no further than this. */
export const LOOKED_AT_MAX = 10_000;
/** Of what is not filtered a few more are read than are shown: some have the console's tag. */
const SPARE = 200;

export function historyCall(
  { user, state, hours, text, withOwn }: HistoryFilter,
  rows: number,
): string {
  const isFiltered = state !== 'all' || text.trim() !== '';
  const limit = isFiltered ? LOOKED_AT_MAX : Math.min(rows + SPARE, LOOKED_AT_MAX);
  const argumentList = [
    `END_TIME_RANGE_START => DATEADD('hour', -${hours}, CURRENT_TIMESTAMP())`,
    `RESULT_LIMIT => ${limit}`,
  ];
  if (withOwn) argumentList.push('INCLUDE_CLIENT_GENERATED_STATEMENT => TRUE');
  if (user !== null) argumentList.unshift(`USER_NAME => ${sqlText(user)}`);
  return `${HISTORY}${user === null ? '' : '_BY_USER'}(${argumentList.join(', ')})`;
}
