// Names and values of the forms as they stand in SQL.
import { sqlName, sqlText } from '../sql/names';

/** A name as it was typed: without quotes in mind, letters count as upper case. */
export function typedName(text: string): string {
  const name = text.trim();
  return sqlName(/^[A-Za-z_][A-Za-z0-9_$]*$/.test(name) ? name.toUpperCase() : name);
}

const PATH =
  /^(?:[A-Za-z_][\w$]*|"(?:[^"]|"")+")(?:\.(?:[A-Za-z_][\w$]*|"(?:[^"]|"")+"))*(?:\([\w ,()]*\))?$/;

/** A path as SQL writes it stays; anything else is one name. */
export function pathOf(text: string): string {
  const path = text.trim();
  return PATH.test(path) ? path : sqlName(path);
}

/** SHOW GRANTS writes names of roles as SQL has them. */
export function bareName(shown: string): string {
  return /^".*"$/.test(shown) ? shown.slice(1, -1).replaceAll('""', '"') : shown;
}

/** ` COMMENT = 'x'`, or nothing where nothing was typed. */
export function option(name: string, value: string): string {
  const text = value.trim();
  return text === '' ? '' : ` ${name} = ${sqlText(text)}`;
}

export const SECRET_SHOWN = '••••••••';
