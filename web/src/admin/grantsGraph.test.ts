import { expect, test } from 'vitest';
import { grantsGraph } from './grantsGraph';
import type { Roles } from './useRoles';

function roles(parts: Partial<Roles>): Roles {
  const names = parts.names ?? ['LEAD', 'READER', 'SPARE', 'PUBLIC'];
  const note = { users: 0, above: 0, below: 0, comment: null, owner: null };
  const holdings = parts.holdings ?? [
    { holder: 'ANN', kind: 'user', role: 'LEAD' },
    { holder: 'LEAD', kind: 'role', role: 'READER' },
  ];
  const count = (kind: string, role: string) =>
    holdings.filter((one) => one.kind === kind && one.role === role).length;
  const noted = names.map(
    (name) => [name, { ...note, users: count('user', name), above: count('role', name) }] as const,
  );
  return { names, notes: new Map(noted), holdings, users: ['ANN', 'BEN'], notAsked: 0, ...parts };
}

const detailOf = (graph: ReturnType<typeof grantsGraph>, name: string) =>
  graph.nodes.find((node) => node.name === name)?.detail;

test('a user without a role and a role that nobody has are nodes without a line', () => {
  const graph = grantsGraph(roles({}), '', null);
  expect(detailOf(graph, 'BEN')).toBe('user without a role');
  expect(detailOf(graph, 'ANN')).toBe('user');
  expect(detailOf(graph, 'SPARE')).toBe('granted to nobody');
  expect(detailOf(graph, 'READER')).toBe('0 users');
  expect(detailOf(graph, 'PUBLIC')).toBe('everybody');
  expect(graph.edges.flatMap(({ above, below }) => [above, below])).not.toContain('user BEN');
  expect(graph.rolesLeftOut).toBe(0);
});

test('users without a role are found by a part of their name', () => {
  const found = grantsGraph(roles({}), 'be', null);
  expect(found.nodes.map(({ name }) => name)).toEqual(['BEN']);
});

test('of too many the others are counted', () => {
  const users = Array.from({ length: 42 }, (_, index) => `U${index}`);
  const names = ['LEAD', 'READER', ...Array.from({ length: 200 }, (_, index) => `R${index}`)];
  const graph = grantsGraph(roles({ users, names: names.toReversed() }), '', {
    role: 'R199',
    grants: [],
  });
  expect(detailOf(graph, '12 more users')).toBe('without a role');
  expect(graph.rolesLeftOut).toBe(82);
  const shown = graph.nodes.map(({ name }) => name);
  expect(shown).toEqual(expect.arrayContaining(['LEAD', 'READER', 'R199', 'U0', 'U29']));
  expect(shown).not.toContain('U30');
});

test('nobody is said to be without a role where not all roles were asked', () => {
  const graph = grantsGraph(roles({ notAsked: 3 }), '', null);
  expect(graph.nodes.map(({ name }) => name)).not.toContain('BEN');
  expect(grantsGraph(roles({ users: null }), '', null).nodes).toHaveLength(5);
});
