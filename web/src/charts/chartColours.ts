// Hues that stay apart for people who see few of them, chosen for 3:1 against both backgrounds.
const PALETTE = [
  '#2f78d4',
  '#d9622b',
  '#1f9d76',
  '#b0489f',
  '#a37c00',
  '#6a61d1',
  '#c9405a',
  '#3a93a8',
  '#7d8a2e',
  '#8d6e5c',
] as const;

export const OTHERS_COLOUR = '#7b8794';

/** The same name has the same colour in every chart, unless two names of one chart collide: then
 * the later in the alphabet takes the next free one. */
export function seriesColours(names: readonly string[]): Map<string, string> {
  const colours = new Map<string, string>();
  const taken = new Set<number>();
  for (const name of [...new Set(names)].sort()) {
    if (name === 'others') {
      colours.set(name, OTHERS_COLOUR);
      continue;
    }
    let index = hash(name) % PALETTE.length;
    for (let step = 0; step < PALETTE.length && taken.has(index); step++) {
      index = (index + 1) % PALETTE.length;
    }
    taken.add(index);
    colours.set(name, PALETTE[index] ?? PALETTE[0]);
  }
  return colours;
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 16_777_619) >>> 0;
  }
  return value >>> 4;
}
