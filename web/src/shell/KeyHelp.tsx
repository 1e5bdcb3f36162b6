import { Dialog } from '../components/Dialog';
import './KeyHelp.css';
import { KEYS } from './keys';
import { shownKeys } from './shortcuts';

export function KeyHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose} width="large">
      <div className="key-help">
        {KEYS.map(({ group, keys }) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {keys.map(([pressed, does]) => (
                <div key={pressed} className="key-help-row">
                  <dt>{shownKeys(pressed)}</dt>
                  <dd>{shownKeys(does)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
