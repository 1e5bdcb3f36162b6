import { PanelLeft, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { IconButton } from '../components/Button';
import { useIsNarrow } from '../components/useDevice';
import { shownKeys } from '../shell/shortcuts';
import { closeHere, newWorksheet } from './actions';
import { RenameDialog } from './RenameDialog';
import { toggleSide } from './side';
import './WorksheetTabs.css';
import type { Worksheet } from './worksheet';
import { activate, useWorksheets } from './worksheetStore';

export function WorksheetTabs() {
  const { open, activeId } = useWorksheets();
  const [renamed, setRenamed] = useState<Worksheet | null>(null);
  const isNarrow = useIsNarrow();
  return (
    <>
      <IconButton
        icon={PanelLeft}
        label="Worksheets and tables"
        onPress={() => toggleSide(isNarrow)}
      />
      <nav className="worksheet-tabs" aria-label="Open worksheets" data-part="worksheets">
        <ul>
          {open.map((worksheet) => (
            <WorksheetTab
              key={worksheet.id}
              worksheet={worksheet}
              isActive={worksheet.id === activeId}
              onRename={() => setRenamed(worksheet)}
            />
          ))}
        </ul>
        <IconButton
          icon={Plus}
          label="New worksheet"
          keys={shownKeys('Alt+T')}
          onPress={newWorksheet}
        />
      </nav>
      {renamed && <RenameDialog worksheet={renamed} onClose={() => setRenamed(null)} />}
    </>
  );
}

interface WorksheetTabProps {
  worksheet: Worksheet;
  isActive: boolean;
  onRename: () => void;
}

function WorksheetTab({ worksheet, isActive, onRename }: WorksheetTabProps) {
  const { id, name, saving } = worksheet;
  const isUnsaved = saving === 'failed' || worksheet.conflict !== null;
  return (
    <li
      className="worksheet-tab"
      data-active={isActive || undefined}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      }}
      onAuxClick={(event) => event.button === 1 && void closeHere(id)}
      onDoubleClick={onRename}
    >
      <AriaButton
        className="worksheet-tab-name one-line"
        aria-current={isActive ? 'page' : undefined}
        onPress={() => activate(id)}
      >
        {name}
        {isUnsaved && <span title="Not saved on the server"> *</span>}
      </AriaButton>
      <AriaButton
        className="worksheet-tab-close"
        aria-label={`Close ${name}`}
        onPress={() => void closeHere(id)}
      >
        <X size={13} aria-hidden="true" />
      </AriaButton>
    </li>
  );
}
