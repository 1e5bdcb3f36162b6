import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { refreshCatalog } from '../api/catalog';
import { IconButton } from '../components/Button';
import { SearchField } from '../components/fields';
import { ObjectTree } from './ObjectTree';
import './SidePanel.css';
import { StoredWorksheets } from './StoredWorksheets';
import { refreshList } from './storedList';

type Part = 'tables' | 'worksheets';

export function SidePanel({ onDone }: { onDone?: () => void }) {
  const [part, setPart] = useState<Part>('tables');
  const [text, setText] = useState('');
  const refresh = () => void (part === 'tables' ? refreshCatalog() : refreshList());
  return (
    <>
      <div className="side-head">
        <PartButton name="Tables" isShown={part === 'tables'} onPress={() => setPart('tables')} />
        <PartButton
          name="Worksheets"
          isShown={part === 'worksheets'}
          onPress={() => {
            setPart('worksheets');
            void refreshList();
          }}
        />
        <IconButton icon={RefreshCw} label="Read again" size={14} onPress={refresh} />
      </div>
      <div className="side-search">
        <SearchField
          label={part === 'tables' ? 'Find tables and columns' : 'Find worksheets'}
          value={text}
          onChange={setText}
        />
      </div>
      {part === 'tables' ? (
        <ObjectTree text={text} onDone={onDone} />
      ) : (
        <StoredWorksheets text={text} onDone={onDone} />
      )}
    </>
  );
}

function PartButton(props: { name: string; isShown: boolean; onPress: () => void }) {
  return (
    <AriaButton className="side-part" aria-pressed={props.isShown} onPress={props.onPress}>
      {props.name}
    </AriaButton>
  );
}
