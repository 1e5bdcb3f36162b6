// `@DATABASE.SCHEMA.STAGE/path/of/file.yaml`: written and read.
import { sqlPath } from '../sql/names';
import type { NamedStage } from './stagePlace';

export function stageAddress(
  { database, schema, stage }: Pick<NamedStage, 'database' | 'schema' | 'stage'>,
  path: string,
): string {
  return `@${sqlPath(database, schema, stage)}/${path}`;
}

const PART = '("(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_$]*)';
const ADDRESS = new RegExp(String.raw`^@${PART}\.${PART}\.${PART}/(.+)$`);

/** Null: it is no full address of a file on a named stage. */
export function parseStageAddress(
  address: string,
): { place: { database: string; schema: string; stage: string }; path: string } | null {
  const found = ADDRESS.exec(address.trim());
  if (found === null) return null;
  const [, database = '', schema = '', stage = '', path = ''] = found;
  if (path.endsWith('/') || path.startsWith('/')) return null;
  return {
    place: { database: nameOf(database), schema: nameOf(schema), stage: nameOf(stage) },
    path,
  };
}

function nameOf(part: string): string {
  return part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part.toUpperCase();
}
