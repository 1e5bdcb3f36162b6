import { expect, it } from 'vitest';
import { excessOf } from './textLimit';

it('a text that is too long says by how much', () => {
  expect(excessOf('a'.repeat(10_000))).toBeNull();
  expect(excessOf(`${'😀'.repeat(10_000)}  \n`)).toBeNull();
  expect(excessOf('a'.repeat(10_001))).toBe('1 character too many: at most 10,000 can be sent.');
});
