import { X } from 'lucide-react';
import { useState } from 'react';
import { sqlName } from '../api/query';
import { Button, IconButton } from '../components/Button';
import { SearchField } from '../components/fields';
import { PlainTable } from '../components/PlainTable';
import { ErrorNote, Waiting } from '../components/States';
import { kindWords } from './grantsGraph';
import { DropRole, GrantPrivilege, GrantRole } from './RoleForms';
import { StatementDialog } from './StatementDialog';
import { bareName, pathOf } from './sqlParts';
import { type Row, useAdminQuery } from './useAdminQuery';
import type { Roles } from './useRoles';

type Task = 'role' | 'privilege' | 'drop';

interface RolePanelProps {
  role: string;
  roles: Roles;
  onSelect: (role: string) => void;
  /** The graph should be read again. */
  onChange: () => void;
}

export function RolePanel({ role, roles, onSelect, onChange }: RolePanelProps) {
  const holders = useAdminQuery(`SHOW GRANTS OF ROLE ${sqlName(role)}`);
  const grants = useAdminQuery(`SHOW GRANTS TO ROLE ${sqlName(role)}`);
  const future = useAdminQuery(`SHOW FUTURE GRANTS TO ROLE ${sqlName(role)}`);
  const [task, setTask] = useState<Task | null>(null);
  const [revoked, setRevoked] = useState<{ title: string; statement: string } | null>(null);
  const reload = () => {
    holders.reload();
    grants.reload();
    future.reload();
    onChange();
  };
  const note = roles.notes.get(role);
  const inherited = roles.holdings.filter((one) => one.kind === 'role' && one.holder === role);
  const form = { role, onClose: () => setTask(null), onDone: reload };
  const error = holders.error ?? grants.error;
  return (
    <>
      <div className="admin-bar">
        <h2 className="one-line">{role}</h2>
        <Button onPress={() => setTask('role')}>Grant the role …</Button>
        <Button onPress={() => setTask('privilege')}>Grant a privilege …</Button>
        <Button look="danger" onPress={() => setTask('drop')}>
          Drop …
        </Button>
      </div>
      <p className="secondary">
        {[note?.comment, note?.owner && `owned by ${note.owner}`].filter(Boolean).join(' · ')}
      </p>
      {error && <ErrorNote message={error} />}
      <h3>Held by</h3>
      {holders.value ? (
        <PlainTable
          label={`Who holds ${role}`}
          rows={holders.value}
          rowKey={(row) => `${row.granted_to} ${row.grantee_name}`}
          empty={role === 'PUBLIC' ? 'Everybody holds it.' : 'Nobody.'}
          columns={[
            { name: 'Name', cell: (row) => bareName(row.grantee_name ?? '') },
            { name: 'Kind', cell: (row) => row.granted_to?.toLowerCase() },
            { name: 'Granted by', cell: (row) => row.granted_by },
            {
              name: 'Take back',
              look: 'actions',
              cell: (row) => (
                <RevokeButton
                  title={`Take ${role} from ${bareName(row.grantee_name ?? '')}?`}
                  statement={`REVOKE ROLE ${sqlName(role)} FROM ${row.granted_to === 'USER' ? 'USER' : 'ROLE'} ${sqlName(bareName(row.grantee_name ?? ''))}`}
                  onRevoke={setRevoked}
                />
              ),
            },
          ]}
        />
      ) : (
        <Waiting />
      )}
      {inherited.length > 0 && (
        <>
          <h3>Inherits</h3>
          <div className="admin-bar">
            {inherited.map((one) => (
              <Button key={one.role} onPress={() => onSelect(one.role)}>
                {one.role}
              </Button>
            ))}
          </div>
        </>
      )}
      <h3>May use</h3>
      {grants.value ? (
        <Privileges role={role} grants={grants.value} onRevoke={setRevoked} />
      ) : (
        <Waiting />
      )}
      {future.value && future.value.length > 0 && (
        <>
          <h3>Will be granted on new objects</h3>
          <PlainTable
            label={`Future grants of ${role}`}
            rows={future.value}
            rowKey={(row) => `${row.privilege} ${row.grant_on} ${row.name}`}
            columns={[
              { name: 'Privilege', cell: ({ privilege }) => privilege },
              { name: 'Kind', cell: (row) => kindWords(row.grant_on) },
              { name: 'In', cell: ({ name }) => name },
            ]}
          />
        </>
      )}
      {task === 'role' && <GrantRole {...form} />}
      {task === 'privilege' && <GrantPrivilege {...form} />}
      {task === 'drop' && <DropRole {...form} />}
      {revoked && (
        <StatementDialog
          title={revoked.title}
          verb="Take back"
          isDangerous
          statements={[revoked.statement]}
          onClose={() => setRevoked(null)}
          onDone={reload}
        />
      )}
    </>
  );
}

interface RevokeButtonProps {
  title: string;
  statement: string;
  onRevoke: (revoked: { title: string; statement: string }) => void;
}

function RevokeButton({ title, statement, onRevoke }: RevokeButtonProps) {
  return (
    <IconButton icon={X} size={14} label={title} onPress={() => onRevoke({ title, statement })} />
  );
}

const SHOWN_MAX = 200;

interface PrivilegesProps {
  role: string;
  grants: readonly Row[];
  onRevoke: RevokeButtonProps['onRevoke'];
}

function Privileges({ role, grants, onRevoke }: PrivilegesProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const own = grants.filter((row) => row.granted_on !== 'ROLE' || row.privilege !== 'USAGE');
  const found = own.filter((row) =>
    `${row.privilege} ${kindWords(row.granted_on)} ${row.name}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {own.length > 12 && <SearchField label="Find privileges" value={text} onChange={setText} />}
      <PlainTable
        label={`Privileges of ${role}`}
        rows={found.slice(0, SHOWN_MAX)}
        rowKey={(row) => `${row.privilege} ${row.granted_on} ${row.name} ${row.granted_by}`}
        empty="Nothing was granted to it."
        columns={[
          { name: 'Privilege', cell: ({ privilege }) => privilege },
          { name: 'Kind', cell: (row) => kindWords(row.granted_on) },
          { name: 'On', cell: ({ name }) => name },
          { name: 'May grant on', cell: (row) => (row.grant_option === 'true' ? 'yes' : '') },
          {
            name: 'Take back',
            look: 'actions',
            cell: (row) =>
              row.privilege !== 'OWNERSHIP' && (
                <RevokeButton
                  title={`Take ${row.privilege} on ${row.name} from ${role}?`}
                  statement={revokeStatement(role, row)}
                  onRevoke={onRevoke}
                />
              ),
          },
        ]}
      />
      {found.length > SHOWN_MAX && (
        <p className="secondary">
          The first {SHOWN_MAX} of {found.length}.
        </p>
      )}
    </>
  );
}

function revokeStatement(role: string, row: Row): string {
  const kind = kindWords(row.granted_on).toUpperCase();
  const on = kind === 'ACCOUNT' ? 'ACCOUNT' : `${kind} ${pathOf(row.name ?? '')}`;
  return `REVOKE ${row.privilege} ON ${on} FROM ROLE ${sqlName(role)}`;
}
