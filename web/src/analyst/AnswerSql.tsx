import { useState } from 'react';
import { Button } from '../components/Button';
import { CodeView } from '../editor/CodeView';
import './AnswerSql.css';

const LINES_FOLDED = 6;

/** The SQL of an answer, of which six lines are shown at first. */
export function AnswerSql({ sql }: { sql: string }) {
  const [isFolded, setFolded] = useState(true);
  const lines = sql.split('\n');
  const isLong = lines.length > LINES_FOLDED;
  const shown = isFolded && isLong ? lines.slice(0, LINES_FOLDED).join('\n') : sql;
  return (
    <div className="answer-sql">
      <CodeView text={shown} label="SQL" />
      {isLong && (
        <Button look="quiet" aria-expanded={!isFolded} onPress={() => setFolded(!isFolded)}>
          {isFolded ? `Show all ${lines.length} lines` : 'Show less'}
        </Button>
      )}
    </div>
  );
}
