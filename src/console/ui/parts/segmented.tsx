/** A choice between a few values, side by side. */
export function Segmented<Value extends string>(
  { legend, name, options, value, onChange }: {
    /** The legend for screen readers. */
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
