// A thin line in the gutter beside the statement that Ctrl+Enter would run.
import { type Extension, RangeSet, StateField, type Text } from '@codemirror/state';
import { GutterMarker, gutterLineClass } from '@codemirror/view';
import { type Statement, splitStatements, statementAt } from '../sql/split';

/** Splitting is skipped for texts that nobody types. */
const LENGTH_MAX = 500_000;

const split = new WeakMap<Text, readonly Statement[]>();

export function statementsOf(doc: Text): readonly Statement[] {
  const known = split.get(doc);
  if (known) return known;
  const found = doc.length > LENGTH_MAX ? [] : splitStatements(doc.toString());
  split.set(doc, found);
  return found;
}

class StatementLine extends GutterMarker {
  override elementClass = 'cm-statement-line';
}

const MARK = new StatementLine();

function marked(doc: Text, cursor: number): { key: string; lines: RangeSet<GutterMarker> } {
  const statements = statementsOf(doc);
  const statement =
    statements.length === 0 ? null : statementAt(statements, doc.toString(), cursor);
  if (!statement) return { key: '', lines: RangeSet.empty };
  const first = doc.lineAt(statement.start).number;
  const last = doc.lineAt(Math.min(statement.end, doc.length)).number;
  const ranges = [];
  for (let line = first; line <= last; line += 1) ranges.push(MARK.range(doc.line(line).from));
  return { key: `${first} ${last}`, lines: RangeSet.of(ranges) };
}

const field = StateField.define({
  create: (state) => marked(state.doc, state.selection.main.head),
  update(before, transaction) {
    if (!transaction.docChanged && !transaction.selection) return before;
    const after = marked(transaction.newDoc, transaction.newSelection.main.head);
    return !transaction.docChanged && after.key === before.key ? before : after;
  },
  provide: (from) => gutterLineClass.from(from, ({ lines }) => lines),
});

export const STATEMENT_GUTTER: Extension = field;
