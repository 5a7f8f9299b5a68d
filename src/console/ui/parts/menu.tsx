import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** A button that opens a panel below it; Esc, a click elsewhere and leaving it with the keyboard close it. */
export function Menu(
  { icon, label, title, children, class: more = "", onOpen }: {
    icon: string;
    label: string;
    title?: string;
    /** The panel; `close` closes it and puts the focus back. */
    children(close: () => void): ComponentChildren;
    class?: string;
    onOpen?(): void;
  },
) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const point = (event: Event) => {
      if (!box.current!.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", point);
    return () => removeEventListener("pointerdown", point);
  }, [open]);
  const close = () => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  return (
    <div
      class={`menu ${more}`}
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        close();
      }}
      onFocusOut={(event) => {
        if (event.relatedTarget !== null && !box.current!.contains(event.relatedTarget as Node)) setOpen(false);
      }}
    >
      <button
        type="button"
        class="button"
        aria-expanded={open}
        title={title}
        onClick={() => {
          setOpen(!open);
          if (!open) onOpen?.();
        }}
      >
        <Icon name={icon} />
        <span>{label}</span>
        <Icon name="down" size={12} />
      </button>
      {open && <div class="menu-panel">{children(close)}</div>}
    </div>
  );
}

/** One choice of a menu. */
export function MenuItem(
  { icon, children, onClick, disabled }: {
    icon?: string;
    children: ComponentChildren;
    onClick(): void;
    disabled?: boolean;
  },
) {
  return (
    <button type="button" class="menu-item" disabled={disabled} onClick={onClick}>
      {icon !== undefined && <Icon name={icon} />}
      <span class="grow cut">{children}</span>
    </button>
  );
}
