import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

/** A dialog over the page; Esc and a press beside it close it. */
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
      class={wide ? "wide" : ""}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // A browser may close it without asking; once it is not shown any more this is only the echo of that.
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

/** Asks before something that cannot be taken back. */
export function Confirm(
  { title, children, action, onConfirm, onClose, kind = "danger" }: {
    title: string;
    kind?: "danger" | "primary";
    children: ComponentChildren;
    action: string;
    onConfirm: () => unknown;
    onClose: () => void;
  },
) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-text">{children}</div>
      <div class="actions end">
        <Button onClick={onClose}>Leave it</Button>
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
