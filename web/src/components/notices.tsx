// Short notes in the corner: "Deleted. Undo". Never for errors, which stay where they happened.
import { X } from 'lucide-react';
import { create } from 'zustand';
import { announce } from './announce';
import { Button, IconButton } from './Button';
import './notices.css';

interface Notice {
  id: number;
  text: string;
  action?: { name: string; run: () => void };
}

const SHOWN_MS = 6000;
const useNotices = create<{ notices: Notice[] }>(() => ({ notices: [] }));
let lastId = 0;

export function notify(text: string, action?: Notice['action']): void {
  lastId += 1;
  const notice: Notice = { id: lastId, text, ...(action ? { action } : {}) };
  useNotices.setState(({ notices }) => ({ notices: [...notices.slice(-2), notice] }));
  announce(text);
  setTimeout(() => dismiss(notice.id), action ? SHOWN_MS * 2 : SHOWN_MS);
}

function dismiss(id: number): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((one) => one.id !== id) }));
}

export function Notices() {
  const notices = useNotices((state) => state.notices);
  return (
    <section className="notices" aria-label="Notices">
      {notices.map(({ id, text, action }) => (
        <div key={id} className="notice">
          <span>{text}</span>
          {action && (
            <Button
              look="quiet"
              onPress={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.name}
            </Button>
          )}
          <IconButton icon={X} label="Close" size={14} onPress={() => dismiss(id)} />
        </div>
      ))}
    </section>
  );
}
