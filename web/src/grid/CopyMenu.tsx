import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { COPY_FORMATS } from './copyText';
import type { CopyFormat } from './types';

export interface CopyMenuProps {
  /** "12 rows × 3 columns". */
  what: string;
  onCopy(format: CopyFormat): void;
}

export function CopyMenu({ what, onCopy }: CopyMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const headingId = useId();

  useEffect(() => {
    if (isOpen) menu.current?.querySelector('button')?.focus();
  }, [isOpen]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll('button') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === 'Escape') close();
    else if (event.key === 'Tab') return setOpen(false);
    else if (next === undefined) return;
    else items[(next + items.length) % items.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: watches the focus of what is inside
    <span
      className="firn-grid-menu-place"
      onBlur={(event) => {
        const to = event.relatedTarget;
        if (!(to instanceof Node) || !event.currentTarget.contains(to)) setOpen(false);
      }}
    >
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Copy as ▾
      </button>
      {isOpen && (
        <div
          ref={menu}
          role="menu"
          aria-labelledby={headingId}
          className="firn-grid-menu"
          onKeyDown={onKeyDown}
        >
          <span id={headingId} role="presentation" className="firn-grid-menu-name">
            {what}
          </span>
          {COPY_FORMATS.map(({ format, name }) => (
            <button
              key={format}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                onCopy(format);
              }}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}
