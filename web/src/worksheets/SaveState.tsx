import { Check, CircleAlert } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { Tip } from '../components/Tip';
import { saveNow } from './saving';
import type { Worksheet } from './worksheet';

/** Whether the server has the text. A failure says why, and a click tries again. */
export function SaveState({ worksheet }: { worksheet: Worksheet }) {
  const { id, saving, saveError, stored } = worksheet;
  if (saving === 'failed') {
    return (
      <Tip text={saveError ?? 'The server did not take it. Click to try again.'}>
        <AriaButton
          className="save-state save-state-failed button"
          onPress={() => void saveNow(id)}
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
