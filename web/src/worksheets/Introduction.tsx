import { X } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useCatalog } from '../api/catalog';
import { Button, IconButton } from '../components/Button';
import { runAtCursor } from './actions';
import { appendStatement } from './insert';
import './Introduction.css';
import { activeWorksheet, changeContext } from './worksheetStore';

const CLOSED_KEY = 'firn.introduction.closed';
const FIRST_QUESTION = 'What was the revenue by month?';
const FIRST_STATEMENT = `SELECT DATE_TRUNC('month', ordered_at) AS month, SUM(total_amount) AS revenue
FROM DEMO.PUBLIC.ORDERS
GROUP BY 1
ORDER BY 1`;

/** Shown until it is closed, where the demo data are. */
export function Introduction() {
  const [isClosed, setClosed] = useState(() => localStorage.getItem(CLOSED_KEY) !== null);
  const hasDemo = useCatalog(({ databases }) => databases?.some(({ name }) => name === 'DEMO'));
  const [, go] = useLocation();
  if (isClosed || !hasDemo) return null;
  const close = () => {
    localStorage.setItem(CLOSED_KEY, 'yes');
    setClosed(true);
  };
  const run = () => {
    close();
    const worksheet = activeWorksheet();
    if (worksheet) changeContext(worksheet.id, { database: 'DEMO', schema: 'PUBLIC' });
    appendStatement(FIRST_STATEMENT);
    runAtCursor();
  };
  return (
    <div className="introduction">
      <div>
        <h2>Look around in the demo data</h2>
        <p className="secondary">
          An outdoor retailer: orders, customers, products, returns. Its semantic view answers
          questions in plain English.
        </p>
      </div>
      <div className="introduction-actions">
        <Button look="primary" onPress={run}>
          Run a first statement
        </Button>
        <Button
          onPress={() => {
            close();
            go(`/analyst?question=${encodeURIComponent(FIRST_QUESTION)}`);
          }}
        >
          Ask a first question
        </Button>
      </div>
      <IconButton icon={X} label="Close for good" onPress={close} />
    </div>
  );
}
