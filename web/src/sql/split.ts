// A text's statements, by the rules of the server: semicolons inside of blocks separate steps.
import { codeOf, type Token, tokensOf } from './tokens';

export interface Statement {
  /** From the first word to the last, without the semicolon. */
  start: number;
  end: number;
  /** Behind the semicolon, if there is one. */
  behind: number;
  text: string;
}

let last: { text: string; statements: readonly Statement[] } | null = null;

/** The editor, its buttons and its gutter ask for the same text one after the other. */
export function splitStatements(text: string): readonly Statement[] {
  if (last?.text !== text) last = { text, statements: split(text) };
  return last.statements;
}

function split(text: string): Statement[] {
  const tokens = codeOf(tokensOf(text));
  const found: Statement[] = [];
  let from = 0;
  while (from < tokens.length) {
    const semicolon = endOfStatement(tokens, from);
    const to = semicolon === -1 ? tokens.length : semicolon;
    const first = tokens[from];
    const end = tokens[to - 1]?.end;
    if (first && end !== undefined && to > from) {
      const behind = tokens[semicolon]?.end ?? end;
      found.push({ start: first.start, end, behind, text: text.slice(first.start, end) });
    }
    from = to + 1;
  }
  return found;
}

/** The statement that a person means who has the cursor there. */
export function statementAt(statements: readonly Statement[], text: string, cursor: number) {
  const inside = statements.find(({ start, behind }) => start <= cursor && cursor <= behind);
  if (inside) return inside;
  const before = statements.findLast(({ behind }) => behind < cursor);
  if (before && !text.slice(before.behind, cursor).includes('\n')) return before;
  return statements.find(({ start }) => start > cursor) ?? before;
}

const isWord = (token: Token | undefined, word: string) =>
  token?.kind === 'word' && token.text === word;
const isSemicolon = (token: Token | undefined) => token?.kind === 'sign' && token.text === ';';

const STEPS = ['CASE', 'FOR', 'IF', 'LET', 'LOOP', 'REPEAT', 'RETURN', 'WHILE'];
const OF_TRANSACTIONS = ['WORK', 'TRANSACTION', 'NAME'];

/** Whether the BEGIN before `at` opens a block and not a transaction. */
function opensBlock(tokens: readonly Token[], at: number): boolean {
  let next = at;
  while (isSemicolon(tokens[next])) next += 1;
  const token = tokens[next];
  if (token === undefined || token.text === '->>') return false;
  if (next > at) return STEPS.some((word) => isWord(token, word));
  return !OF_TRANSACTIONS.some((word) => isWord(token, word));
}

function holdsBlock(tokens: readonly Token[], from: number): boolean {
  if (isWord(tokens[from], 'DECLARE')) return true;
  if (isWord(tokens[from], 'BEGIN')) return opensBlock(tokens, from + 1);
  return isRoutineWithBlock(tokens, from);
}

function isRoutineWithBlock(tokens: readonly Token[], from: number): boolean {
  if (!isWord(tokens[from], 'CREATE')) return false;
  const head = tokens.slice(from + 1, from + 7);
  if (!head.some((token) => isWord(token, 'PROCEDURE') || isWord(token, 'FUNCTION'))) return false;
  for (let at = from + 1; at < tokens.length && !isSemicolon(tokens[at]); at += 1) {
    const next = tokens[at + 1];
    const isBody = isWord(next, 'BEGIN') || isWord(next, 'DECLARE');
    if (isWord(tokens[at], 'AS') && isBody) return true;
  }
  return false;
}

const CLOSES_STEP = ['IF', 'FOR', 'WHILE', 'LOOP', 'REPEAT'];

/** The place of the semicolon that ends the statement which begins at `from`, or -1. */
function endOfStatement(tokens: readonly Token[], from: number): number {
  if (!holdsBlock(tokens, from)) {
    let at = from;
    while (at < tokens.length && !isSemicolon(tokens[at])) at += 1;
    return at < tokens.length ? at : -1;
  }
  const declares = isWord(tokens[from], 'DECLARE');
  let depth = 0;
  let begun = false;
  // Procedures that the block declares: each of them ends like a block.
  let procedures = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at];
    const next = tokens[at + 1];
    if (isWord(token, 'CASE')) depth += 1;
    else if (isWord(token, 'BEGIN') && opensBlock(tokens, at + 1)) {
      depth += 1;
      begun = true;
    } else if (isWord(token, 'END')) {
      if (isWord(next, 'CASE')) at += 1;
      if (!CLOSES_STEP.some((word) => isWord(next, word))) depth = Math.max(depth - 1, 0);
    } else if (declares && depth === 0 && !begun && isWord(token, 'PROCEDURE')) procedures += 1;
    else if (isSemicolon(token) && begun && depth === 0) {
      if (procedures === 0) return at;
      procedures -= 1;
      begun = false;
    }
  }
  return -1;
}
