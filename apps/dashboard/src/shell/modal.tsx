import { useEffect, useRef, type ReactNode } from 'react';

interface ModalProps {
  label: string;
  className?: string;
  onClose: () => void;
  children: ReactNode;
}

/** The platform's own dialog: it holds the focus, and Escape or a click beside it ends it. */
export function Modal({ label, className = '', onClose, children }: ModalProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    // What is not shown takes no focus, so `autoFocus` of what is in here comes too early.
    element?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`modal ${className}`}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="modal-body">{children}</div>
    </dialog>
  );
}
