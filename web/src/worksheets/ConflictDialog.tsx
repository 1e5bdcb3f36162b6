import { Button } from '../components/Button';
import { Dialog } from '../components/Dialog';
import { CodeView } from '../editor/CodeView';
import './ConflictDialog.css';
import { keepMine } from './saving';
import { parseContent, type Stored, type Worksheet } from './worksheet';
import { addWorksheet, changeWorksheet, freeName } from './worksheetStore';

/** The worksheet was changed elsewhere after it was read here: the person chooses. */
export default function ConflictDialog(props: { worksheet: Worksheet; theirs: Stored }) {
  const { worksheet, theirs } = props;
  const other = parseContent(theirs.content);
  const takeTheirs = () => {
    changeWorksheet(worksheet.id, { ...other, stored: theirs, conflict: null, saving: 'saved' });
  };
  const keepBoth = () => {
    const { name, text, context } = worksheet;
    takeTheirs();
    addWorksheet({ name: freeName(name), text, context });
  };
  return (
    <Dialog
      title={`“${worksheet.name}” was changed elsewhere`}
      isOpen
      onClose={keepBoth}
      width="large"
      role="alertdialog"
      actions={
        <>
          <Button onPress={takeTheirs}>Take theirs</Button>
          <Button onPress={() => keepMine(worksheet)}>Keep mine</Button>
          <Button look="primary" onPress={keepBoth}>
            Keep both
          </Button>
        </>
      }
    >
      <p>
        The server has another text than the one that was opened here, written in another window or
        on another machine.
      </p>
      <div className="conflict-texts">
        <section>
          <h3>Mine</h3>
          <CodeView text={worksheet.text} label="My text" />
        </section>
        <section>
          <h3>Theirs</h3>
          <CodeView text={other.text} label="The server's text" />
        </section>
      </div>
    </Dialog>
  );
}
