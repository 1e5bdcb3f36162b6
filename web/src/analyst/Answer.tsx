import { BadgeCheck, CircleHelp, TriangleAlert } from 'lucide-react';
import type { VerifiedQueryUsed } from '../api/analyst';
import { Button } from '../components/Button';
import { ErrorNote, Spinner } from '../components/States';
import { shownDuration } from '../components/shownTime';
import './Answer.css';
import { AnswerActions } from './AnswerActions';
import { AnswerResult } from './AnswerResult';
import { AnswerSql } from './AnswerSql';
import { certaintyWords } from './certainty';
import { paragraphsOf, sqlOf, suggestionsOf, type Turn, verifiedOf } from './conversation';
import { FollowUps } from './FollowUps';
import type { ModelChoice } from './model';
import { Suggestions } from './Suggestions';
import { Understanding } from './Understanding';

export interface AnswerProps {
  conversationId: string;
  model: ModelChoice;
  turn: Turn;
  /** Its place among the answers of the conversation, from 1. */
  number: number;
  isLast: boolean;
  onAsk: (question: string) => void;
}

export function Answer(props: AnswerProps) {
  const { conversationId, model, turn, number, isLast, onAsk } = props;
  const sql = sqlOf(turn);
  const label = SUGGESTION_LABELS[turn.category ?? ''] ?? 'What can be asked';
  return (
    <article
      className={isLast ? 'turn turn-last' : 'turn'}
      tabIndex={-1}
      aria-label={turn.question}
    >
      <h2 className="turn-question">{turn.question}</h2>
      <StatusLine turn={turn} />
      <Restatement turn={turn} />
      {turn.state === 'failed' && (
        <ErrorNote
          message={turn.error ?? 'The question failed.'}
          actions={<Button onPress={() => onAsk(turn.question)}>Ask again</Button>}
        />
      )}
      {turn.state === 'stopped' && <Button onPress={() => onAsk(turn.question)}>Ask again</Button>}
      <Notes turn={turn} />
      {sql !== null && turn.run && (
        <AnswerResult conversationId={conversationId} turn={turn} number={number} run={turn.run} />
      )}
      {sql !== null && <AnswerSql sql={sql} />}
      {turn.state === 'answered' && (
        <>
          <AnswerActions conversationId={conversationId} model={model} turn={turn} />
          <Understanding conversationId={conversationId} turn={turn} />
        </>
      )}
      <Suggestions questions={suggestionsOf(turn)} label={label} onAsk={onAsk} />
      {isLast && sql !== null && turn.run?.state === 'succeeded' && (
        <FollowUps conversationId={conversationId} model={model} turn={turn} onAsk={onAsk} />
      )}
    </article>
  );
}

const SUGGESTION_LABELS: Record<string, string> = {
  AMBIGUOUS: 'Which of these is meant?',
  ONBOARDING: 'Questions to begin with',
};

/** One line that tells how far it is, and in the end how it ended. */
function StatusLine({ turn }: { turn: Turn }) {
  if (turn.state === 'asking') {
    return (
      <p className="turn-status">
        <Spinner size={14} /> {turn.status} …
      </p>
    );
  }
  if (turn.state === 'failed') return <p className="turn-status">Not answered</p>;
  if (turn.state === 'stopped') return <p className="turn-status">Stopped</p>;
  const took = turn.tookMs === null ? '' : ` in ${shownDuration(turn.tookMs)}`;
  if (sqlOf(turn) === null) {
    return (
      <p className="turn-status">
        {turn.category === 'UNANSWERABLE' && <CircleHelp size={14} aria-hidden="true" />}
        {WITHOUT_SQL[turn.category ?? ''] ?? `Answered${took}`}
      </p>
    );
  }
  const verified = verifiedOf(turn);
  return (
    <p className="turn-status">
      <span>Answered{took}</span>
      {verified ? (
        <VerifiedBadge verified={verified} />
      ) : turn.chosen ? (
        <span>another reading, chosen by you</span>
      ) : (
        turn.confidence !== null && (
          <span className="numbers">{certaintyWords(turn, turn.confidence)}</span>
        )
      )}
    </p>
  );
}

const WITHOUT_SQL: Record<string, string> = {
  UNANSWERABLE: 'This cannot be answered by a query',
  AMBIGUOUS: 'The question can be read in several ways',
  ONBOARDING: 'What can be asked',
};

function VerifiedBadge({ verified }: { verified: VerifiedQueryUsed }) {
  const { name, verified_by: by, verified_at: at } = verified;
  return (
    <span className="verified-badge">
      <BadgeCheck size={14} aria-hidden="true" />
      <span>
        Verified query{name ? ` “${name}”` : ''}
        {by ? ` by ${by}` : ''}
        {at == null ? '' : `, ${verifiedDay(at)}`}, confidence 1.00
      </span>
    </span>
  );
}

/** Seconds since the epoch, or a date as it is written in the model. */
function verifiedDay(at: number | string): string {
  const seconds = Number(at);
  if (!Number.isFinite(seconds)) return String(at);
  return new Date(seconds * (seconds > 1e11 ? 1 : 1000)).toISOString().slice(0, 10);
}

function Restatement({ turn }: { turn: Turn }) {
  const paragraphs = paragraphsOf(turn);
  const hasSql = sqlOf(turn) !== null;
  return (
    <div className="turn-text">
      {paragraphs.map((paragraph, index) => (
        <p
          // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs only grow at the end
          key={index}
          className={index === 0 && hasSql ? 'turn-restatement' : undefined}
        >
          {paragraph}
        </p>
      ))}
    </div>
  );
}

/** What was not used of the question, and what the server warns of. */
function Notes({ turn }: { turn: Turn }) {
  const { unusedWords, warnings } = turn;
  // An answer without SQL mostly says so itself.
  const isSaid = sqlOf(turn) === null && /did not use/.test(paragraphsOf(turn).join(' '));
  const isUnused = unusedWords.length > 0 && turn.chosen === null && !isSaid;
  if (!isUnused && warnings.length === 0) return null;
  return (
    <ul className="turn-notes">
      {isUnused && (
        <li>
          <TriangleAlert size={14} aria-hidden="true" />
          <span>Not used of the question: {unusedWords.map((word) => `‘${word}’`).join(', ')}</span>
        </li>
      )}
      {warnings.map((warning) => (
        <li key={warning} className="answer-warning">
          <TriangleAlert size={14} aria-hidden="true" />
          <span>{warning}</span>
        </li>
      ))}
    </ul>
  );
}
