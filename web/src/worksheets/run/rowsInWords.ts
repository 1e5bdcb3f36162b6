import type { ResultAnswer } from '../../api/statements';

/** "3 rows inserted, 1 updated", "Table T successfully created."; null for what returns rows. */
export function rowsInWords(answer: ResultAnswer): string | null {
  const { stats } = answer;
  if (!stats) return statusOf(answer);
  const parts = (
    [
      ['numRowsInserted', 'inserted'],
      ['numRowsUpdated', 'updated'],
      ['numRowsDeleted', 'deleted'],
    ] as const
  )
    .map(([field, word]) => ({ count: stats[field] ?? 0, word }))
    .filter(({ count }) => count > 0);
  if (parts.length === 0) return 'no rows changed';
  return parts
    .map(({ count, word }, index) => {
      const rows = index > 0 ? '' : count === 1 ? ' row' : ' rows';
      return `${count.toLocaleString('en')}${rows} ${word}`;
    })
    .join(', ');
}

/** What DDL answers: one row with one text. */
function statusOf({ data, resultSetMetaData }: ResultAnswer): string | null {
  const { rowType } = resultSetMetaData;
  const isStatus = rowType.length === 1 && rowType[0]?.name === 'status';
  return isStatus && data.length === 1 ? (data[0]?.[0] ?? null) : null;
}
