/** Something that is on or off. */
export function Switch(
  { on, label, onChange, disabled = false, hidden = false }: {
    on: boolean;
    label: string;
    onChange(on: boolean): void;
    disabled?: boolean;
    /** Whether the label is for screen readers alone. */
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
          // It shows the state of the minion, which answers first.
          event.currentTarget.checked = on;
          onChange(!on);
        }}
      />
      <span class={hidden ? "visually-hidden" : ""}>{label}</span>
    </label>
  );
}
