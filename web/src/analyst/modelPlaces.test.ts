import { describe, expect, it } from 'vitest';
import { withPlaces } from './modelPlaces';

const YAML = `name: shop
tables:
- name: orders
  base_table: {database: DEMO, schema: PUBLIC, table: ORDERS}
  primary_key: {columns: [status]}
  dimensions:
  - name: status
    expr: STATUS_NOPE
  facts:
  - {name: amount, expr: "NOPE"}
  filters:
  - name: status
    expr: >
      NO = 1
- base_table:
    table: NOWHERE
  name: "it's"
relationships:
- name: way
  left_table: orders
metrics:
- name: status
  expr: SUM(x)
verified_queries:
- name: how many
  question: q
  sql: SELECT 1
`;

const placed = (message: string, yaml = YAML) => {
  const problem = { message, line: null, column: null, severity: 'error' as const };
  const [found] = withPlaces(yaml, [problem]);
  return found?.line == null ? null : `${found.line}:${found.column}`;
};

describe('what a check against the data names', () => {
  it.each([
    ['dimension `status` of table `orders` cannot be computed: error line 1 at position 8', '8:11'],
    ['fact `AMOUNT` of table `orders` cannot be computed: x', '10:26'],
    ['filter `status` of table `orders` cannot be computed: x', '13:11'],
    ["table `it's` cannot be read: Object 'A.B.NOWHERE' does not exist", '16:5'],
    ['the key (status) of table `orders` is not unique: 3 rows have 2 different keys', '5:16'],
    ['relationship `way`: 3 rows of `orders` refer to no row of `x`', '19:3'],
    ['metric `status` cannot be computed: x', '23:9'],
    ['verified query `how many` cannot be run: x', '27:8'],
  ])('%s', (message, place) => expect(placed(message)).toBe(place));

  it('is its item where the part is not there', () => {
    const yaml = 'tables:\n- name: orders\n  dimensions:\n  - name: status\n';
    expect(placed('dimension `status` of table `orders` cannot be computed: x', yaml)).toBe('4:5');
    expect(placed('table `orders` cannot be read: x', yaml)).toBe('2:3');
  });

  it('has no place if it is not in the text', () => {
    expect(placed('table `gone` cannot be read: x')).toBeNull();
    expect(placed('something else')).toBeNull();
    expect(placed('table `orders` cannot be read: x', '')).toBeNull();
  });

  it('keeps the place that the server gives', () => {
    const message = 'table `orders` cannot be read: x';
    const problem = { message, line: 1, column: 1, severity: 'error' as const };
    expect(withPlaces(YAML, [problem])).toEqual([problem]);
  });
});
