import { expect, it } from 'vitest';
import { KINDS, type Policy, type PolicyKind } from './policyKinds';
import {
  argumentNames,
  createPolicy,
  type PolicyForm,
  problemOf,
  setOnAccount,
  setOnTable,
} from './policySql';

const EMPTY: PolicyForm = {
  kind: 'masking',
  name: 'hide',
  place: 'demo.public',
  type: 'VARCHAR',
  signature: 'region VARCHAR',
  body: 'val',
  allowed: '',
  blocked: '',
  properties: {},
  methods: [],
  comment: '',
};

function policy(id: PolicyKind['id'], path: string): Policy {
  return { kind: KINDS.find((kind) => kind.id === id) as PolicyKind, row: {}, path };
}

it('creates each kind', () => {
  expect(createPolicy({ ...EMPTY, comment: "it's" })).toBe(
    "CREATE MASKING POLICY demo.public.HIDE AS (val VARCHAR) RETURNS VARCHAR ->\n  val\n COMMENT = 'it''s'",
  );
  expect(createPolicy({ ...EMPTY, kind: 'row access', body: 'TRUE' })).toContain(
    'AS (region VARCHAR) RETURNS BOOLEAN ->\n  TRUE',
  );
  expect(
    createPolicy({ ...EMPTY, kind: 'network', allowed: '10.0.0.0/8, ::1', blocked: ' ' }),
  ).toBe("CREATE NETWORK POLICY HIDE ALLOWED_IP_LIST = ('10.0.0.0/8', '::1')");
  const properties = { PASSWORD_MIN_LENGTH: '14', PASSWORD_HISTORY: '' };
  expect(createPolicy({ ...EMPTY, kind: 'password', properties })).toBe(
    'CREATE PASSWORD POLICY demo.public.HIDE PASSWORD_MIN_LENGTH = 14',
  );
  expect(createPolicy({ ...EMPTY, kind: 'authentication', methods: ['KEYPAIR'] })).toBe(
    "CREATE AUTHENTICATION POLICY demo.public.HIDE AUTHENTICATION_METHODS = ('KEYPAIR')",
  );
});

it('says what is missing', () => {
  expect(problemOf({ ...EMPTY, name: ' ' })).toBe('Name the policy.');
  expect(problemOf({ ...EMPTY, kind: 'row access', signature: 'region' })).toMatch(/types/);
  expect(problemOf({ ...EMPTY, kind: 'session' })).toMatch(/at least one/);
  expect(problemOf({ ...EMPTY, kind: 'password', properties: { A: 'x' } })).toMatch(/numbers/);
  expect(problemOf(EMPTY)).toBeNull();
});

it('reads the arguments of a signature', () => {
  expect(argumentNames('(V VARCHAR, N NUMBER(10, 2), "a b" DATE)')).toEqual(['V', 'N', '"a b"']);
  expect(argumentNames('()')).toEqual([]);
});

it('sets a policy on what it is for', () => {
  const table = { path: 'D.P.T', isView: false };
  expect(setOnTable(policy('masking', 'D.P.M'), table, ['a b'])).toBe(
    'ALTER TABLE D.P.T ALTER COLUMN "a b" SET MASKING POLICY D.P.M',
  );
  expect(setOnTable(policy('masking', 'D.P.M'), { ...table, isView: true }, ['A', 'B'])).toBe(
    'ALTER VIEW D.P.T ALTER COLUMN A SET MASKING POLICY D.P.M USING (A, B)',
  );
  expect(setOnTable(policy('row access', 'D.P.R'), table, ['A'])).toBe(
    'ALTER TABLE D.P.T ADD ROW ACCESS POLICY D.P.R ON (A)',
  );
  expect(setOnAccount(policy('network', 'N'), null)).toBe('ALTER ACCOUNT SET NETWORK_POLICY = N');
  expect(setOnAccount(policy('session', 'D.P.S'), 'ANN')).toBe(
    'ALTER USER ANN SET SESSION POLICY D.P.S',
  );
});
