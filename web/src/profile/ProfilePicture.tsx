import { Maximize, Minus, Plus } from 'lucide-react';
import { IconButton } from '../components/Button';
import { shownCount } from '../components/shownTime';
import {
  arrowWidth,
  BOX_HEIGHT,
  BOX_WIDTH,
  type OperatorNode,
  type OperatorTree,
} from './operatorTree';
import { cutText, shownMs, shownShare } from './stepWords';
import { usePanZoom } from './usePanZoom';

const PADDING = 16;

/** The tree as a picture to move and enlarge. Screen readers have the list instead. */
export function ProfilePicture({ tree }: { tree: OperatorTree }) {
  const { width, height, nodes } = tree;
  const { frame, view, zoom, showAll, handlers } = usePanZoom(
    width + 2 * PADDING,
    height + 2 * PADDING,
  );
  return (
    <div className="profile-picture">
      <section
        ref={frame}
        className="profile-frame"
        aria-label="Picture of the steps; arrows move it, plus and minus enlarge it, 0 fits it"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows, + and - move and enlarge the picture
        tabIndex={0}
        {...handlers}
      >
        <svg className="profile-svg" aria-hidden="true">
          <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
            <g transform={`translate(${PADDING} ${PADDING})`}>
              {nodes.flatMap((node) =>
                node.children.map((child) => (
                  <Arrow key={child.operator.id} parent={node} child={child} />
                )),
              )}
              {nodes.map((node) => (
                <Box key={node.operator.id} node={node} />
              ))}
            </g>
          </g>
        </svg>
      </section>
      <div className="profile-zoom">
        <IconButton icon={Plus} label="Larger" onPress={() => zoom(1.25)} />
        <IconButton icon={Minus} label="Smaller" onPress={() => zoom(0.8)} />
        <IconButton icon={Maximize} label="Fit" onPress={showAll} />
      </div>
    </div>
  );
}

/** From what gives rows, below, to what takes them. */
function Arrow({ parent, child }: { parent: OperatorNode; child: OperatorNode }) {
  const x = child.x + BOX_WIDTH / 2;
  const top = { x: parent.x + BOX_WIDTH / 2, y: parent.y + BOX_HEIGHT };
  const middle = (child.y + top.y) / 2;
  const { rows } = child.operator;
  return (
    <g>
      <path
        className="profile-arrow"
        d={`M${x} ${child.y} C${x} ${middle} ${top.x} ${middle} ${top.x} ${top.y}`}
        strokeWidth={arrowWidth(rows)}
      />
      {rows !== null && (
        <text className="profile-rows" x={x + 8} y={child.y - 8}>
          {shownCount(rows)}
        </text>
      )}
    </g>
  );
}

const BAR_WIDTH = BOX_WIDTH - 20;

function Box({ node }: { node: OperatorNode }) {
  const { operator, object, expressions, rows, milliseconds, share } = node.operator;
  const below = object ?? expressions ?? '';
  return (
    <g
      className="profile-box"
      data-rank={node.rank ?? undefined}
      transform={`translate(${node.x} ${node.y})`}
    >
      <title>
        {[operator, object, expressions, rows === null ? null : `${shownCount(rows)} rows`]
          .filter(Boolean)
          .join('\n')}
      </title>
      <rect className="profile-box-frame" width={BOX_WIDTH} height={BOX_HEIGHT} rx={5} />
      <text className="profile-box-name" x={10} y={20}>
        {node.rank !== null && `${'①②③'[node.rank - 1]} `}
        {cutText(operator, 17)}
      </text>
      <text className="profile-box-time" x={BOX_WIDTH - 10} y={20} textAnchor="end">
        {shownMs(milliseconds)}
      </text>
      <text className="profile-box-details" x={10} y={38}>
        {cutText(below, 26)}
      </text>
      <rect className="profile-bar" x={10} y={49} width={BAR_WIDTH} height={6} rx={3} />
      <rect className="profile-bar-share" x={10} y={49} width={BAR_WIDTH * share} height={6} rx={3}>
        <title>{shownShare(share)}</title>
      </rect>
    </g>
  );
}
