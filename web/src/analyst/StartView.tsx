import { Button } from '../components/Button';
import { ErrorNote, Waiting } from '../components/States';
import { type ModelChoice, modelName } from './model';
import { Suggestions } from './Suggestions';
import { useStart } from './start';

/** Before the first question: what the model is about, and questions to begin with. */
export function StartView(props: { model: ModelChoice; onAsk: (question: string) => void }) {
  const { model, onAsk } = props;
  const { start, error, reload } = useStart(model);
  if (error) {
    return (
      <div className="start">
        <ErrorNote
          title={`${modelName(model)} cannot be asked`}
          message={error}
          actions={<Button onPress={reload}>Try again</Button>}
        />
      </div>
    );
  }
  if (!start) return <Waiting>Reading the model …</Waiting>;
  const paragraphs = start.text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
  return (
    <div className="start">
      <h2>Ask {modelName(model)}</h2>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <Suggestions questions={start.suggestions} onAsk={onAsk} label="Questions to begin with" />
      {start.warnings.map((warning) => (
        <p key={warning} className="answer-warning">
          {warning}
        </p>
      ))}
    </div>
  );
}
