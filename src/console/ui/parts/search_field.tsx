import { Icon } from "./icon.tsx";

/** Where a page's list is searched; the key `/` leads to it. */
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
