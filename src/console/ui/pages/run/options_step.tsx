import { AT_ONCE, type RunSettings } from "../../../run_options.ts";
import { TextField } from "../../parts/text_field.tsx";

const FIELDS: { name: keyof RunSettings; label: string; hint: string }[] = [
  { name: "batch", label: "Batch", hint: "minions at once: 10 or 25%" },
  { name: "wait", label: "Wait between batches", hint: "seconds" },
  { name: "failures", label: "Stop after failures", hint: "number of minions" },
  { name: "subset", label: "Random subset", hint: "number of minions" },
  { name: "timeout", label: "Timeout", hint: "seconds on each minion (Brine)" },
  { name: "queue", label: "Queue for offline minions", hint: "seconds (Brine)" },
];

/** The options of a job: batch, subset, timeout and queue. */
export function OptionsStep(
  { options, problems, onOptions }: {
    options: RunSettings;
    problems: Partial<Record<keyof RunSettings, string>>;
    onOptions(options: RunSettings): void;
  },
) {
  const used = FIELDS.filter(({ name }) => options[name] !== "").map(({ label }) => label.toLowerCase());
  return (
    <details class="step doc options">
      <summary>
        Batch, subset, timeout, queue
        {used.length > 0 && <span class="muted">: {used.join(", ")}</span>}
      </summary>
      <div class="fields">
        {FIELDS.map(({ name, label, hint }) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            value={options[name]}
            onChange={(value) => onOptions({ ...options, [name]: value.trim() })}
          />
        ))}
        {Object.values(problems).map((text) => <p key={text} class="field-problem">{text}</p>)}
        {Object.values(options).some((value) => value !== "") && (
          <button
            type="button"
            class="link"
            onClick={() => onOptions(AT_ONCE)}
          >
            Run on all at once
          </button>
        )}
      </div>
    </details>
  );
}
