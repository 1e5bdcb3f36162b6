// Which tables a statement names, and under which names: for the completion of columns.
import { codeOf, type Token, tokensOf } from './tokens';
import { nameOf } from './useStatement';

export interface TableReference {
  /** One to three parts, as the catalog has them. */
  parts: string[];
  /** What the statement calls it: its alias, else the last part. */
  alias: string;
}

const BEFORE_TABLE = ['FROM', 'JOIN', 'INTO', 'UPDATE', 'TABLE', 'USING'];
const NO_ALIAS = new Set(
  `ASOF CONNECT CROSS EXCEPT FETCH FULL GROUP HAVING INNER INTERSECT JOIN LEFT LIMIT MATCH_CONDITION
  MATCH_RECOGNIZE MINUS NATURAL OFFSET ON ORDER PIVOT QUALIFY RIGHT SAMPLE SELECT SET START TABLESAMPLE
  UNION UNPIVOT USING VALUES WHEN WHERE WINDOW`.split(/\s+/),
);

export function tableReferences(statement: string): TableReference[] {
  const tokens = codeOf(tokensOf(statement));
  const found: TableReference[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'word' || !BEFORE_TABLE.includes(token.text)) continue;
    at = readTables(statement, tokens, at + 1, token.text === 'FROM', found) - 1;
  }
  return found;
}

/** Reads `a.b AS x, c` and returns the place of what follows. */
function readTables(
  text: string,
  tokens: readonly Token[],
  from: number,
  isList: boolean,
  found: TableReference[],
): number {
  let at = from;
  for (;;) {
    const parts: string[] = [];
    while (isName(tokens[at])) {
      parts.push(nameOf(written(text, tokens[at])));
      at += 1;
      if (!isSign(tokens[at], '.')) break;
      at += 1;
    }
    // Behind a dot the last name is still to be typed: what stands before is no table.
    if (parts.length === 0 || parts.length > 3 || isSign(tokens[at - 1], '.')) return at;
    if (tokens[at]?.text === 'AS') at += 1;
    const next = tokens[at];
    const hasAlias = isName(next) && !(next?.kind === 'word' && NO_ALIAS.has(next.text));
    const alias = hasAlias ? nameOf(written(text, next)) : (parts.at(-1) ?? '');
    if (hasAlias) at += 1;
    found.push({ parts, alias });
    if (!isList || !isSign(tokens[at], ',')) return at;
    at += 1;
  }
}

function isName(token: Token | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted';
}

function isSign(token: Token | undefined, sign: string): boolean {
  return token?.kind === 'sign' && token.text === sign;
}

function written(text: string, token: Token | undefined): string {
  return token ? text.slice(token.start, token.end) : '';
}
