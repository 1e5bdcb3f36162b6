import { useState } from 'react';
import type { JsonNode } from './jsonText';

const CHILDREN_SHOWN = 200;
const DEPTH_OPEN = 2;

/** A tree of native disclosure elements; children come into the page when they are opened. */
export function JsonTree({ node }: { node: JsonNode }) {
  return (
    <div className="firn-json">
      <JsonBranch name={null} node={node} depth={0} />
    </div>
  );
}

interface JsonBranchProps {
  name: string | null;
  node: JsonNode;
  depth: number;
}

function JsonBranch({ name, node, depth }: JsonBranchProps) {
  const [isOpen, setOpen] = useState(depth < DEPTH_OPEN);
  const [shown, setShown] = useState(CHILDREN_SHOWN);
  const label = name !== null && <span className="firn-json-name">{name}: </span>;
  if (node.kind === 'string') {
    return (
      <div className="firn-json-leaf">
        {label}
        <span className="firn-json-string">{JSON.stringify(node.text)}</span>
      </div>
    );
  }
  if (node.kind === 'word') {
    return (
      <div className="firn-json-leaf">
        {label}
        <span className="firn-json-word">{node.text}</span>
      </div>
    );
  }
  const children: readonly (readonly [string, JsonNode])[] =
    node.kind === 'object'
      ? node.entries
      : node.items.map((item, index) => [String(index), item] as const);
  const summary = node.kind === 'object' ? `{ ${children.length} }` : `[ ${children.length} ]`;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span className="firn-json-count">{summary}</span>
      </summary>
      {isOpen &&
        children.slice(0, shown).map(([childName, child], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may stand twice, places never change
          <JsonBranch key={index} name={childName} node={child} depth={depth + 1} />
        ))}
      {isOpen && children.length > shown && (
        <button type="button" onClick={() => setShown(shown + CHILDREN_SHOWN)}>
          {children.length - shown} more
        </button>
      )}
    </details>
  );
}
