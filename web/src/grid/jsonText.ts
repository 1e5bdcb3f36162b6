// JSON as it comes over the wire: indented, with numbers of any length and, for SQL NULL inside an
// array, the word `undefined`. Text is reshaped without parsing, so that numbers stay as they are.

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** One line, a blank after colons and commas. */
export function jsonInOneLine(text: string): string {
  if (!/[\n\r\t]/.test(text)) return text;
  return joinTokens(text, (token) => token);
}

/** Strict JSON in one line: what JSON has no word for becomes null or text. */
export function strictJson(text: string): string {
  return joinTokens(text, (token) => {
    if (token === 'undefined') return 'null';
    return /^-?(?:NaN|inf|Infinity)$/i.test(token) ? JSON.stringify(token) : token;
  });
}

function joinTokens(text: string, rewrite: (token: string) => string): string {
  let line = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ',' || token === ':') line += `${token} `;
    else line += rewrite(token);
  }
  return line.trimEnd();
}

export type JsonNode =
  | { kind: 'object'; entries: readonly (readonly [string, JsonNode])[] }
  | { kind: 'array'; items: readonly JsonNode[] }
  | { kind: 'string'; text: string }
  /** Numbers as written, true, false, null, undefined. */
  | { kind: 'word'; text: string };

/** Null if the text is not JSON or nested deeper than a tree can show. */
export function parseJson(text: string): JsonNode | null {
  const tokens = text.matchAll(TOKEN);
  try {
    const node = readValue(next(tokens), tokens, 0);
    return tokens.next().done ? node : null;
  } catch {
    return null;
  }
}

const DEPTH_MAX = 200;
type Tokens = IterableIterator<RegExpMatchArray>;

function next(tokens: Tokens): string {
  const result = tokens.next();
  if (result.done) throw new SyntaxError('ends early');
  return result.value[0];
}

function readValue(token: string, tokens: Tokens, depth: number): JsonNode {
  if (depth > DEPTH_MAX) throw new SyntaxError('too deep');
  if (token === '{') return readObject(tokens, depth);
  if (token === '[') return readArray(tokens, depth);
  if (token.startsWith('"')) return { kind: 'string', text: String(JSON.parse(token)) };
  if (/^(?:true|false|null|undefined|-?(?:\d.*|NaN|inf|Infinity))$/.test(token)) {
    return { kind: 'word', text: token };
  }
  throw new SyntaxError('unexpected token');
}

function readObject(tokens: Tokens, depth: number): JsonNode {
  const entries: [string, JsonNode][] = [];
  let token = next(tokens);
  while (token !== '}') {
    if (entries.length > 0) {
      expect(token, ',');
      token = next(tokens);
    }
    const name = String(JSON.parse(token));
    expect(next(tokens), ':');
    entries.push([name, readValue(next(tokens), tokens, depth + 1)]);
    token = next(tokens);
  }
  return { kind: 'object', entries };
}

function readArray(tokens: Tokens, depth: number): JsonNode {
  const items: JsonNode[] = [];
  let token = next(tokens);
  while (token !== ']') {
    if (items.length > 0) {
      expect(token, ',');
      token = next(tokens);
    }
    items.push(readValue(token, tokens, depth + 1));
    token = next(tokens);
  }
  return { kind: 'array', items };
}

function expect(token: string, wanted: string): void {
  if (token !== wanted) throw new SyntaxError(`expected ${wanted}`);
}
