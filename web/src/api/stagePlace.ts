// Stages, and where their files are over HTTP.
import { sqlName } from '../sql/names';

/** A named stage, or that of a table. Names are as the catalog has them. */
export interface NamedStage {
  database: string;
  schema: string;
  stage: string;
  isOfTable?: boolean;
  role?: string | null;
}

/** The user's own stage, which is in no database. */
export interface OwnStage {
  isOwn: true;
  role?: string | null;
}

export type StagePlace = NamedStage | OwnStage;

export const OWN_STAGE: OwnStage = { isOwn: true };

/** The address of a stage's files, or of one of them. Its names stand there as in SQL. */
export function stageFilesAddress(place: StagePlace, path?: string): string {
  const parts = [...stageParts(place), 'files', ...(path?.split('/') ?? [])];
  return `/api/v2/${parts.map(encodeURIComponent).join('/')}`;
}

function stageParts(place: StagePlace): string[] {
  if ('isOwn' in place) return ['stages', '~'];
  const { database, schema, stage, isOfTable } = place;
  const inSql = `${isOfTable ? '%' : ''}${sqlName(stage)}`;
  return ['databases', sqlName(database), 'schemas', sqlName(schema), 'stages', inSql];
}
