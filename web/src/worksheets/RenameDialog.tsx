import { type FormEvent, useState } from 'react';
import { Button } from '../components/Button';
import { Dialog } from '../components/Dialog';
import { TextField } from '../components/fields';
import { useStoredList } from './storedList';
import { cleanName, type Worksheet } from './worksheet';
import { changeWorksheet, useWorksheets } from './worksheetStore';

export function RenameDialog({
  worksheet,
  onClose,
}: {
  worksheet: Worksheet;
  onClose: () => void;
}) {
  const [name, setName] = useState(worksheet.name);
  const taken = useStoredList((state) => state.names)?.map((stored) => stored.name) ?? [];
  const open = useWorksheets((state) => state.open);
  const cleaned = cleanName(name);
  const isTaken =
    cleaned !== worksheet.name &&
    (taken.includes(cleaned) || open.some((other) => other.name === cleaned));
  const rename = (event: FormEvent) => {
    event.preventDefault();
    if (cleaned === '' || isTaken) return;
    changeWorksheet(worksheet.id, { name: cleaned, saving: 'waiting' });
    onClose();
  };
  return (
    <Dialog title="Rename worksheet" isOpen onClose={onClose} width="small">
      <form onSubmit={rename} className="rename-form">
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          autoFocus
          error={isTaken ? 'There is a worksheet of this name.' : null}
        />
        <Button look="primary" type="submit" isDisabled={cleaned === '' || isTaken}>
          Rename
        </Button>
      </form>
    </Dialog>
  );
}
