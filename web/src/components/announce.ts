// Words for screen readers. One polite region for the whole console, drawn by the shell.
import { create } from 'zustand';

export const useAnnouncement = create<{ message: string }>(() => ({ message: '' }));

export function announce(message: string): void {
  // A region that is told the same again stays silent, so a space alternates.
  const before = useAnnouncement.getState().message;
  useAnnouncement.setState({ message: before === message ? `${message}\u00a0` : message });
}
