// The kinds of objects in the tree: their names, how SQL calls them and how their pages look.
import {
  Database,
  Eye,
  FileCog,
  FolderClosed,
  FolderOpen,
  FunctionSquare,
  ListOrdered,
  ListTodo,
  type LucideIcon,
  MessageCircleQuestionMark,
  Shield,
  SquareTerminal,
  Table2,
  Tag,
  Waves,
} from 'lucide-react';

export type ObjectKind =
  | 'database'
  | 'schema'
  | 'table'
  | 'view'
  | 'semantic view'
  | 'stage'
  | 'function'
  | 'procedure'
  | 'sequence'
  | 'file format'
  | 'stream'
  | 'task'
  | 'tag'
  | 'masking policy'
  | 'row access policy';

export interface KindInfo {
  plural: string;
  icon: LucideIcon;
  /** What GET_DDL calls it; null if it has no DDL. */
  ddl: string | null;
  /** Whether DESC knows it, besides those whose columns are shown. */
  isDescribed: boolean;
}

export const KINDS: Record<ObjectKind, KindInfo> = {
  database: { plural: 'Databases', icon: Database, ddl: 'DATABASE', isDescribed: false },
  schema: { plural: 'Schemas', icon: FolderClosed, ddl: 'SCHEMA', isDescribed: false },
  table: { plural: 'Tables', icon: Table2, ddl: 'TABLE', isDescribed: false },
  view: { plural: 'Views', icon: Eye, ddl: 'VIEW', isDescribed: false },
  'semantic view': {
    plural: 'Semantic views',
    icon: MessageCircleQuestionMark,
    ddl: 'SEMANTIC_VIEW',
    isDescribed: true,
  },
  stage: { plural: 'Stages', icon: FolderOpen, ddl: null, isDescribed: true },
  function: { plural: 'Functions', icon: FunctionSquare, ddl: 'FUNCTION', isDescribed: true },
  procedure: { plural: 'Procedures', icon: SquareTerminal, ddl: 'PROCEDURE', isDescribed: true },
  sequence: { plural: 'Sequences', icon: ListOrdered, ddl: 'SEQUENCE', isDescribed: true },
  'file format': { plural: 'File formats', icon: FileCog, ddl: 'FILE_FORMAT', isDescribed: true },
  stream: { plural: 'Streams', icon: Waves, ddl: null, isDescribed: true },
  task: { plural: 'Tasks', icon: ListTodo, ddl: null, isDescribed: true },
  tag: { plural: 'Tags', icon: Tag, ddl: null, isDescribed: false },
  'masking policy': {
    plural: 'Masking policies',
    icon: Shield,
    ddl: 'POLICY',
    isDescribed: true,
  },
  'row access policy': {
    plural: 'Row access policies',
    icon: Shield,
    ddl: 'POLICY',
    isDescribed: true,
  },
};

/** The kinds that lie in a schema, in the tree's order. */
export const SCHEMA_KINDS: readonly ObjectKind[] = [
  'table',
  'view',
  'semantic view',
  'stage',
  'function',
  'procedure',
  'sequence',
  'file format',
  'stream',
  'task',
  'tag',
  'masking policy',
  'row access policy',
];

export function isKind(text: string | null): text is ObjectKind {
  return text !== null && Object.hasOwn(KINDS, text);
}

export function kindTitle(kind: ObjectKind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}
