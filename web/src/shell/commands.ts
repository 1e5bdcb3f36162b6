// What the palette (Ctrl+K) can do. Pages add theirs while they are shown.
import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import { create } from 'zustand';

export interface Command {
  id: string;
  name: string;
  /** Where it stands: "Go to", "Worksheet", "Table" … */
  group: string;
  keys?: string;
  icon?: LucideIcon;
  /** Further words that find it. */
  words?: string;
  run: () => void;
}

/** Finds things by what was typed, such as tables and worksheets. */
export type Finder = (text: string) => Command[];

interface CommandState {
  sources: readonly Finder[];
}

export const useCommandSources = create<CommandState>(() => ({ sources: [] }));

export function addFinder(finder: Finder): () => void {
  useCommandSources.setState(({ sources }) => ({ sources: [...sources, finder] }));
  return () =>
    useCommandSources.setState(({ sources }) => ({
      sources: sources.filter((one) => one !== finder),
    }));
}

/** Adds commands as long as the component is shown. Give a list that changes rarely. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => addFinder((text) => commands.filter((one) => matches(one, text))), [commands]);
}

export function matches({ name, group, words = '' }: Command, text: string): boolean {
  const here = `${name} ${group} ${words}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => here.includes(word));
}
