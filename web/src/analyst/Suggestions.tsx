import { CornerDownRight } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import './Suggestions.css';

interface SuggestionsProps {
  questions: readonly string[];
  label: string;
  onAsk: (question: string) => void;
}

/** Questions that are asked by a click. */
export function Suggestions({ questions, label, onAsk }: SuggestionsProps) {
  if (questions.length === 0) return null;
  return (
    <div className="suggestions">
      <h3>{label}</h3>
      <ul aria-label={label}>
        {questions.map((question) => (
          <li key={question}>
            <AriaButton className="suggestion" onPress={() => onAsk(question)}>
              <CornerDownRight size={14} aria-hidden="true" />
              <span>{question}</span>
            </AriaButton>
          </li>
        ))}
      </ul>
    </div>
  );
}
