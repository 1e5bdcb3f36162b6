import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { beforeEach, expect, it, vi } from 'vitest';

vi.stubGlobal('sessionStorage', { getItem: () => null });
const { useCatalog } = await import('../api/catalog');
const { completeSql } = await import('./completion');

const table = (name: string) => ({
  database: 'DEMO',
  schema: 'PUBLIC',
  name,
  kind: 'table' as const,
  columns: [{ name: 'ID', type: 'NUMBER', comment: null }],
});

beforeEach(() => {
  const tables = [table('ORDERS'), table('PRODUCTS')];
  const schemas = [
    { name: 'INFORMATION_SCHEMA', tables: [] },
    { name: 'PUBLIC', tables },
  ];
  useCatalog.setState({ databases: [{ name: 'DEMO', schemas }] });
});

/** What is offered at the end of a text, or at its `|`, the likeliest first. */
async function offered(marked: string): Promise<string[]> {
  const at = marked.includes('|') ? marked.indexOf('|') : marked.length;
  const state = EditorState.create({ doc: marked.replace('|', '') });
  const complete = completeSql(() => ({ database: 'DEMO', schema: 'PUBLIC' }));
  const result = await complete(new CompletionContext(state, at, false));
  const options = [...(result?.options ?? [])];
  return options
    .sort((one, other) => (other.boost ?? 0) - (one.boost ?? 0))
    .map(({ label }) => label);
}

it.each([
  ['select * from demo.', ['public', 'information_schema']],
  ['select * from demo.p', ['public', 'information_schema']],
  ['select * from demo.|\nwhere id = 1', ['public', 'information_schema']],
  ['insert into demo.', ['public', 'information_schema']],
  ['select * from public.', ['orders', 'products']],
  ['select * from demo.public.', ['orders', 'products']],
  ['select * from orders.', ['id']],
  ['select o.| from orders o', ['id']],
])('%s', async (text, expected) => {
  expect(await offered(text)).toEqual(expected);
});
