import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { IconButton } from './Button';
import './Dialog.css';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** Buttons, the one that does it last. */
  actions?: ReactNode;
  width?: 'small' | 'medium' | 'large';
  /** For questions that interrupt, such as whether to delete. */
  role?: 'dialog' | 'alertdialog';
  /** Escape does not close what cannot be opened again. */
  keepsOpen?: boolean;
}

export function Dialog(props: DialogProps) {
  const { title, isOpen, onClose, children, actions, width = 'medium', role = 'dialog' } = props;
  const { keepsOpen = false } = props;
  return (
    <ModalOverlay
      className="dialog-veil"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={role === 'dialog' && !keepsOpen}
      isKeyboardDismissDisabled={keepsOpen}
    >
      <Modal className={`dialog dialog-${width}`}>
        <AriaDialog className="dialog-inside" role={role}>
          <header className="dialog-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <IconButton icon={X} label="Close" onPress={onClose} />
          </header>
          <div className="dialog-body">{children}</div>
          {actions && <footer className="dialog-actions">{actions}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
