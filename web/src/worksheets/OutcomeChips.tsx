import { Ban, Check, CircleAlert, CircleDashed, type LucideIcon, SkipForward } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Spinner } from '../components/States';
import { shownDuration } from '../components/shownTime';
import type { Outcome, OutcomeState, Run } from './run/run';

const ICONS: Record<Exclude<OutcomeState, 'running'>, LucideIcon> = {
  waiting: CircleDashed,
  succeeded: Check,
  failed: CircleAlert,
  cancelled: Ban,
  skipped: SkipForward,
};

export const STATE_WORDS: Record<OutcomeState, string> = {
  waiting: 'waits',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  skipped: 'did not run',
};

/** One for every statement of a script, with its state and time. */
export function OutcomeChips({ run, onSelect }: { run: Run; onSelect: (index: number) => void }) {
  return (
    <nav className="outcome-chips" aria-label="Statements of the run">
      {run.outcomes.map((outcome, index) => (
        <Chip
          // biome-ignore lint/suspicious/noArrayIndexKey: a statement's number is what it is
          key={index}
          outcome={outcome}
          number={index + 1}
          isSelected={index === run.selected}
          onSelect={() => onSelect(index)}
        />
      ))}
    </nav>
  );
}

interface ChipProps {
  outcome: Outcome;
  number: number;
  isSelected: boolean;
  onSelect: () => void;
}

function Chip({ outcome, number, isSelected, onSelect }: ChipProps) {
  const { state, tookMs, text } = outcome;
  const place = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isSelected) place.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isSelected]);
  const took = tookMs === null ? '' : shownDuration(tookMs);
  return (
    <AriaButton
      ref={place}
      className={`outcome-chip outcome-${state}`}
      aria-pressed={isSelected}
      aria-label={`Statement ${number}, ${STATE_WORDS[state]} ${took}: ${text.slice(0, 80)}`}
      onPress={onSelect}
    >
      <StateIcon state={state} />
      <span>{number}</span>
      <span className="outcome-chip-text one-line">{text.slice(0, 40)}</span>
      {took && <span className="secondary numbers">{took}</span>}
    </AriaButton>
  );
}

export function StateIcon({ state }: { state: OutcomeState }) {
  if (state === 'running') return <Spinner size={14} />;
  const Icon = ICONS[state];
  return <Icon size={14} aria-hidden="true" className={`state-icon state-${state}`} />;
}
