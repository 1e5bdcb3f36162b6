import { Button as AriaButton } from 'react-aria-components';
import { NODE_HEIGHT, NODE_WIDTH, type RoleTree } from './roleTree';
import type { RoleNote } from './useRoles';

interface RoleGraphProps {
  tree: RoleTree;
  notes: ReadonlyMap<string, RoleNote>;
  selected: string | null;
  onSelect: (role: string) => void;
}

/** Every role is a button; the lines go from who holds to what is held. */
export function RoleGraph({ tree, notes, selected, onSelect }: RoleGraphProps) {
  const { places, edges, width, height } = tree;
  const byName = new Map(places.map((place) => [place.name, place]));
  return (
    <section className="role-frame" aria-label="Roles, those that inherit above">
      <div className="role-graph" style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {edges.map(({ above, below }) => {
            const from = byName.get(above);
            const to = byName.get(below);
            if (!from || !to) return null;
            const x = from.x + NODE_WIDTH / 2;
            const y = from.y + NODE_HEIGHT;
            const toX = to.x + NODE_WIDTH / 2;
            const middle = (y + to.y) / 2;
            return (
              <path
                key={`${above} ${below}`}
                className="role-edge"
                data-near={above === selected || below === selected}
                d={`M${x} ${y} C${x} ${middle} ${toX} ${middle} ${toX} ${to.y}`}
              />
            );
          })}
        </svg>
        {places.map(({ name, x, y }) => (
          <AriaButton
            key={name}
            className="role-node"
            aria-pressed={name === selected}
            style={{ left: x, top: y, width: NODE_WIDTH, height: NODE_HEIGHT }}
            onPress={() => onSelect(name)}
          >
            <span className="one-line">{name}</span>
            <small className="one-line">{words(notes.get(name))}</small>
          </AriaButton>
        ))}
      </div>
    </section>
  );
}

function words(note: RoleNote | undefined): string {
  if (!note) return '';
  const { users, below } = note;
  const people = `${users} ${users === 1 ? 'user' : 'users'}`;
  return below === 0 ? people : `${people}, holds ${below}`;
}
