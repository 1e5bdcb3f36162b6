import { codeOf, tokensOf } from './tokens';

export interface Use {
  role?: string;
  warehouse?: string;
  database?: string;
  schema?: string;
}

/** What a statement `USE …` asks for, or null if it is none. Names are as the catalog has them. */
export function parseUse(statement: string): Use | null {
  const tokens = codeOf(tokensOf(statement));
  if (tokens[0]?.text !== 'USE') return null;
  const kind = tokens[1]?.kind === 'word' ? tokens[1].text : '';
  const hasKind = ['ROLE', 'WAREHOUSE', 'DATABASE', 'SCHEMA'].includes(kind) && tokens.length > 2;
  const names = namesOf(statement, tokens.slice(hasKind ? 2 : 1));
  const [first, second] = names;
  if (first === undefined || names.length > 2) return null;
  if (hasKind && kind === 'ROLE') return { role: first };
  if (hasKind && kind === 'WAREHOUSE') return { warehouse: first };
  if (hasKind && kind === 'SCHEMA') {
    return second === undefined ? { schema: first } : { database: first, schema: second };
  }
  if (second !== undefined) return { database: first, schema: second };
  return kind === 'SECONDARY' ? null : { database: first };
}

function namesOf(statement: string, tokens: ReturnType<typeof tokensOf>): string[] {
  const names: string[] = [];
  for (const [index, token] of tokens.entries()) {
    const isName = token.kind === 'word' || token.kind === 'quoted';
    const isDot = token.kind === 'sign' && token.text === '.';
    if (index % 2 === 0 ? !isName : !isDot) return [];
    if (isName) names.push(nameOf(statement.slice(token.start, token.end)));
  }
  return names;
}

/** A name as the catalog has it: quoted ones as they are, others in upper case. */
export function nameOf(written: string): string {
  if (!written.startsWith('"')) return written.toUpperCase();
  return written.slice(1, -1).replaceAll('""', '"');
}
