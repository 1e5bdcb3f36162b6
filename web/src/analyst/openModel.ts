// Reads the YAML of a model and shows it in the editor.
import { readViewYaml } from '../api/semanticModels';
import { readFile } from '../api/stageFiles';
import { parseStageAddress } from '../api/stagePath';
import { currentRole } from '../shell/role';
import type { ModelChoice } from './model';
import { editModel } from './modelDraft';

export async function openModelForEditing(model: ModelChoice): Promise<void> {
  const role = currentRole();
  if (model.kind === 'text') return editModel(model.yaml, { kind: 'new' });
  if (model.kind === 'view') {
    const yaml = await readViewYaml(model.path, role);
    return editModel(yaml, { kind: 'view', path: model.path });
  }
  const parsed = parseStageAddress(model.address);
  if (parsed === null) throw new Error(`${model.address} is no path of a file on a named stage.`);
  const file = await readFile({ ...parsed.place, role }, parsed.path);
  if (file === null) throw new Error(`${model.address} is not there any more.`);
  editModel(file.text, { kind: 'file', address: model.address, etag: file.etag });
}
