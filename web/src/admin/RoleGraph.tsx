import { useEffect, useRef } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import {
  type RoleGraph as Graph,
  type GraphEdge,
  NODE_HEIGHT,
  NODE_WIDTH,
  type NodePlace,
  roleId,
} from './roleGraph';

interface RoleGraphProps {
  graph: Graph;
  selected: string | null;
  onSelect: (role: string) => void;
}

/** Every role is a button; the lines go from who holds to what is held. A choice may move the role. */
export function RoleGraph({ graph, selected, onSelect }: RoleGraphProps) {
  const { places, edges, width, height } = graph;
  const byId = new Map(places.map((place) => [place.node.id, place]));
  const near = selected === null ? null : roleId(selected);
  const frame = useRef<HTMLElement>(null);
  const at = near === null ? undefined : byId.get(near);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place, not the object that has it
  useEffect(() => {
    const chosen = frame.current?.querySelector('[aria-pressed="true"]');
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [near, at?.x, at?.y]);
  return (
    <section
      ref={frame}
      className="role-frame"
      aria-label="Users, roles and what they may use"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <div className="role-graph" style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {edges.map(({ above, below }) => (
            <Line
              key={`${above} ${below}`}
              from={byId.get(above)}
              to={byId.get(below)}
              isNear={above === near || below === near}
            />
          ))}
        </svg>
        {places.map((place) => (
          <Node
            key={place.node.id}
            place={place}
            holders={holdersOf(place, edges, byId)}
            isSelected={place.node.id === near}
            onSelect={onSelect}
          />
        ))}
      </div>
    </section>
  );
}

interface LineProps {
  from: NodePlace | undefined;
  to: NodePlace | undefined;
  isNear: boolean;
}

function Line({ from, to, isNear }: LineProps) {
  if (!from || !to) return null;
  const x = from.x + NODE_WIDTH / 2;
  const y = from.y + NODE_HEIGHT;
  const toX = to.x + NODE_WIDTH / 2;
  const middle = (y + to.y) / 2;
  return (
    <path
      className="role-edge"
      data-near={isNear}
      data-kind={from.node.kind === 'user' ? 'user' : to.node.kind}
      d={`M${x} ${y} C${x} ${middle} ${toX} ${middle} ${toX} ${to.y}`}
    />
  );
}

/** What the lines show, in words. */
function holdersOf(
  { node }: NodePlace,
  edges: readonly GraphEdge[],
  byId: ReadonlyMap<string, NodePlace>,
): string {
  const names = edges
    .filter(({ below }) => below === node.id)
    .flatMap(({ above }) => byId.get(above)?.node.name ?? []);
  return names.length === 0 ? '' : `, held by ${names.join(', ')}`;
}

interface NodeProps {
  place: NodePlace;
  holders: string;
  isSelected: boolean;
  onSelect: (role: string) => void;
}

function Node({ place, holders, isSelected, onSelect }: NodeProps) {
  const { node, x, y } = place;
  const style = { left: x, top: y, width: NODE_WIDTH, height: NODE_HEIGHT };
  const words = (
    <>
      <span className="one-line">{node.name}</span>
      <small className="one-line">{node.detail}</small>
      <span className="visually-hidden">{holders}</span>
    </>
  );
  if (node.kind !== 'role') {
    return (
      <div className={`role-node role-node-${node.kind}`} style={style} title={node.detail}>
        {words}
      </div>
    );
  }
  return (
    <AriaButton
      className="role-node"
      aria-pressed={isSelected}
      style={style}
      onPress={() => onSelect(node.name)}
    >
      {words}
    </AriaButton>
  );
}
