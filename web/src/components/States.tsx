import { CircleAlert, LoaderCircle, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import './States.css';

export interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="empty-state">
      {Icon && <Icon size={24} aria-hidden="true" />}
      <p className="empty-state-title">{title}</p>
      {children && <div className="secondary">{children}</div>}
      {actions && <div className="empty-state-actions">{actions}</div>}
    </div>
  );
}

export interface ErrorNoteProps {
  message: string;
  title?: string;
  actions?: ReactNode;
}

/** What went wrong, in words, where it went wrong. The text can be selected and copied. */
export function ErrorNote({ message, title, actions }: ErrorNoteProps) {
  return (
    <div className="error-note" role="alert">
      <CircleAlert size={16} aria-hidden="true" />
      <div className="error-note-text">
        {title && <strong>{title}</strong>}
        <pre>{message}</pre>
      </div>
      {actions && <div className="error-note-actions">{actions}</div>}
    </div>
  );
}

/** Shows after 200 ms: what is quicker needs no sign of waiting. */
export function Waiting({ children = 'Loading …' }: { children?: ReactNode }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 200);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div className="waiting">
      <Spinner />
      <span>{children}</span>
    </div>
  );
}

export function Spinner({ size = 15 }: { size?: number }) {
  return <LoaderCircle className="spinner" size={size} aria-hidden="true" />;
}
