import { Check, CircleAlert } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { notify } from '../components/notices';
import { Tip } from '../components/Tip';
import { saveNow } from './saving';
import type { Worksheet } from './worksheet';
import { worksheetOf } from './worksheetStore';

/** Whether the server has the text. A failure says why, and a click tries again. */
export function SaveState({ worksheet }: { worksheet: Worksheet }) {
  const { id, saving, saveError, stored } = worksheet;
  if (saving === 'failed') {
    return (
      <Tip text={saveError ?? 'The server did not take it. Click to try again.'}>
        <AriaButton
          className="save-state save-state-failed button"
          onPress={() => void tryAgain(id)}
        >
          <CircleAlert size={14} aria-hidden="true" />
          Not saved
        </AriaButton>
      </Tip>
    );
  }
  if (saving === 'saved' && stored === null) return <span className="save-state" />;
  return (
    <span className="save-state">
      {saving === 'saved' ? (
        <>
          <Check size={14} aria-hidden="true" />
          Saved
        </>
      ) : (
        'Saving …'
      )}
    </span>
  );
}

async function tryAgain(id: string): Promise<void> {
  await saveNow(id);
  const after = worksheetOf(id);
  if (after?.saving === 'failed')
    notify(`Not saved: ${after.saveError ?? 'the server refused it'}`);
}
