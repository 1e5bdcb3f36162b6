// Where in a model's YAML the parts are that the server names in words, without a line.
import { yamlLanguage } from '@codemirror/lang-yaml';
import type { ModelProblem } from '../api/semanticModels';
import { placeOf } from './checkYaml';
import { scalarText } from './yamlScalar';

type SyntaxNode = ReturnType<typeof yamlLanguage.parser.parse>['topNode'];

/** Keys of lists, items of lists by their names, and the key that is at fault; shortened where it is not there. */
type Path = readonly Step[];
type Step = { keys: readonly string[] } | { item: string };

const SECTIONS: Record<string, readonly string[]> = {
  dimension: ['dimensions'],
  'time dimension': ['time_dimensions'],
  fact: ['facts', 'measures'],
  metric: ['metrics'],
  filter: ['filters'],
};

/** Gives problems without a place that of what they name. */
export function withPlaces(yaml: string, problems: readonly ModelProblem[]): ModelProblem[] {
  if (problems.every(({ line }) => line !== null)) return [...problems];
  const top = documentOf(yaml);
  return problems.map((problem) => {
    const path = problem.line === null ? pathOf(problem.message) : null;
    const node = path && top && find(yaml, top, path);
    return node ? { ...problem, ...placeOf(yaml, startOf(yaml, node)) } : problem;
  });
}

/** What a check against the data is about, going by the words that its message begins with. */
function pathOf(message: string): Path | null {
  const column =
    /^(dimension|time dimension|fact|metric|filter) `(.+?)` of table `(.+?)` cannot be computed/.exec(
      message,
    );
  if (column) return [...inTable(column[3]), ...item(SECTIONS[column[1] ?? ''], column[2], 'expr')];
  const metric = /^metric `(.+?)` cannot be computed/.exec(message);
  if (metric) return item(['metrics'], metric[1], 'expr');
  const table = /^table `(.+?)` cannot be read/.exec(message);
  if (table) return [...inTable(table[1]), { keys: ['base_table'] }];
  const key = /^the key \(.*\) of table `(.+?)` is /.exec(message);
  if (key) return [...inTable(key[1]), { keys: ['primary_key', 'unique_keys'] }];
  const relationship = /^relationship `(.+?)`/.exec(message);
  if (relationship) return item(['relationships'], relationship[1]);
  const query = /^verified query `(.+?)` cannot be run/.exec(message);
  return query ? item(['verified_queries'], query[1], 'sql') : null;
}

function inTable(name = ''): Step[] {
  return item(['tables'], name);
}

function item(keys: readonly string[] = [], name = '', inside?: string): Step[] {
  return [{ keys }, { item: name }, ...(inside === undefined ? [] : [{ keys: [inside] }])];
}

function documentOf(yaml: string): SyntaxNode | null {
  const document = yamlLanguage.parser.parse(yaml).topNode.getChild('Document');
  return document && contentOf(document);
}

/** The part at the path, or the last item on the way to it. */
function find(yaml: string, top: SyntaxNode, path: Path): SyntaxNode | null {
  let at: SyntaxNode | null = top;
  let found: SyntaxNode | null = null;
  for (const step of path) {
    const next: SyntaxNode | null =
      'keys' in step ? under(yaml, at, step.keys) : named(yaml, at, step.item);
    if (next === null) return found;
    at = next;
    // A whole list is no place.
    if ('item' in step || step === path.at(-1)) found = next;
  }
  return found;
}

function under(yaml: string, mapping: SyntaxNode, keys: readonly string[]): SyntaxNode | null {
  for (const pair of mapping.getChildren('Pair')) {
    const key = pair.getChild('Key');
    if (key && keys.includes(scalarText(textOf(yaml, key)))) return contentOf(pair);
  }
  return null;
}

function named(yaml: string, list: SyntaxNode, name: string): SyntaxNode | null {
  for (const entry of list.getChildren('Item')) {
    const mapping = contentOf(entry);
    const own = mapping && under(yaml, mapping, ['name']);
    if (own && scalarText(textOf(yaml, own)).toUpperCase() === name.toUpperCase()) return mapping;
  }
  return null;
}

const CONTENTS = [
  'BlockMapping',
  'FlowMapping',
  'BlockSequence',
  'FlowSequence',
  'Literal',
  'QuotedLiteral',
  'BlockLiteral',
];

/** What a document, an item or a pair has, below its tag or anchor. */
function contentOf(node: SyntaxNode): SyntaxNode | null {
  for (let child = node.lastChild; child; child = child.prevSibling) {
    if (CONTENTS.includes(child.name)) return child;
    if (child.name === 'Tagged' || child.name === 'Anchored') return contentOf(child);
  }
  return null;
}

function textOf(yaml: string, { from, to }: SyntaxNode): string {
  return yaml.slice(from, to);
}

/** Mappings of a list begin with the space behind the dash. */
function startOf(yaml: string, node: SyntaxNode): number {
  return node.from + (/^\s*/.exec(textOf(yaml, node))?.[0].length ?? 0);
}
