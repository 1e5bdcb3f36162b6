import { type FormEvent, useState } from 'react';
import { keepVerifiedQuery } from '../api/analyst';
import { messageOf } from '../api/failure';
import { Button } from '../components/Button';
import { Dialog } from '../components/Dialog';
import { TextField } from '../components/fields';
import { notify } from '../components/notices';
import { ErrorNote } from '../components/States';
import { CodeView } from '../editor/CodeView';
import { currentRole } from '../shell/role';
import { CheckBox } from './CheckBox';
import { sqlOf, type Turn } from './conversation';
import { changeTurn } from './conversationStore';
import { type ModelChoice, modelName, modelPlace } from './model';
import { saveSoon } from './storedConversations';

interface KeepVerifiedDialogProps {
  conversationId: string;
  model: ModelChoice;
  turn: Turn;
  onClose: () => void;
}

/** Stores a question and its SQL in the model, which answers it so from then on. */
export function KeepVerifiedDialog(props: KeepVerifiedDialogProps) {
  const { conversationId, model, turn, onClose } = props;
  const [name, setName] = useState(turn.question.slice(0, 120));
  const [isOnboarding, setOnboarding] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const sql = sqlOf(turn) ?? '';
  const keep = async (event: FormEvent) => {
    event.preventDefault();
    if (model.kind === 'text') return;
    setSaving(true);
    setError(null);
    const about =
      turn.chosen === null ? { request_id: turn.requestId } : { question: turn.question, sql };
    const target =
      model.kind === 'view'
        ? { semantic_view: model.path }
        : { semantic_model_file: model.address };
    try {
      const rest = { name: name.trim(), use_as_onboarding_question: isOnboarding };
      const kept = await keepVerifiedQuery({ ...about, ...target, ...rest }, currentRole());
      changeTurn(conversationId, turn.id, { keptAs: kept.name ?? name });
      saveSoon(conversationId);
      notify(`“${kept.name ?? name}” is a verified query of ${modelName(model)} now.`);
      onClose();
    } catch (failure) {
      setError(messageOf(failure));
      setSaving(false);
    }
  };
  return (
    <Dialog title="Keep as verified query" isOpen onClose={onClose}>
      {model.kind === 'text' ? (
        <p>
          This model is a text of this conversation only. Save it to a stage or as a semantic view
          first; then ask it there and keep the answer.
        </p>
      ) : (
        <form className="keep-form" onSubmit={(event) => void keep(event)}>
          <p>
            “{turn.question}” will be answered with this SQL, by everybody who asks{' '}
            {modelPlace(model)}. Read it first: you vouch for it with your name.
          </p>
          <CodeView text={sql} label="SQL to keep" />
          <TextField label="Name" value={name} onChange={setName} autoFocus />
          <CheckBox isSelected={isOnboarding} onChange={setOnboarding}>
            Offer it as a question to begin with
          </CheckBox>
          {error && <ErrorNote message={error} />}
          <div className="form-actions">
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={isSaving || name.trim() === ''}>
              {isSaving ? 'Keeping …' : 'Keep'}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
