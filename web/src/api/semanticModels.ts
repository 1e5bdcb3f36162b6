// Semantic models that can be asked: views, files on stages, and texts; reading, checking and saving.
import { type ModelSource, roleHeader } from './analyst';
import { ApiFailure } from './failure';
import { sendJson } from './http';
import { runObjects, runQuery, sqlPath, sqlText } from './query';
import { listFiles } from './stageFiles';
import { stageAddress } from './stagePath';

export interface SemanticViewEntry {
  database: string;
  schema: string;
  name: string;
  /** As SQL and the analyst take it. */
  path: string;
  comment: string;
}

export async function listSemanticViews(
  role: string | null,
  signal?: AbortSignal,
): Promise<SemanticViewEntry[]> {
  const rows = await runObjects('SHOW SEMANTIC VIEWS IN ACCOUNT', { role }, signal);
  return rows.map(({ database_name, schema_name, name, comment }) => ({
    database: database_name ?? '',
    schema: schema_name ?? '',
    name: name ?? '',
    path: sqlPath(database_name ?? '', schema_name ?? '', name ?? ''),
    comment: comment ?? '',
  }));
}

export interface StageEntry {
  database: string;
  schema: string;
  stage: string;
}

export async function listStages(role: string | null, signal?: AbortSignal): Promise<StageEntry[]> {
  const rows = await runObjects('SHOW STAGES IN ACCOUNT', { role }, signal);
  return rows
    .filter(({ type }) => type === 'INTERNAL')
    .map(({ database_name, schema_name, name }) => ({
      database: database_name ?? '',
      schema: schema_name ?? '',
      stage: name ?? '',
    }));
}

export interface ModelFile {
  /** `@DATABASE.SCHEMA.STAGE/path.yaml`. */
  address: string;
  path: string;
  changedMs: number;
}

/** Stages that are looked into; the path of a file on another can be typed. */
export const STAGES_MAX = 40;

export interface ModelFiles {
  files: ModelFile[];
  /** How many stages were not looked into, or could not be read. */
  stagesLeft: number;
}

export async function listModelFiles(
  role: string | null,
  signal?: AbortSignal,
): Promise<ModelFiles> {
  const stages = await listStages(role, signal);
  const files: ModelFile[] = [];
  let stagesLeft = Math.max(stages.length - STAGES_MAX, 0);
  await Promise.all(
    stages.slice(0, STAGES_MAX).map(async (place) => {
      try {
        for (const file of await listFiles({ ...place, role }, '', signal)) {
          if (!/\.ya?ml$/i.test(file.path)) continue;
          const address = stageAddress(place, file.path);
          files.push({ address, path: file.path, changedMs: file.lastModified });
        }
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        stagesLeft += 1;
      }
    }),
  );
  files.sort((one, other) => (one.address < other.address ? -1 : 1));
  return { files, stagesLeft };
}

/** The YAML of a semantic view. */
export async function readViewYaml(
  path: string,
  role: string | null,
  signal?: AbortSignal,
): Promise<string> {
  const statement = `SELECT SYSTEM$READ_YAML_FROM_SEMANTIC_VIEW(${sqlText(path)})`;
  const { rows } = await runQuery(statement, { role }, signal);
  return rows[0]?.[0] ?? '';
}

/** The statement that makes a view of a model, or makes it anew. */
export function viewStatement(schema: string, yaml: string): string {
  return `CALL SYSTEM$CREATE_SEMANTIC_VIEW_FROM_YAML(${sqlText(schema)}, ${sqlText(yaml)})`;
}

export async function saveAsView(
  schema: string,
  yaml: string,
  role: string | null,
): Promise<string> {
  const { rows } = await runQuery(viewStatement(schema, yaml), { role });
  return rows[0]?.[0] ?? 'The semantic view is made.';
}

export interface ModelProblem {
  message: string;
  /** Both from 1; null where the server names no place. */
  line: number | null;
  column: number | null;
  severity: 'error' | 'warning';
}

interface Finding {
  message: string;
  line?: number | null;
  column?: number | null;
}

/** What the server finds wrong with a model. Null: this server cannot check. */
export async function validateModel(
  model: ModelSource,
  role: string | null,
  connect: boolean,
  signal?: AbortSignal,
): Promise<ModelProblem[] | null> {
  try {
    const body = { ...model, connect };
    const options = { headers: roleHeader(role), signal };
    const response = await sendJson('/api/v2/assistant/analyst/validate', body, options);
    const found = (await response.json()) as { errors?: Finding[]; warnings?: Finding[] };
    return [
      ...(found.errors ?? []).map((one) => problemOf(one, 'error')),
      ...(found.warnings ?? []).map((one) => problemOf(one, 'warning')),
    ];
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.code === '390404' || error.status === 405) return null;
    if (error.code === '392700') return [problemOf({ message: error.message }, 'error')];
    throw error;
  }
}

/** Some messages name the place in words: "line 3, column 1: …". */
function problemOf(finding: Finding, severity: ModelProblem['severity']): ModelProblem {
  const place = /line (\d+), column (\d+)/.exec(finding.message);
  return {
    message: finding.message,
    line: finding.line ?? (place ? Number(place[1]) : null),
    column: finding.column ?? (place ? Number(place[2]) : null),
    severity,
  };
}
