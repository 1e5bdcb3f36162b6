// The semantic model that a conversation asks: a view, a file on a stage, or a text of the user's own.
import type { ModelSource } from '../api/analyst';
import { scalarText } from './yamlScalar';

export type ModelChoice =
  | { kind: 'view'; path: string }
  | { kind: 'file'; address: string }
  | { kind: 'text'; name: string; yaml: string };

export function modelSource(model: ModelChoice): ModelSource {
  if (model.kind === 'view') return { semantic_view: model.path };
  if (model.kind === 'file') return { semantic_model_file: model.address };
  return { semantic_model: model.yaml };
}

/** As it is called on the page: the last part of its path. */
export function modelName(model: ModelChoice): string {
  if (model.kind === 'text') return model.name;
  if (model.kind === 'file') return model.address.slice(model.address.lastIndexOf('/') + 1);
  const last = /(?:"((?:[^"]|"")+)"|([^."]+))$/.exec(model.path);
  return last?.[1]?.replaceAll('""', '"') ?? last?.[2] ?? model.path;
}

export function modelPlace(model: ModelChoice): string {
  if (model.kind === 'text') return 'not saved';
  return model.kind === 'view' ? model.path : model.address;
}

/** What tells models apart, for what is loaded once per model. */
export function modelKey(model: ModelChoice): string {
  return JSON.stringify(modelSource(model));
}

const NAME =
  /^(?:name|"name"|'name')[ \t]*:[ \t]+("(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*'|[^\s#"'][^\r\n]*)/m;

/** The name that a YAML text gives its model. */
export function nameInYaml(yaml: string): string {
  const written = NAME.exec(yaml)?.[1] ?? '';
  return scalarText(/^["']/.test(written) ? written : written.replace(/\s#.*$/, '')).trim();
}
