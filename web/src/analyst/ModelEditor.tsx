import type { EditorView } from '@codemirror/view';
import { MessageCircleQuestionMark, Save, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../components/Button';
import { CheckBox } from './CheckBox';
import {
  changeConversation,
  shownConversation,
  startConversation,
  useConversations,
} from './conversationStore';
import { keepModel } from './localConversations';
import './ModelEditor.css';
import { type ModelChoice, nameInYaml } from './model';
import { changeDraft, closeDraft, type ModelDraft, throwDraftAway } from './modelDraft';
import { Problems } from './Problems';
import { SaveModelDialog } from './SaveModelDialog';
import { forgetStarts } from './start';
import { useModelChecks } from './useModelChecks';
import { goToPlace, markProblems, yamlEditor } from './yamlEditor';

export function ModelEditor({ draft }: { draft: ModelDraft }) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  const first = useRef(draft.yaml);
  const [connect, setConnect] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const checks = useModelChecks(draft.yaml, connect);
  useEffect(() => {
    if (place.current === null) return;
    const view = yamlEditor(place.current, first.current, (yaml) => changeDraft({ yaml }));
    editor.current = view;
    view.focus();
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, []);
  useEffect(() => {
    if (editor.current) markProblems(editor.current, checks.problems);
  }, [checks.problems]);
  const isSaved = draft.yaml === draft.savedYaml;
  return (
    <section className="model-editor" aria-label="Model">
      <div className="model-editor-head">
        <span className="dialogue-model">
          <strong className="one-line">{nameInYaml(draft.yaml) || 'A model without a name'}</strong>
          <span className="secondary one-line">{originOf(draft, isSaved)}</span>
        </span>
        <Button icon={Save} onPress={() => setSaving(true)}>
          Save …
        </Button>
        <Button
          look="primary"
          icon={MessageCircleQuestionMark}
          onPress={() => askModel(draft, isSaved)}
        >
          Ask it
        </Button>
        <IconButton icon={X} label="Close the model" onPress={closeDraft} />
      </div>
      <div className="model-editor-text" ref={place} data-part="editor" />
      <div className="model-editor-foot" data-part="problems">
        <div className="model-editor-options">
          <CheckBox isSelected={connect} onChange={setConnect}>
            Check against the data too
          </CheckBox>
          {!isSaved && (
            <Button look="quiet" onPress={throwDraftAway}>
              Throw the changes away
            </Button>
          )}
        </div>
        <Problems
          checks={checks}
          isOfText={!connect}
          onGo={(line, column) => editor.current && goToPlace(editor.current, line, column)}
        />
      </div>
      {isSaving && <SaveModelDialog draft={draft} onClose={() => setSaving(false)} />}
    </section>
  );
}

function originOf({ origin }: ModelDraft, isSaved: boolean): string {
  if (origin.kind === 'new') return 'not saved';
  const from = origin.kind === 'view' ? origin.path : origin.address;
  return isSaved ? from : `${from}, changed`;
}

/** Asks what is saved under its own name, and what was changed as a text of the conversation. */
function askModel(draft: ModelDraft, isSaved: boolean): void {
  const { origin, yaml } = draft;
  const model: ModelChoice =
    isSaved && origin.kind === 'view'
      ? { kind: 'view', path: origin.path }
      : isSaved && origin.kind === 'file'
        ? { kind: 'file', address: origin.address }
        : { kind: 'text', name: nameInYaml(yaml) || 'A model without a name', yaml };
  const { user } = useConversations.getState();
  if (user !== null && model.kind !== 'text') keepModel(user, model);
  forgetStarts();
  closeDraft();
  const shown = shownConversation();
  if (shown && shown.turns.length === 0) changeConversation(shown.id, { model });
  else startConversation(model);
}
