// What the page itself can say about a model: whether the text is YAML at all. The rest is the server's.
import { yamlLanguage } from '@codemirror/lang-yaml';
import type { ModelProblem } from '../api/semanticModels';

const PROBLEMS_MAX = 20;

export function checkYaml(text: string): ModelProblem[] {
  if (text.trim() === '') return [problem('The model is empty.', 1, 1)];
  const problems = [...tabs(text), ...syntaxErrors(text)];
  if (problems.length === 0 && !/^(name|"name"|'name')\s*:/m.test(text)) {
    problems.push(problem('The model has no `name`.', 1, 1));
  }
  return problems.slice(0, PROBLEMS_MAX);
}

function tabs(text: string): ModelProblem[] {
  return text.split('\n').flatMap((line, index) => {
    const found = /^ *\t/.exec(line);
    return found
      ? [problem('A tab stands where YAML takes spaces.', index + 1, found[0].length)]
      : [];
  });
}

function syntaxErrors(text: string): ModelProblem[] {
  const found: ModelProblem[] = [];
  const lines = new Set<number>();
  yamlLanguage.parser.parse(text).iterate({
    enter(node) {
      if (!node.type.isError) return;
      const { line, column } = placeOf(text, node.from);
      // What follows a fault on its line is mostly the fault's own.
      if (lines.has(line)) return;
      lines.add(line);
      found.push(problem('This is not YAML.', line, column));
    },
  });
  return found;
}

/** The line and column of an offset, both from 1. */
function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

function problem(message: string, line: number, column: number): ModelProblem {
  return { message, line, column, severity: 'error' };
}

/** Where a line and column, both from 1, lie in a text. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) return text.length;
    start = end + 1;
  }
  const end = text.indexOf('\n', start);
  return Math.min(start + Math.max(column - 1, 0), end === -1 ? text.length : end);
}
