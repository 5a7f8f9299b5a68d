/** A switch. */
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
