import { expect, it } from 'vitest';
import { parseUse } from './useStatement';

const cases: [string, ReturnType<typeof parseUse>][] = [
  ['use role analyst', { role: 'ANALYST' }],
  ['USE WAREHOUSE "small"', { warehouse: 'small' }],
  ['use demo', { database: 'DEMO' }],
  ['use database demo', { database: 'DEMO' }],
  ['use schema public', { schema: 'PUBLIC' }],
  ['use schema demo."My Schema"', { database: 'DEMO', schema: 'My Schema' }],
  ['use demo.public -- now', { database: 'DEMO', schema: 'PUBLIC' }],
  ['use secondary roles all', null],
  ['select 1', null],
];

for (const [statement, expected] of cases) {
  it(statement, () => expect(parseUse(statement)).toEqual(expected));
}
