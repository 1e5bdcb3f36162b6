import { type ReactNode, useState } from 'react';
import { messageOf } from '../api/failure';
import type { QueryResult } from '../api/query';
import { runScript, scriptText } from '../api/script';
import { announce } from '../components/announce';
import { Button } from '../components/Button';
import { Dialog } from '../components/Dialog';
import { SqlPreview } from '../components/SqlPreview';
import { ErrorNote } from '../components/States';
import { useRole } from '../shell/role';

interface StatementDialogProps {
  title: string;
  /** What the button says. */
  verb: string;
  /** What will run. */
  statements: readonly string[];
  /** The same with secrets hidden, if there are any. */
  shownStatements?: readonly string[];
  /** What is still missing; nothing can run until it is null. */
  problem?: string | null;
  isDangerous?: boolean;
  children?: ReactNode;
  onClose: () => void;
  onDone: (result: QueryResult) => void;
}

/** A form that shows the SQL which it will run. */
export function StatementDialog(props: StatementDialogProps) {
  const { title, verb, statements, shownStatements, problem = null, onClose } = props;
  const role = useRole();
  const [state, setState] = useState<{ isRunning: boolean; error: string | null }>({
    isRunning: false,
    error: null,
  });
  const mayRun = problem === null && statements.length > 0 && !state.isRunning;
  const run = async () => {
    if (!mayRun) return;
    setState({ isRunning: true, error: null });
    try {
      const result = await runScript(statements, { role });
      announce(`${title}: done`);
      props.onDone(result);
      onClose();
    } catch (error) {
      setState({ isRunning: false, error: messageOf(error) });
    }
  };
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      role={props.isDangerous ? 'alertdialog' : 'dialog'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look={props.isDangerous ? 'danger' : 'primary'}
            isDisabled={!mayRun}
            onPress={() => void run()}
          >
            {state.isRunning ? 'Running …' : verb}
          </Button>
        </>
      }
    >
      <form
        className="admin-form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {props.children}
        {/* So that Enter in a field sends the form. */}
        <button type="submit" hidden disabled={!mayRun} />
      </form>
      {problem === null ? (
        <SqlPreview text={scriptText(shownStatements ?? statements)} />
      ) : (
        <p className="secondary">{problem}</p>
      )}
      {state.error && <ErrorNote message={state.error} />}
    </Dialog>
  );
}
