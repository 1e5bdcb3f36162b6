import { SendHorizontal, Square } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { Button } from '../components/Button';
import './QuestionBox.css';
import { excessOf } from './textLimit';

const EXCESS = 'question-excess';

interface QuestionBoxProps {
  /** What is asked. */
  name: string;
  /** Asked before, the latest last. */
  questions: readonly string[];
  isWorking: boolean;
  onAsk: (question: string) => void;
  onStop: () => void;
}

export function QuestionBox({ name, questions, isWorking, onAsk, onStop }: QuestionBoxProps) {
  const [text, setText] = useState('');
  /** Which of the earlier questions stands in the field; null: none. */
  const [recalled, setRecalled] = useState<number | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const excess = excessOf(text);
  const send = () => {
    if (text.trim() === '' || isWorking || excess !== null) return;
    onAsk(text);
    setText('');
    setRecalled(null);
    field.current?.focus();
  };
  const recall = (at: number | null) => {
    const question = at === null ? '' : (questions[at] ?? '');
    setRecalled(at);
    setText(question);
    setTimeout(() => field.current?.setSelectionRange(question.length, question.length));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const isUntouched = text === '' || (recalled !== null && text === questions[recalled]);
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === 'ArrowUp' && isUntouched && questions.length > 0) {
      event.preventDefault();
      recall(Math.max((recalled ?? questions.length) - 1, 0));
    } else if (event.key === 'ArrowDown' && isUntouched && recalled !== null) {
      event.preventDefault();
      recall(recalled + 1 < questions.length ? recalled + 1 : null);
    }
  };
  return (
    <form
      className="question-box"
      data-part="question"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {excess !== null && (
        <p id={EXCESS} className="question-excess" role="alert">
          {excess}
        </p>
      )}
      <textarea
        ref={field}
        className="question-input"
        data-part-focus
        aria-label={`Question about ${name}`}
        placeholder={`Ask about ${name}`}
        rows={1}
        aria-invalid={excess !== null}
        aria-describedby={excess === null ? undefined : EXCESS}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setRecalled(null);
        }}
        onKeyDown={onKeyDown}
        // biome-ignore lint/a11y/noAutofocus: the page is there for asking
        autoFocus
      />
      {isWorking ? (
        <Button icon={Square} onPress={onStop}>
          Stop
        </Button>
      ) : (
        <Button
          look="primary"
          icon={SendHorizontal}
          type="submit"
          isDisabled={text.trim() === '' || excess !== null}
        >
          Ask
        </Button>
      )}
    </form>
  );
}

/** The field is there after the next drawing. */
export function focusQuestion(): void {
  setTimeout(() => document.querySelector<HTMLElement>('.question-input')?.focus(), 50);
}
