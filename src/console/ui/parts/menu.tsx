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
        aria-label={label}
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

/** Choices under a title. */
export function MenuSection({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="menu-section" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** A choice that the user has saved, and can delete. */
export function DeletableItem(
  { name, note, onClick, onDelete }: { name: string; note: string; onClick(): void; onDelete(): void },
) {
  return (
    <div class="menu-row">
      <MenuItem onClick={onClick}>
        {name} <span class="mono muted small">{note}</span>
      </MenuItem>
      <button type="button" class="fold" aria-label={`Delete ${name}`} title="Delete" onClick={onDelete}>
        <Icon name="bad" size={12} />
      </button>
    </div>
  );
}

/** A field for a name, under which something is saved. */
export function SaveAs({ label, onSave }: { label: string; onSave(name: string): void }) {
  const [name, setName] = useState("");
  const save = () => {
    if (name.trim() === "") return;
    onSave(name);
    setName("");
  };
  return (
    <div class="save-as">
      <input
        type="text"
        aria-label={label}
        placeholder={label}
        maxLength={80}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // Otherwise Enter would submit the outer form.
          event.preventDefault();
          save();
        }}
      />
      <button type="button" class="button" disabled={name.trim() === ""} onClick={save}>Save</button>
    </div>
  );
}
