import { ChevronRight } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import type { Reading } from '../api/analyst';
import { messageOf } from '../api/failure';
import { Waiting } from '../components/States';
import { CodeView } from '../editor/CodeView';
import { chooseReading, explainTurn } from './asking';
import { isDoubtful } from './certainty';
import { otherReadings, sqlOf, type Turn } from './conversation';
import { focusTurn } from './focusTurn';
import './Understanding.css';

interface UnderstandingProps {
  conversationId: string;
  turn: Turn;
}

/** How the question was read: what its words were taken for, and how else it can be read. */
export function Understanding({ conversationId, turn }: UnderstandingProps) {
  const [isShown, setShown] = useState(sqlOf(turn) !== null && isDoubtful(turn));
  const id = useId();
  return (
    <div className="understanding">
      <AriaButton
        className="understanding-head"
        aria-expanded={isShown}
        aria-controls={isShown ? id : undefined}
        onPress={() => setShown(!isShown)}
      >
        <ChevronRight size={14} aria-hidden="true" />
        How it was understood
      </AriaButton>
      {isShown && (
        <div id={id} className="understanding-body">
          <Explanation conversationId={conversationId} turn={turn} />
        </div>
      )}
    </div>
  );
}

function Explanation({ conversationId, turn }: UnderstandingProps) {
  const [error, setError] = useState<string | null>(null);
  const isKnown = turn.links !== null;
  useEffect(() => {
    if (isKnown) return;
    explainTurn(conversationId, turn.id).catch((failure: unknown) => setError(messageOf(failure)));
  }, [isKnown, conversationId, turn.id]);
  if (error) return <p className="secondary">{error}</p>;
  if (!isKnown) return <Waiting>Asking how it was read …</Waiting>;
  const others = otherReadings(turn);
  const isOther = sqlOf(turn) !== null;
  const choose = (reading: Reading | null, button: Element) => {
    focusTurn(button);
    void chooseReading(conversationId, turn.id, reading);
  };
  return (
    <>
      <Links turn={turn} />
      {turn.chosen && (
        <AriaButton
          className="reading-choice reading-back"
          onPress={({ target }) => choose(null, target)}
        >
          Back to the first reading
        </AriaButton>
      )}
      {others.length === 0 ? (
        <p className="secondary">The analyst tells no other reading of this question.</p>
      ) : (
        <h3>{isOther ? 'Other readings' : 'How it could be read'}</h3>
      )}
      <ul className="readings">
        {others.map((reading) => (
          <OtherReading
            key={reading.sql}
            reading={reading}
            onChoose={(target) => choose(reading, target)}
          />
        ))}
      </ul>
    </>
  );
}

const TARGETS_SHOWN = 4;

function Links({ turn }: { turn: Turn }) {
  const { unusedWords } = turn;
  const links = turn.links ?? [];
  if (links.length === 0) return null;
  return (
    <table className="links">
      <caption className="visually-hidden">What the words of the question were taken for</caption>
      <thead>
        <tr>
          <th scope="col">Words</th>
          <th scope="col">Taken for</th>
        </tr>
      </thead>
      <tbody>
        {links.map(({ text, targets }) => (
          <tr key={text}>
            <th scope="row">{text}</th>
            <td className="mono">
              {targets.slice(0, TARGETS_SHOWN).join(', ')}
              {targets.length > TARGETS_SHOWN && ` and ${targets.length - TARGETS_SHOWN} more`}
            </td>
          </tr>
        ))}
        {unusedWords.map((word) => (
          <tr key={`unused ${word}`}>
            <th scope="row">{word}</th>
            <td className="secondary">not used</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface OtherReadingProps {
  reading: Reading;
  onChoose: (button: Element) => void;
}

function OtherReading({ reading, onChoose }: OtherReadingProps) {
  const [isShown, setShown] = useState(false);
  const { restatement, sql, explained } = reading;
  return (
    <li className="reading">
      <div className="reading-head">
        <AriaButton className="reading-choice" onPress={({ target }) => onChoose(target)}>
          {restatement}
        </AriaButton>
        {explained !== undefined && explained < 0.995 && (
          <span className="secondary numbers">
            uses {Math.round(explained * 100)} % of the words
          </span>
        )}
        <AriaButton
          className="reading-sql"
          aria-expanded={isShown}
          aria-label={`SQL of: ${restatement}`}
          onPress={() => setShown(!isShown)}
        >
          SQL
        </AriaButton>
      </div>
      {isShown && <CodeView text={sql} label={`SQL of: ${restatement}`} />}
    </li>
  );
}
