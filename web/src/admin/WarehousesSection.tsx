import { Plus } from 'lucide-react';
import { useState } from 'react';
import { sqlName } from '../api/query';
import { Button } from '../components/Button';
import { PlainTable } from '../components/PlainTable';
import { ErrorNote, Waiting } from '../components/States';
import { StatementDialog } from './StatementDialog';
import { type Row, useAdminQuery } from './useAdminQuery';
import { CreateWarehouse, EditWarehouse } from './WarehouseForms';
import { WarehouseLoad } from './WarehouseLoad';

interface Act {
  title: string;
  verb: string;
  statement: string;
  isDangerous?: boolean;
}

export function WarehousesSection() {
  const { value, error, reload } = useAdminQuery('SHOW WAREHOUSES');
  const [act, setAct] = useState<Act | null>(null);
  const [edited, setEdited] = useState<Row | 'new' | null>(null);
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  const close = () => {
    setAct(null);
    setEdited(null);
  };
  return (
    <div className="admin-section">
      <div className="admin-bar">
        <Button icon={Plus} onPress={() => setEdited('new')}>
          New warehouse …
        </Button>
        <Button onPress={reload}>Read again</Button>
      </div>
      <PlainTable
        label="Warehouses"
        rows={value}
        rowKey={({ name }) => name ?? ''}
        columns={[
          { name: 'Name', cell: ({ name }) => name },
          { name: 'State', cell: ({ state }) => state?.toLowerCase() },
          { name: 'Size', cell: ({ size }) => size },
          { name: 'Running', look: 'number', cell: ({ running }) => running ?? '0' },
          { name: 'Queued', look: 'number', cell: ({ queued }) => queued ?? '0' },
          { name: 'At a time', look: 'number', cell: (row) => row.max_concurrency_level },
          { name: 'Owner', cell: ({ owner }) => owner },
          { name: 'Comment', cell: ({ comment }) => comment },
          {
            name: 'What to do',
            look: 'actions',
            cell: (row) => (
              <WarehouseButtons row={row} onAct={setAct} onEdit={() => setEdited(row)} />
            ),
          },
        ]}
      />
      <WarehouseLoad />
      {act && (
        <StatementDialog
          title={act.title}
          verb={act.verb}
          isDangerous={act.isDangerous}
          statements={[act.statement]}
          onClose={close}
          onDone={reload}
        />
      )}
      {edited === 'new' && <CreateWarehouse onClose={close} onDone={reload} />}
      {edited !== null && edited !== 'new' && (
        <EditWarehouse warehouse={edited} onClose={close} onDone={reload} />
      )}
    </div>
  );
}

interface WarehouseButtonsProps {
  row: Row;
  onAct: (act: Act) => void;
  onEdit: () => void;
}

function WarehouseButtons({ row, onAct, onEdit }: WarehouseButtonsProps) {
  const name = row.name ?? '';
  const isOff = row.state === 'SUSPENDED';
  const busy = Number(row.running ?? 0) + Number(row.queued ?? 0);
  const verb = isOff ? 'Resume' : 'Suspend';
  return (
    <>
      <Button
        look="quiet"
        aria-label={`${verb} ${name}`}
        onPress={() =>
          onAct({
            title: `${verb} ${name}?`,
            verb,
            statement: `ALTER WAREHOUSE ${sqlName(name)} ${verb.toUpperCase()}`,
          })
        }
      >
        {verb} …
      </Button>
      <Button look="quiet" aria-label={`Change ${name}`} onPress={onEdit}>
        Change …
      </Button>
      {busy > 0 && (
        <Button
          look="quiet"
          aria-label={`Abort all of ${name}`}
          onPress={() =>
            onAct({
              title: `Abort what ${name} runs?`,
              verb: 'Abort',
              isDangerous: true,
              statement: `ALTER WAREHOUSE ${sqlName(name)} ABORT ALL QUERIES`,
            })
          }
        >
          Abort …
        </Button>
      )}
      <Button
        look="quiet"
        aria-label={`Drop ${name}`}
        onPress={() =>
          onAct({
            title: `Drop ${name}?`,
            verb: 'Drop',
            isDangerous: true,
            statement: `DROP WAREHOUSE ${sqlName(name)}`,
          })
        }
      >
        Drop …
      </Button>
    </>
  );
}
