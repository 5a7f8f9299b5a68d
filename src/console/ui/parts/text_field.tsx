import type { ComponentChildren } from "preact";

/** A control of a form with its name. */
export function FieldRow({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <span class="field-name" aria-hidden="true">{label}</span>
      {children}
    </div>
  );
}

export function TextField(
  { label, value, onChange, hint = "", mono = false, disabled = false, list }: {
    label: string;
    value: string;
    onChange(value: string): void;
    hint?: string;
    mono?: boolean;
    disabled?: boolean;
    list?: string;
  },
) {
  return (
    <FieldRow label={label}>
      <input
        type="text"
        class={mono ? "mono" : ""}
        aria-label={label}
        placeholder={hint}
        spellcheck={false}
        autocomplete="off"
        list={list}
        disabled={disabled}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </FieldRow>
  );
}
