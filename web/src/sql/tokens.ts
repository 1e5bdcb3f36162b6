// The words of a text in the dialect, as the server's tokenizer reads them: what stands inside of
// strings, quoted names, `$$` bodies and comments is left alone.

export type TokenKind = 'word' | 'quoted' | 'string' | 'number' | 'comment' | 'sign';

export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
  /** As written; of words and signs only, in upper case. */
  text: string;
}

const SPACE = /\s/;
const WORD_START = /[\p{L}_]/u;
const WORD = /[\p{L}\p{N}_$]/u;
const DIGIT = /[0-9]/;

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const here = text.charAt(at);
    if (SPACE.test(here)) {
      at += 1;
      continue;
    }
    const kind = kindAt(text, at);
    const end = endOf(kind, text, at);
    const asCode = kind === 'word' || kind === 'sign';
    tokens.push({ kind, start: at, end, text: asCode ? text.slice(at, end).toUpperCase() : '' });
    at = end;
  }
  return tokens;
}

export function codeOf(tokens: readonly Token[]): Token[] {
  return tokens.filter((token) => token.kind !== 'comment');
}

function kindAt(text: string, at: number): TokenKind {
  const here = text.charAt(at);
  const two = text.slice(at, at + 2);
  if (two === '--' || two === '//' || two === '/*') return 'comment';
  if (here === "'" || two === '$$') return 'string';
  if (here === '"') return 'quoted';
  if (DIGIT.test(here)) return 'number';
  if (WORD_START.test(here)) return 'word';
  return 'sign';
}

function endOf(kind: TokenKind, text: string, at: number): number {
  if (kind === 'comment') return endOfComment(text, at);
  if (kind === 'string' && text.startsWith('$$', at)) return behind(text, '$$', at + 2);
  if (kind === 'string') return endOfQuotes(text, at, "'", true);
  if (kind === 'quoted') return endOfQuotes(text, at, '"', false);
  if (kind === 'sign') return at + (text.startsWith('->>', at) ? 3 : 1);
  let end = at + 1;
  while (end < text.length && WORD.test(text.charAt(end))) end += 1;
  return end;
}

function endOfComment(text: string, at: number): number {
  if (text.startsWith('/*', at)) return behind(text, '*/', at + 2);
  const line = text.indexOf('\n', at);
  return line === -1 ? text.length : line;
}

function behind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}

function endOfQuotes(text: string, at: number, quote: string, escapes: boolean): number {
  let end = at + 1;
  while (end < text.length) {
    const here = text.charAt(end);
    if (escapes && here === '\\') end += 2;
    else if (here === quote && text.charAt(end + 1) === quote) end += 2;
    else if (here === quote) return end + 1;
    else end += 1;
  }
  return text.length;
}
