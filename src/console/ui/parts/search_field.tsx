import { Icon } from "./icon.tsx";

/** The search field of a page; the key `/` focuses it. */
export function SearchField(
  { label, placeholder, value, onChange, mono = false }: {
    label: string;
    placeholder: string;
    value: string;
    onChange(value: string): void;
    mono?: boolean;
  },
) {
  return (
    <label class="search grow">
      <Icon name="search" />
      <input
        type="search"
        class={mono ? "mono" : undefined}
        data-search
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
