import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

/** A modal dialog; Esc and a click outside close it. */
export function Dialog(
  { title, children, onClose, wide = false }: {
    title: string;
    children: ComponentChildren;
    onClose: () => void;
    wide?: boolean;
  },
) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current!;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "roomy" : ""}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // A browser may close the dialog without `cancel`. After unmounting, the event only reports the closing.
        if (element.current !== null) onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2>{title}</h2>
          <Button icon="bad" kind="quiet" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** Asks for confirmation. */
export function Confirm(
  { title, children, action, dismiss = "Cancel", onConfirm, onClose, kind = "danger" }: {
    title: string;
    kind?: "danger" | "primary";
    children: ComponentChildren;
    /** Label of the button that confirms. */
    action: string;
    /** The label of the button that cancels. @default "Cancel" */
    dismiss?: string;
    onConfirm: () => unknown;
    onClose: () => void;
  },
) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-text">{children}</div>
      <div class="actions end">
        <Button onClick={onClose}>{dismiss}</Button>
        <Button
          kind={kind}
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
