import './SqlPreview.css';

/** The statements that a form will run, as they will be sent. */
export function SqlPreview({ text, label = 'This will run' }: { text: string; label?: string }) {
  return (
    <figure className="sql-preview">
      <figcaption>{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
