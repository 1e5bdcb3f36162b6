import type { StatementContext } from '../api/statements';

export interface Worksheet {
  /** Of this browser only; the server knows the name. */
  id: string;
  name: string;
  text: string;
  context: StatementContext;
  /** What the server has, as far as this browser knows; null if it has nothing. */
  stored: Stored | null;
  /** Set when the server's text was changed by somebody else meanwhile. */
  conflict: Stored | null;
  saving: 'saved' | 'waiting' | 'saving' | 'failed';
  saveError: string | null;
}

/** A text on the server and the ETag of that version. */
export interface Stored {
  name: string;
  content: string;
  etag: string;
}

const HEAD = '-- firn: ';

/** The file of a worksheet: its text below a line with its role, warehouse, database and schema. */
export function contentOf({ text, context }: Pick<Worksheet, 'text' | 'context'>): string {
  const entries = Object.entries(context).filter(([, value]) => value);
  return entries.length === 0
    ? text
    : `${HEAD}${JSON.stringify(Object.fromEntries(entries))}\n${text}`;
}

export function parseContent(content: string): { text: string; context: StatementContext } {
  const end = content.indexOf('\n');
  const head = end === -1 ? content : content.slice(0, end);
  if (!head.startsWith(HEAD)) return { text: content, context: {} };
  try {
    const given = JSON.parse(head.slice(HEAD.length)) as Record<string, unknown>;
    const context: StatementContext = {};
    for (const part of ['role', 'warehouse', 'database', 'schema'] as const) {
      if (typeof given[part] === 'string') context[part] = given[part];
    }
    return { text: end === -1 ? '' : content.slice(end + 1), context };
  } catch {
    return { text: content, context: {} };
  }
}

/** Slashes would make folders, and a name must be a file's name on every system. */
export function cleanName(name: string): string {
  return name
    .replaceAll(/[/\\:*?"<>|\p{Cc}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 120);
}
