// What a scalar of YAML says: quotes are taken away, escapes resolved, lines folded.

const ESCAPES: Record<string, string> = {
  0: '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

const BREAK = /[ \t]*\r?\n[ \t]*((?:\r?\n[ \t]*)*)/g;
const ESCAPED =
  /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r?\n[ \t]*)|([^\r\n]))|[ \t]*\r?\n[ \t]*((?:\r?\n[ \t]*)*)/g;

/** The text of a plain or quoted scalar as it stands in a document. */
export function scalarText(written: string): string {
  const text = written.trim();
  if (text.startsWith('"')) return unescaped(text.replace(/^"|"$/g, ''));
  if (text.startsWith("'")) return folded(text.replace(/^'|'$/g, '').replaceAll("''", "'"));
  return folded(text);
}

function unescaped(text: string): string {
  return text.replace(ESCAPED, (all, x, u, long, joined, one, breaks) => {
    const code = x ?? u ?? long;
    if (code !== undefined) return characterOf(Number.parseInt(code, 16)) ?? all;
    if (joined !== undefined) return '';
    if (one !== undefined) return ESCAPES[one] ?? one;
    return breakOf(breaks ?? '');
  });
}

function characterOf(code: number): string | null {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : null;
}

function folded(text: string): string {
  return text.replace(BREAK, (_, breaks: string) => breakOf(breaks));
}

/** One end of a line is a space, and each empty line behind it a line break. */
function breakOf(emptyLines: string): string {
  const lines = emptyLines.split('\n').length - 1;
  return lines === 0 ? ' ' : '\n'.repeat(lines);
}
