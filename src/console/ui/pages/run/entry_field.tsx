import { type FormEntry, typed } from "../../../form.ts";

/** A field for one value. A button beside it shows the type that will be sent, and switches to text. */
export function EntryField(
  { label, entry, onChange, hint, required = false }: {
    label: string;
    entry: FormEntry;
    onChange(entry: FormEntry): void;
    hint?: string;
    required?: boolean;
  },
) {
  const { type } = typed(entry);
  const auto = typed({ text: entry.text });
  const lines = entry.text.split("\n").length;
  const inputProps = {
    class: "mono grow",
    spellcheck: false,
    autocomplete: "off",
    autocapitalize: "off",
    "aria-label": label === "" ? "Value" : label,
    "aria-required": required,
    placeholder: hint,
    value: entry.text,
  } as const;
  return (
    <div class="field">
      {label !== "" && <span class={`field-label ${required ? "required" : ""}`} aria-hidden="true">{label}</span>}
      <div class="field-input">
        {lines > 1
          ? (
            <textarea
              {...inputProps}
              rows={Math.min(12, lines + 1)}
              onInput={(event) => onChange({ ...entry, text: event.currentTarget.value })}
            />
          )
          : (
            <input
              type="text"
              {...inputProps}
              onInput={(event) => onChange({ ...entry, text: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || !event.shiftKey) return;
                event.preventDefault();
                onChange({ ...entry, text: `${entry.text}\n` });
              }}
            />
          )}
        {entry.text !== "" && (auto.type !== "text" || entry.literal
          ? (
            <button
              type="button"
              class="type"
              title={entry.literal ? `Sent as text; click to send as ${auto.type}` : "Click to send as text"}
              onClick={() => onChange({ ...entry, literal: !entry.literal })}
            >
              {type}
            </button>
          )
          : <span class="type still">{type}</span>)}
      </div>
    </div>
  );
}
