// The YAML that is being written: one at a time, kept in this browser until it is saved or thrown away.
import { create } from 'zustand';
import { newRequestId } from '../api/requestId';

export interface ModelDraft {
  id: string;
  yaml: string;
  /** Where it was read from, and goes back to. */
  origin:
    | { kind: 'new' }
    | { kind: 'view'; path: string }
    | { kind: 'file'; address: string; etag: string };
  /** What it was when it was read or saved last. */
  savedYaml: string;
}

const DRAFT_KEY = 'firn.model-draft';

export const useModelDraft = create<{ draft: ModelDraft | null; isShown: boolean }>(() => ({
  draft: keptDraft(),
  isShown: false,
}));

export function editModel(yaml: string, origin: ModelDraft['origin']): void {
  const savedYaml = origin.kind === 'new' ? '' : yaml;
  setDraft({ id: newRequestId(), yaml, origin, savedYaml });
  useModelDraft.setState({ isShown: true });
}

export function changeDraft(changes: Partial<ModelDraft>): void {
  const { draft } = useModelDraft.getState();
  if (draft) setDraft({ ...draft, ...changes });
}

export function closeDraft(): void {
  const { draft } = useModelDraft.getState();
  useModelDraft.setState({ isShown: false });
  if (draft && draft.yaml === draft.savedYaml) setDraft(null);
}

export function throwDraftAway(): void {
  useModelDraft.setState({ isShown: false });
  setDraft(null);
}

function setDraft(draft: ModelDraft | null): void {
  useModelDraft.setState({ draft });
  try {
    if (draft === null) sessionStorage.removeItem(DRAFT_KEY);
    else sessionStorage.setItem(DRAFT_KEY, JSON.stringify(draft));
  } catch {
    // The browser's storage is full; the text stays on the page.
  }
}

function keptDraft(): ModelDraft | null {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFT_KEY) ?? 'null') as ModelDraft | null;
  } catch {
    return null;
  }
}
