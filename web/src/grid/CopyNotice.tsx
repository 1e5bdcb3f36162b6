import type { Copying } from './useCopy';

/** Beneath the grid, so that no row moves when it comes and goes. */
export function CopyNotice({ copying }: { copying: Copying }) {
  if (!copying.message) return null;
  return (
    <p className="firn-grid-notice">
      {copying.message}{' '}
      {copying.isReady && (
        <button type="button" onClick={copying.copyReady}>
          Copy now
        </button>
      )}
      {copying.isRunning ? (
        <button type="button" onClick={copying.stop}>
          Stop
        </button>
      ) : (
        <button type="button" aria-label="Close this message" onClick={copying.dismiss}>
          ✕
        </button>
      )}
    </p>
  );
}
