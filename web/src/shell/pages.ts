// The pages of the console: their addresses, names and icons. Each is loaded when it is first shown.
import {
  DatabaseZap,
  History,
  type LucideIcon,
  MessageCircleQuestionMark,
  ShieldCheck,
  SquareTerminal,
} from 'lucide-react';
import { type ComponentType, type LazyExoticComponent, lazy, useMemo } from 'react';
import { mayAdminister } from '../admin/adminRoles';
import { useIdentity } from '../api/identity';

export interface Page {
  path: string;
  name: string;
  icon: LucideIcon;
  component: LazyExoticComponent<ComponentType>;
  /** Absent for users of whose roles this says no. */
  isFor?: (roles: readonly string[]) => boolean;
}

const NO_ROLES: readonly string[] = [];
const loadWorksheets = () => import('../worksheets/WorksheetsPage');

export const PAGES: readonly Page[] = [
  {
    path: '/worksheets',
    name: 'Worksheets',
    icon: SquareTerminal,
    component: lazy(loadWorksheets),
  },
  {
    path: '/analyst',
    name: 'Analyst',
    icon: MessageCircleQuestionMark,
    component: lazy(() => import('../analyst/AnalystPage')),
  },
  {
    path: '/data',
    name: 'Data',
    icon: DatabaseZap,
    component: lazy(() => import('../data/DataPage')),
  },
  {
    path: '/history',
    name: 'History',
    icon: History,
    component: lazy(() => import('../history/HistoryPage')),
  },
  {
    path: '/admin',
    name: 'Admin',
    icon: ShieldCheck,
    component: lazy(() => import('../admin/AdminPage')),
    isFor: mayAdminister,
  },
];

/** The pages that are there for the user. */
export function usePages(): readonly Page[] {
  const roles = useIdentity((state) => state.identity?.roles ?? NO_ROLES);
  return useMemo(() => PAGES.filter(({ isFor }) => isFor === undefined || isFor(roles)), [roles]);
}

export function pageAt(location: string): Page | undefined {
  return PAGES.find(({ path }) => location === path || location.startsWith(`${path}/`));
}
