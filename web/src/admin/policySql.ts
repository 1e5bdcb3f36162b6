// The statements of the forms for policies.
import { sqlName, sqlText } from '../sql/names';
import type { Policy, PolicyKind } from './policyKinds';
import { option, pathOf, typedName } from './sqlParts';

export interface PolicyForm {
  kind: PolicyKind['id'];
  name: string;
  /** Database and schema, as SQL has them. */
  place: string;
  /** The type of a mask's value. */
  type: string;
  /** The arguments of a row filter with their types. */
  signature: string;
  body: string;
  allowed: string;
  blocked: string;
  /** Values of properties by name; empty ones keep the server's default. */
  properties: Readonly<Record<string, string>>;
  methods: readonly string[];
  comment: string;
}

export const PROPERTIES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  password: [
    ['PASSWORD_MIN_LENGTH', 'Least length'],
    ['PASSWORD_MIN_UPPER_CASE_CHARS', 'Upper-case letters'],
    ['PASSWORD_MIN_LOWER_CASE_CHARS', 'Lower-case letters'],
    ['PASSWORD_MIN_NUMERIC_CHARS', 'Digits'],
    ['PASSWORD_MIN_SPECIAL_CHARS', 'Other characters'],
    ['PASSWORD_HISTORY', 'Old ones that are refused'],
    ['PASSWORD_MAX_AGE_DAYS', 'Days until it must change'],
    ['PASSWORD_MAX_RETRIES', 'Wrong tries until it locks'],
    ['PASSWORD_LOCKOUT_TIME_MINS', 'Minutes that it is locked'],
  ],
  session: [
    ['SESSION_IDLE_TIMEOUT_MINS', 'Idle minutes until a session ends'],
    ['SESSION_UI_IDLE_TIMEOUT_MINS', 'Idle minutes in the console'],
  ],
};

export const METHODS = ['PASSWORD', 'KEYPAIR', 'OAUTH', 'PROGRAMMATIC_ACCESS_TOKEN'] as const;

/** The expression that a mask begins with: what the value is for those who may not see it. */
export function firstMask(type: string): string {
  const hidden = type === 'VARCHAR' ? "'***'" : 'NULL';
  return `CASE WHEN IS_ROLE_IN_SESSION('ACCOUNTADMIN') THEN val ELSE ${hidden} END`;
}

export const FIRST_FILTER = "IS_ROLE_IN_SESSION('ACCOUNTADMIN') OR region = 'north'";

/** What is missing, or null. */
export function problemOf(form: PolicyForm): string | null {
  if (form.name.trim() === '') return 'Name the policy.';
  if (form.kind !== 'network' && form.place.trim() === '') {
    return 'Name its schema as SQL does: DATABASE.SCHEMA.';
  }
  if (form.kind === 'row access' && argumentNames(form.signature).length === 0) {
    return 'Name the columns that it looks at, with their types: region VARCHAR.';
  }
  if ((form.kind === 'masking' || form.kind === 'row access') && form.body.trim() === '') {
    return 'Write the expression.';
  }
  if (form.kind === 'network' && addresses(form.allowed + form.blocked).length === 0) {
    return 'Name addresses: 203.0.113.0/24.';
  }
  if (form.kind === 'authentication' && form.methods.length === 0) return 'Choose a method.';
  const typed = Object.values(form.properties).filter((value) => value.trim() !== '');
  if (PROPERTIES[form.kind] && typed.length === 0) return 'Set at least one property.';
  return typed.every((value) => /^\s*\d+\s*$/.test(value)) ? null : 'Properties are numbers.';
}

export function createPolicy(form: PolicyForm): string {
  const name = typedName(form.name);
  const path = form.kind === 'network' ? name : `${pathOf(form.place)}.${name}`;
  const comment = option('COMMENT', form.comment);
  switch (form.kind) {
    case 'masking':
      return (
        `CREATE MASKING POLICY ${path} AS (val ${form.type}) RETURNS ${form.type} ->\n` +
        `  ${form.body.trim()}${comment && `\n${comment}`}`
      );
    case 'row access':
      return (
        `CREATE ROW ACCESS POLICY ${path} AS (${form.signature.trim()}) RETURNS BOOLEAN ->\n` +
        `  ${form.body.trim()}${comment && `\n${comment}`}`
      );
    case 'network': {
      const blocked = addresses(form.blocked);
      return (
        `CREATE NETWORK POLICY ${path} ALLOWED_IP_LIST = (${listed(addresses(form.allowed))})` +
        `${blocked.length > 0 ? ` BLOCKED_IP_LIST = (${listed(blocked)})` : ''}${comment}`
      );
    }
    case 'authentication':
      return (
        `CREATE AUTHENTICATION POLICY ${path} ` +
        `AUTHENTICATION_METHODS = (${listed(form.methods)})${comment}`
      );
    default:
      return `CREATE ${form.kind.toUpperCase()} POLICY ${path}${properties(form)}${comment}`;
  }
}

function properties({ kind, properties: values }: PolicyForm): string {
  return (PROPERTIES[kind] ?? [])
    .filter(([name]) => (values[name] ?? '').trim() !== '')
    .map(([name]) => ` ${name} = ${values[name]?.trim()}`)
    .join('');
}

function addresses(text: string): string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== '');
}

const listed = (values: readonly string[]) => values.map(sqlText).join(', ');

/** The names of "(V VARCHAR, O NUMBER(10, 2))", with or without the brackets. */
export function argumentNames(signature: string): string[] {
  const text = signature.trim().replace(/^\(([\s\S]*)\)$/, '$1');
  return text
    .split(/,(?![^(]*\))/)
    .map((one) => /^\s*("(?:[^"]|"")+"|\S+)\s+\S/.exec(one)?.[1] ?? '')
    .filter((name) => name !== '');
}

export interface Target {
  path: string;
  isView: boolean;
}

/** Sets a mask or a row filter. Its arguments take the columns, in this order. */
export function setOnTable(policy: Policy, target: Target, columns: readonly string[]): string {
  const object = `${target.isView ? 'VIEW' : 'TABLE'} ${target.path}`;
  const names = columns.map((column) => sqlName(column));
  if (policy.kind.id === 'row access') {
    return `ALTER ${object} ADD ROW ACCESS POLICY ${policy.path} ON (${names.join(', ')})`;
  }
  const using = names.length > 1 ? ` USING (${names.join(', ')})` : '';
  return `ALTER ${object} ALTER COLUMN ${names[0] ?? ''} SET MASKING POLICY ${policy.path}${using}`;
}

/** Sets a policy of the account, or of a user. */
export function setOnAccount({ kind, path }: Policy, user: string | null): string {
  const on = user === null ? 'ACCOUNT' : `USER ${sqlName(user)}`;
  return kind.id === 'network'
    ? `ALTER ${on} SET NETWORK_POLICY = ${path}`
    : `ALTER ${on} SET ${kind.words} ${path}`;
}
