// Questions of a time that moves ("last year") whose SQL has fixed dates: kept as they are, they
// answer the same next year.

export interface FixedDates {
  /** The words of the question. */
  words: string;
  dates: string[];
  /** The question with the dates in the place of the words; null where that is no sentence. */
  datedQuestion: string | null;
}

const UNIT = '(?:year|quarter|month|week|weekend|day|hour)s?';
const RELATIVE = new RegExp(
  String.raw`\b(?:(?:in |of |from |during |over |for )?(?:the )?(?:last|past|previous|this|current|next) (?:\d+ |few |couple of )?${UNIT}` +
    String.raw`|\d+ ${UNIT} ago|today|yesterday|tomorrow|(?:year|month|quarter|week) to date|ytd|mtd|qtd|recently|so far)\b(?!')`,
  'i',
);

export function fixedDates(question: string, sql: string): FixedDates | null {
  const words = RELATIVE.exec(question)?.[0];
  const dates = [
    ...new Set([...sql.matchAll(/'(\d{4}-\d{2}-\d{2})[^']*'/g)].map(([, day]) => day)),
  ];
  if (words === undefined || dates.length === 0) return null;
  const period = periodIn(sql);
  const datedQuestion = period && question.replace(words, period);
  return { words, dates: dates.filter((day) => day !== undefined), datedQuestion };
}

/** The only half-open span of the SQL, in words. */
function periodIn(sql: string): string | null {
  const spans = [...sql.matchAll(/>= '(\d{4}-\d{2}-\d{2})' AND \S+ < '(\d{4}-\d{2}-\d{2})'/gi)];
  const [from, end] = spans.length === 1 ? (spans[0]?.slice(1) ?? []) : [];
  if (from === undefined || end === undefined) return null;
  const last = new Date(Date.parse(end) - 86_400_000).toISOString().slice(0, 10);
  const year = from.slice(0, 4);
  if (from === `${year}-01-01` && last === `${year}-12-31`) return `in ${year}`;
  return from === last ? `on ${from}` : `from ${from} to ${last}`;
}
