import { useMemo, useState } from "preact/hooks";
import { findNames } from "../../../search.ts";

const SUGGESTIONS = 50;

/** A field for the name of a function, with suggestions that contain the typed words. */
export function FunctionBox(
  { names, value, onChange }: { names: readonly string[] | undefined; value: string; onChange(name: string): void },
) {
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const found = useMemo(() => findNames(names ?? [], value, SUGGESTIONS), [names, value]);
  const shown = open && found.length > 0 && !(found.length === 1 && found[0] === value);
  const take = (name: string) => {
    onChange(name);
    setOpen(false);
  };
  return (
    <div class="combo">
      <input
        class="mono"
        id="function"
        type="text"
        role="combobox"
        aria-label="Function"
        aria-expanded={shown}
        aria-controls="function-list"
        aria-activedescendant={shown ? `function-${at}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder="test.ping"
        value={value}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onInput={(event) => {
          onChange(event.currentTarget.value.trim());
          setOpen(true);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(found.length - 1, open ? at + 1 : 0));
          else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
          else if (event.key === "Enter" && shown) take(found[at]!);
          else if (event.key === "Escape" && shown) setOpen(false);
          else return;
          if (event.key.startsWith("Arrow")) setOpen(true);
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {shown && (
        <ul id="function-list" role="listbox" aria-label="Functions" class="suggestions">
          {found.map((name, index) => (
            <li
              key={name}
              id={`function-${index}`}
              role="option"
              aria-selected={index === at}
              class={index === at ? "on" : ""}
              ref={(element) => {
                if (index === at) element?.scrollIntoView({ block: "nearest" });
              }}
              // Uses mousedown and not click: before a click the field would lose focus, which closes the list.
              onMouseDown={(event) => {
                event.preventDefault();
                take(name);
              }}
            >
              {name}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
