import { useState } from 'react';
import { sqlName } from '../api/query';
import { Waiting } from '../components/States';
import { StatementDialog } from './StatementDialog';
import { bareName } from './sqlParts';
import type { UserFormProps } from './UserForms';
import { useAdminQuery } from './useAdminQuery';

/** Ticks what the user holds; what is changed becomes GRANT and REVOKE. */
export function UserRoles({ name, onClose, onDone }: UserFormProps) {
  const roles = useAdminQuery('SHOW ROLES');
  const held = useAdminQuery(`SHOW GRANTS TO USER ${sqlName(name)}`);
  const [changes, setChanges] = useState<ReadonlyMap<string, boolean>>(new Map());
  const before = new Set((held.value ?? []).map(({ role }) => bareName(role ?? '')));
  const statements = [...changes].flatMap(([role, wanted]) => {
    if (before.has(role) === wanted) return [];
    const words = wanted ? ['GRANT', 'TO'] : ['REVOKE', 'FROM'];
    return [`${words[0]} ROLE ${sqlName(role)} ${words[1]} USER ${sqlName(name)}`];
  });
  const problem =
    roles.error ?? held.error ?? (statements.length === 0 ? 'Nothing is changed yet.' : null);
  return (
    <StatementDialog
      title={`Roles of ${name}`}
      verb="Change"
      statements={statements}
      problem={problem}
      onClose={onClose}
      onDone={onDone}
    >
      {roles.value && held.value ? (
        <fieldset className="admin-roles">
          <legend className="visually-hidden">Roles</legend>
          {roles.value
            .map((role) => ({ role: role.name ?? '', comment: role.comment }))
            .filter(({ role }) => role !== 'PUBLIC')
            .map(({ role, comment }) => (
              <label key={role} className="admin-check">
                <input
                  type="checkbox"
                  checked={changes.get(role) ?? before.has(role)}
                  onChange={({ target }) => setChanges(new Map(changes).set(role, target.checked))}
                />
                {role}
                {comment && <span className="secondary">{comment}</span>}
              </label>
            ))}
        </fieldset>
      ) : (
        <Waiting />
      )}
    </StatementDialog>
  );
}
