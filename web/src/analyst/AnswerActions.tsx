import { BadgeCheck, Copy, Play, SquareTerminal, ThumbsDown, ThumbsUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { giveFeedback } from '../api/analyst';
import { messageOf } from '../api/failure';
import { announce } from '../components/announce';
import { Button, IconButton } from '../components/Button';
import { copyText } from '../components/copyText';
import { TextField } from '../components/fields';
import { notify } from '../components/notices';
import { openWorksheet } from '../worksheets/open';
import { cleanName } from '../worksheets/worksheet';
import { runTurn } from './asking';
import { sqlOf, type Turn, verifiedOf } from './conversation';
import { changeTurn } from './conversationStore';
import { focusTurn } from './focusTurn';
import { KeepVerifiedDialog } from './KeepVerifiedDialog';
import type { ModelChoice } from './model';
import { saveSoon } from './storedConversations';
import { excessOf } from './textLimit';

interface AnswerActionsProps {
  conversationId: string;
  model: ModelChoice;
  turn: Turn;
}

/** What can be done with an answer, and what the asker thinks of it. */
export function AnswerActions({ conversationId, model, turn }: AnswerActionsProps) {
  const sql = sqlOf(turn);
  const [isKeeping, setKeeping] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const copy = () => {
    if (sql === null) return;
    void copyText(sql).then((copied) => notify(copied ? 'The SQL is copied.' : 'Not copied.'));
  };
  const edit = () => {
    if (sql !== null) openWorksheet({ name: cleanName(turn.question.slice(0, 60)), text: sql });
  };
  return (
    <>
      <div className="answer-actions" ref={place}>
        {sql !== null && (
          <>
            <Button icon={SquareTerminal} onPress={edit}>
              Edit in worksheet
            </Button>
            <IconButton icon={Copy} label="Copy the SQL" onPress={copy} />
            <IconButton
              icon={Play}
              label="Run again"
              isDisabled={turn.run?.state === 'running'}
              onPress={() => void runTurn(conversationId, turn.id)}
            />
            {verifiedOf(turn) === null && turn.keptAs === null && (
              <Button look="quiet" icon={BadgeCheck} onPress={() => setKeeping(true)}>
                Keep as verified
              </Button>
            )}
            {turn.keptAs !== null && (
              <span className="secondary">Kept as verified query “{turn.keptAs}”</span>
            )}
          </>
        )}
        <Feedback conversationId={conversationId} turn={turn} />
      </div>
      {isKeeping && (
        <KeepVerifiedDialog
          conversationId={conversationId}
          model={model}
          turn={turn}
          onClose={() => {
            setKeeping(false);
            focusTurn(place.current);
          }}
        />
      )}
    </>
  );
}

function Feedback({ conversationId, turn }: { conversationId: string; turn: Turn }) {
  const [isNoting, setNoting] = useState(false);
  const [note, setNote] = useState(turn.feedback?.note ?? '');
  const [error, setError] = useState<string | null>(null);
  const give = async (positive: boolean, words: string) => {
    setError(null);
    try {
      await giveFeedback(turn.requestId, positive, words.trim());
      changeTurn(conversationId, turn.id, { feedback: { positive, note: words.trim() } });
      saveSoon(conversationId);
      announce('Thank you. The server has kept it.');
      return true;
    } catch (failure) {
      setError(messageOf(failure));
      return false;
    }
  };
  const press = (positive: boolean) => {
    setNoting(true);
    void give(positive, note);
  };
  const close = (element: Element) => {
    focusTurn(element);
    setNoting(false);
  };
  const positive = turn.feedback?.positive ?? null;
  return (
    <div className="feedback">
      <span className="feedback-thumb" data-chosen={positive === true}>
        <IconButton
          icon={ThumbsUp}
          label={positive === true ? 'Good answer, given' : 'Good answer'}
          onPress={() => press(true)}
        />
      </span>
      <span className="feedback-thumb" data-chosen={positive === false}>
        <IconButton
          icon={ThumbsDown}
          label={positive === false ? 'Bad answer, given' : 'Bad answer'}
          onPress={() => press(false)}
        />
      </span>
      {isNoting && positive !== null && (
        <form
          className="feedback-note"
          onSubmit={(event) => {
            event.preventDefault();
            const form = event.currentTarget;
            void give(positive, note).then((given) => given && close(form));
          }}
        >
          <TextField
            label={positive ? 'What was good? (optional)' : 'What was wrong? (optional)'}
            value={note}
            onChange={setNote}
            error={excessOf(note)}
            autoFocus
          />
          <Button type="submit" isDisabled={excessOf(note) !== null}>
            Send note
          </Button>
          <Button look="quiet" onPress={({ target }) => close(target)}>
            No note
          </Button>
        </form>
      )}
      {!isNoting && turn.feedback?.note && (
        <span className="secondary one-line">Your note: {turn.feedback.note}</span>
      )}
      {error && <span className="feedback-error">{error}</span>}
    </div>
  );
}
