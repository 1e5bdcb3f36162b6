import { shownCount } from '../components/shownTime';
import type { OperatorNode } from './operatorTree';
import { shownMs, shownShare } from './stepWords';

/** The steps as a nested list: what a step reads stands beneath it. */
export function ProfileList({ roots }: { roots: readonly OperatorNode[] }) {
  return (
    <ul className="profile-list" aria-label="Steps">
      {roots.map((node) => (
        <Step key={node.operator.id} node={node} />
      ))}
    </ul>
  );
}

function Step({ node }: { node: OperatorNode }) {
  const { operator, object, expressions, rows, milliseconds, share } = node.operator;
  return (
    <li>
      <div className="profile-step" data-rank={node.rank ?? undefined}>
        <span className="profile-step-bar" aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </span>
        <strong>{operator}</strong>
        {object && <span className="mono">{object}</span>}
        <span className="secondary numbers">
          {rows === null ? 'rows hidden' : `${shownCount(rows)} ${rows === 1 ? 'row' : 'rows'}`},{' '}
          {shownMs(milliseconds)}, {shownShare(share)}
          {node.rank !== null && `, number ${node.rank} of the dearest`}
        </span>
        {expressions && <span className="mono secondary profile-step-details">{expressions}</span>}
      </div>
      {node.children.length > 0 && (
        <ul>
          {node.children.map((child) => (
            <Step key={child.operator.id} node={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
