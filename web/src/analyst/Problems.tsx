import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { announce } from '../components/announce';
import type { ModelChecks } from './useModelChecks';

interface ProblemsProps {
  checks: ModelChecks;
  /** Nobody has looked whether its tables and columns are there. */
  isOfText: boolean;
  onGo: (line: number, column: number) => void;
}

/** What is wrong with a model. A click goes to the place. */
export function Problems({ checks, isOfText, onGo }: ProblemsProps) {
  const { problems, isChecking, by, error } = checks;
  const summary = summaryOf(checks);
  useEffect(() => {
    if (!isChecking) announce(summary);
  }, [isChecking, summary]);
  return (
    <div className="problems">
      <p className="problems-summary" data-checking={isChecking}>
        {problems.length === 0 && !error && <CircleCheck size={14} aria-hidden="true" />}
        {summary}
        {by === 'server' && isOfText && problems.length === 0 && !error && (
          <span className="secondary">
            Whether its tables and columns are there was not looked at: tick the box for that.
          </span>
        )}
        {by === 'page' && problems.length === 0 && !error && (
          <span className="secondary">The server checks the rest when it is asked.</span>
        )}
      </p>
      <ul>
        {problems.map(({ message, line, column, severity }) => (
          <li key={`${line} ${column} ${message}`} className={`problem problem-${severity}`}>
            <AriaButton
              className="problem-place"
              isDisabled={line === null}
              onPress={() => line !== null && onGo(line, column ?? 1)}
            >
              {severity === 'error' ? (
                <CircleAlert size={14} aria-label="Error" />
              ) : (
                <TriangleAlert size={14} aria-label="Warning" />
              )}
              {line !== null && (
                <span className="numbers secondary">
                  {line}:{column ?? 1}
                </span>
              )}
              <span>{message}</span>
            </AriaButton>
          </li>
        ))}
      </ul>
    </div>
  );
}

function summaryOf({ problems, error, by }: ModelChecks): string {
  if (error) return `The server could not check: ${error}`;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  if (problems.length === 0) return by === 'server' ? 'No problems.' : 'This is YAML.';
  const parts = [
    errors > 0 ? `${errors} ${errors === 1 ? 'error' : 'errors'}` : '',
    warnings > 0 ? `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}` : '',
  ];
  return `${parts.filter((part) => part !== '').join(', ')}.`;
}
