import { Copy, Download, Ellipsis, Pencil, Play, Square, Trash2, WandSparkles } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../components/Button';
import { MenuButton, MenuItem, MenuLine } from '../components/Menu';
import { shownKeys } from '../shell/shortcuts';
import { splitStatements } from '../sql/split';
import {
  cancelHere,
  deleteWorksheet,
  downloadText,
  duplicateHere,
  formatShown,
  runAll,
  runAtCursor,
} from './actions';
import { ContextPickers } from './ContextPickers';
import { useShownEditor } from './editorStates';
import { RenameDialog } from './RenameDialog';
import { isRunning, type Run } from './run/run';
import { statementsToRun } from './run/runHere';
import { SaveState } from './SaveState';
import { useElapsed } from './useElapsed';
import './Toolbar.css';
import { Tip } from '../components/Tip';
import type { Worksheet } from './worksheet';

export function Toolbar({ worksheet, run }: { worksheet: Worksheet; run: Run | null }) {
  return (
    <div className="toolbar" role="toolbar" aria-label="Worksheet">
      <RunButtons text={worksheet.text} run={isRunning(run) ? run : null} />
      <ContextPickers worksheet={worksheet} />
      <div className="toolbar-end">
        <SaveState worksheet={worksheet} />
        <IconButton
          icon={WandSparkles}
          label="Format"
          keys={shownKeys('Shift+Alt+F')}
          onPress={() => void formatShown()}
        />
        <MoreMenu worksheet={worksheet} />
      </div>
    </div>
  );
}

/** While something runs, Cancel stands where Run stood. */
function RunButtons({ text, run }: { text: string; run: Run | null }) {
  const count = splitStatements(text).length;
  return (
    <div className="toolbar-run">
      {run ? <CancelButton run={run} /> : <RunHereButton text={text} />}
      {count > 1 && (
        <Tip text={`Run all (${shownKeys('Mod+Shift+Enter')})`}>
          <Button onPress={runAll} isDisabled={run !== null}>{`Run all ${count}`}</Button>
        </Tip>
      )}
    </div>
  );
}

function CancelButton({ run }: { run: Run }) {
  const seconds = (useElapsed(run) / 1000).toFixed(1);
  return (
    <Tip text={`Cancel (${shownKeys('Esc, Mod+.')})`}>
      <Button icon={Square} onPress={cancelHere}>
        {`Cancel · ${seconds} s`}
      </Button>
    </Tip>
  );
}

function RunHereButton({ text }: { text: string }) {
  const selection = useShownEditor((state) => state.selection);
  const isSelected = selection.from !== selection.to;
  const here = statementsToRun(text, selection).length;
  const selected = here > 1 ? `Run ${here} selected` : 'Run selection';
  const words = isSelected ? selected : 'Run statement';
  return (
    <Tip text={`${words} (${shownKeys('Mod+Enter')})`}>
      <Button look="primary" icon={Play} onPress={runAtCursor} isDisabled={here === 0}>
        {words}
      </Button>
    </Tip>
  );
}

function MoreMenu({ worksheet }: { worksheet: Worksheet }) {
  const [isRenaming, setRenaming] = useState(false);
  return (
    <>
      <MenuButton
        label="More"
        placement="bottom end"
        button={<IconButton icon={Ellipsis} label="More" />}
      >
        <MenuItem icon={Pencil} onAction={() => setRenaming(true)}>
          Rename
        </MenuItem>
        <MenuItem icon={Copy} onAction={duplicateHere}>
          Duplicate
        </MenuItem>
        <MenuItem icon={Download} onAction={downloadText}>
          Download as text
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} danger onAction={() => void deleteWorksheet(worksheet.id)}>
          Delete
        </MenuItem>
      </MenuButton>
      {isRenaming && <RenameDialog worksheet={worksheet} onClose={() => setRenaming(false)} />}
    </>
  );
}
