import { useState } from "preact/hooks";
import type { Field, Filled, Form, FormEntry } from "../../../form.ts";
import { Icon } from "../../parts/icon.tsx";
import { EntryField } from "./entry_field.tsx";

interface FormProps {
  form: Form;
  filled: Filled;
  onChange(filled: Filled): void;
}

export function ArgumentForm(
  { form, filled, problems, onChange }: FormProps & {
    problems: Record<string, string>;
  },
) {
  const empty = form.fields.length === 0 && !form.more && !form.named;
  return (
    <div class="arguments">
      {empty && <p class="hint">This function takes no arguments.</p>}
      <NamedFields form={form} filled={filled} onChange={onChange} />
      <ExtraFields form={form} filled={filled} onChange={onChange} />
      <KeywordFields form={form} filled={filled} onChange={onChange} />
      {Object.entries(problems).filter(([name]) => name === "more" || name === "named").map(([name, text]) => (
        <p key={name} class="field-problem">
          <Icon name="warn" size={14} /> {text}
        </p>
      ))}
    </div>
  );
}

/** Optional fields beyond this many are hidden at first. */
const SHOWN_FIELDS = 6;

/** The arguments that the function's signature names. */
function NamedFields({ form: { fields }, filled, onChange }: FormProps) {
  const [all, setAll] = useState(false);
  const isUsed = (name: string) => (filled.fields[name]?.text ?? "") !== "";
  const shown = all ? fields : fields.filter(({ name, required }, at) => required || at < SHOWN_FIELDS || isUsed(name));
  const hidden = fields.length - shown.length;
  return (
    <>
      {shown.map((field) => (
        <EntryField
          key={field.name}
          label={field.name}
          required={field.required}
          hint={hintOf(field)}
          entry={filled.fields[field.name] ?? { text: "" }}
          onChange={(entry) => onChange({ ...filled, fields: { ...filled.fields, [field.name]: entry } })}
        />
      ))}
      {hidden > 0 && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          Show {hidden} more {hidden === 1 ? "argument" : "arguments"}
        </button>
      )}
    </>
  );
}

function hintOf({ required, fallback }: Field): string {
  if (required) return "required";
  return fallback === null || fallback === undefined ? "optional" : `default ${JSON.stringify(fallback)}`;
}

/** Positional arguments beyond the named ones. */
function ExtraFields({ form, filled, onChange }: FormProps) {
  const entries: FormEntry[] = filled.more.length > 0 ? filled.more : form.more ? [{ text: "" }] : [];
  const set = (more: FormEntry[]) => onChange({ ...filled, more });
  return (
    <>
      {entries.map((entry, at) => (
        <EntryField
          key={`more ${at}`}
          label={form.fields.length === 0 ? `argument ${at + 1}` : `extra argument ${at + 1}`}
          entry={entry}
          onChange={(changed) => set(entries.map((one, index) => index === at ? changed : one))}
        />
      ))}
      {form.more && entries.every(({ text }) => text !== "") && (
        <button
          type="button"
          class="link"
          onClick={() => set([...entries, { text: "" }])}
        >
          Add argument
        </button>
      )}
    </>
  );
}

function KeywordFields({ form, filled, onChange }: FormProps) {
  const set = (named: Filled["named"]) => onChange({ ...filled, named });
  const change = (at: number, changed: Partial<Filled["named"][number]>) =>
    set(filled.named.map((one, index) => index === at ? { ...one, ...changed } : one));
  return (
    <>
      {filled.named.map(({ name, entry }, at) => (
        <div class="named" key={`named ${at}`}>
          <input
            class="mono"
            type="text"
            aria-label="Argument name"
            placeholder="name"
            spellcheck={false}
            value={name}
            onInput={(event) => change(at, { name: event.currentTarget.value })}
          />
          <EntryField label="" entry={entry} onChange={(entry) => change(at, { entry })} />
        </div>
      ))}
      {form.named && (
        <button
          type="button"
          class="link"
          onClick={() => set([...filled.named, { name: "", entry: { text: "" } }])}
        >
          Add keyword argument
        </button>
      )}
    </>
  );
}
