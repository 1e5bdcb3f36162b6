// What `WITH … AS (SELECT …)` defines: the names of its tables and, as far as they are written, of their columns.
import { codeOf, type Token, tokensOf } from './tokens';
import { nameOf } from './useStatement';

export interface CommonTable {
  name: string;
  /** Those with a name of their own; what `*` stands for is not among them. */
  columns: string[];
}

export function commonTables(statement: string): CommonTable[] {
  const tokens = codeOf(tokensOf(statement));
  const found: CommonTable[] = [];
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const opens = before?.text === 'WITH' || before?.text === 'RECURSIVE' || isSign(before, ',');
    if (!opens || !isName(token)) continue;
    const listed = isSign(tokens[at + 1], '(') ? namesWithin(statement, tokens, at + 2) : null;
    const as = listed ? listed.end + 1 : at + 1;
    if (tokens[as]?.text !== 'AS' || !isSign(tokens[as + 1], '(')) continue;
    const columns = listed?.names ?? selectedNames(statement, tokens, as + 2);
    found.push({ name: written(statement, token), columns });
  }
  return found;
}

/** The names of `a, b)`; null if something else stands there. */
function namesWithin(text: string, tokens: readonly Token[], from: number) {
  const names: string[] = [];
  for (let at = from; isName(tokens[at]); at += 2) {
    names.push(written(text, tokens[at]));
    if (isSign(tokens[at + 1], ')')) return { names, end: at + 1 };
    if (!isSign(tokens[at + 1], ',')) return null;
  }
  return null;
}

/** What the first SELECT of a query calls its columns: each has its name at its end. */
function selectedNames(text: string, tokens: readonly Token[], from: number): string[] {
  if (tokens[from]?.text !== 'SELECT') return [];
  const names: string[] = [];
  let depth = 0;
  for (let at = from + 1; at < tokens.length; at += 1) {
    const token = tokens[at];
    const isEnd = isSign(token, ')') || (token?.kind === 'word' && token.text === 'FROM');
    if (depth === 0 && (isEnd || isSign(token, ','))) {
      const last = tokens[at - 1];
      if (isName(last) && last?.text !== 'END') names.push(written(text, last));
      if (isEnd) return names;
    }
    if (isSign(token, '(')) depth += 1;
    if (isSign(token, ')')) depth -= 1;
  }
  return names;
}

function isName(token: Token | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted';
}

function isSign(token: Token | undefined, sign: string): boolean {
  return token?.kind === 'sign' && token.text === sign;
}

function written(text: string, token: Token | undefined): string {
  return token ? nameOf(text.slice(token.start, token.end)) : '';
}
