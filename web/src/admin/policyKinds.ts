import type { Row } from './useAdminQuery';

export interface PolicyKind {
  id: 'masking' | 'row access' | 'network' | 'password' | 'session' | 'authentication';
  /** As CREATE, DESC and DROP call it. */
  words: string;
  /** As SHOW calls all of them. */
  plural: string;
}

export const KINDS: readonly PolicyKind[] = [
  { id: 'masking', words: 'MASKING POLICY', plural: 'MASKING POLICIES' },
  { id: 'row access', words: 'ROW ACCESS POLICY', plural: 'ROW ACCESS POLICIES' },
  { id: 'network', words: 'NETWORK POLICY', plural: 'NETWORK POLICIES' },
  { id: 'password', words: 'PASSWORD POLICY', plural: 'PASSWORD POLICIES' },
  { id: 'session', words: 'SESSION POLICY', plural: 'SESSION POLICIES' },
  { id: 'authentication', words: 'AUTHENTICATION POLICY', plural: 'AUTHENTICATION POLICIES' },
];

export interface Policy {
  kind: PolicyKind;
  row: Row;
  /** Its name in SQL. */
  path: string;
}

export const policyId = ({ kind, path }: Policy) => `${kind.words} ${path}`;

/** Masks and row filters belong to columns and tables, the others to the account and to users. */
export function isOfTables({ id }: PolicyKind): boolean {
  return id === 'masking' || id === 'row access';
}
