export function Switch(
  { on, label, onChange, disabled = false, hidden = false }: {
    on: boolean;
    label: string;
    onChange(on: boolean): void;
    disabled?: boolean;
    /** True if the label is only for screen readers. */
    hidden?: boolean;
  },
) {
  return (
    <label class="switch" title={hidden ? label : undefined}>
      <input
        type="checkbox"
        role="switch"
        checked={on}
        disabled={disabled}
        onChange={(event) => {
          // The switch keeps showing the state of the minion until the minion has answered.
          event.currentTarget.checked = on;
          onChange(!on);
        }}
      />
      <span class={hidden ? "visually-hidden" : ""}>{label}</span>
    </label>
  );
}

/** A choice between a few values, side by side. */
export function Segmented<Value extends string>(
  { legend, name, options, value, onChange }: {
    legend: string;
    /** The name of the radio buttons, unique on the page. */
    name: string;
    options: readonly { value: Value; label: string }[];
    value: Value;
    onChange(value: Value): void;
  },
) {
  return (
    <fieldset class="segmented">
      <legend class="visually-hidden">{legend}</legend>
      {options.map((option) => (
        <label key={option.value} class={value === option.value ? "on" : ""}>
          <input type="radio" name={name} checked={value === option.value} onChange={() => onChange(option.value)} />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
