import { useEffect, useMemo, useState } from "preact/hooks";
import { offersPage } from "../permits.ts";
import { href } from "../route.ts";
import { findNames } from "../search.ts";
import { targetText } from "../text.ts";
import { runFavourite } from "./pages/run/function_menu.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Icon } from "./parts/icon.tsx";
import type { Store } from "./store/store.ts";
import { useStore } from "./store/store_context.ts";

/** The pages, and the keys that open them: `g` and then the letter. */
export const JUMPS: { key: string; page: string; label: string; icon: string }[] = [
  { key: "f", page: "fleet", label: "Fleet", icon: "fleet" },
  { key: "r", page: "run", label: "Run", icon: "run" },
  { key: "j", page: "jobs", label: "Jobs", icon: "jobs" },
  { key: "k", page: "keys", label: "Keys", icon: "keys" },
  { key: "e", page: "events", label: "Events", icon: "events" },
  { key: "a", page: "automation", label: "Automation", icon: "bolt" },
  { key: "i", page: "issues", label: "Issues", icon: "warn" },
  { key: "u", page: "access", label: "Access", icon: "eye" },
];

/** The pages that are offered to this account. */
export const jumpsFor = (store: Store) => JUMPS.filter(({ page }) => offersPage(store.session.perms, page));

interface Choice {
  label: string;
  note: string;
  icon: string;
  href: string;
}

/** The most saved targets and favourites that are offered. */
const MAX_KEPT = 6;
/** The most functions that are offered. */
const FUNCTIONS = 8;

function choicesOf(store: Store, text: string, functions: readonly string[]): Choice[] {
  const wanted = text.trim().toLowerCase();
  const pages = jumpsFor(store).filter(({ label }) => label.toLowerCase().includes(wanted))
    .map(({ label, page, icon, key }) => ({ label, note: `g ${key}`, icon, href: href(page) }));
  if (wanted === "") return pages;
  const minions = [];
  for (const id of store.fleet.minions.ids) {
    if (id.toLowerCase().includes(wanted)) {
      minions.push({ label: id, note: store.fleet.minions.presence(id), icon: "fleet", href: href("minions", id) });
      if (minions.length >= 8) break;
    }
  }
  const jobs = (store.history.rows.value ?? []).filter(({ search }) => search.includes(wanted)).slice(0, 5).map((
    job,
  ) => ({
    label: `${job.fun} ${job.args}`,
    note: job.target,
    icon: "jobs",
    href: href("jobs", job.jid),
  }));
  const typed = text.trim();
  const found = findNames(functions, typed, FUNCTIONS);
  // The typed name is offered as well: a function that the minion does not list can be run, too.
  const names = /^[a-z_]\w*\.\w+$/i.test(typed) && !found.includes(typed) ? [typed, ...found] : found;
  const { favourites, targets } = store.saved.current.value;
  const kept = [
    ...favourites.filter(({ name, fun }) => `${name} ${fun}`.toLowerCase().includes(wanted)).map((one) => ({
      label: one.name,
      note: one.fun,
      icon: "star",
      href: runFavourite(one),
    })),
    ...targets.filter(({ name }) => name.toLowerCase().includes(wanted)).map(({ name, tgt, type }) => ({
      label: name,
      note: targetText(tgt),
      icon: "star",
      href: href("fleet", "", { tgt, tgt_type: type }),
    })),
  ].slice(0, MAX_KEPT);
  const run = names.map((fun) => ({
    label: `Run ${fun}`,
    note: "choose a target",
    icon: "run",
    href: href("run", "", { fun }),
  }));
  return [...pages, ...kept, ...minions, ...run, ...jobs];
}

/** Finds pages, minions, functions and jobs by name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [functions, setFunctions] = useState<readonly string[]>([]);
  useEffect(() => {
    let over = false;
    const { ids } = store.fleet.minions;
    const example = ids.find((id) => store.fleet.minions.presence(id) === "up") ?? ids[0];
    if (example !== undefined) {
      store.functions.list(example).then((names) => {
        if (!over) setFunctions(names);
      }, () => {
        // A failure is ignored: an account that may not list functions can type a name.
      });
    }
    return () => {
      over = true;
    };
  }, []);
  const choices = useMemo(() => choicesOf(store, text, functions), [text, functions, store.fleet.beat.value]);
  const take = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    location.hash = choice.href;
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Page, minion, function or job"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={choices.length > 0 ? `palette-${at}` : undefined}
        autofocus
        autocomplete="off"
        spellcheck={false}
        placeholder="Page, minion, function or job"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(choices.length - 1, at + 1));
          else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
          else if (event.key === "Enter") take(choices[at]);
          else return;
          event.preventDefault();
        }}
      />
      <ul class="palette" id="palette-list" role="listbox" aria-label="Results">
        {choices.map((choice, index) => (
          <li
            key={choice.href}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            class={index === at ? "on" : ""}
            onClick={() => take(choice)}
          >
            <Icon name={choice.icon} /> <span class="cut grow">{choice.label}</span>
            <span class="muted small cut">{choice.note}</span>
          </li>
        ))}
        {choices.length === 0 && <li class="muted">No matches</li>}
      </ul>
    </Dialog>
  );
}

/** The keyboard shortcuts. */
export function Help({ onClose }: { onClose: () => void }) {
  const keys: [string, string][] = [
    ["/", "focus the search or target field"],
    ["Ctrl K", "go to a page, minion, function or job"],
    ...jumpsFor(useStore()).map(({ key, label }): [string, string] => [`g ${key}`, label]),
    ["↑ ↓", "move in a list; also Home, End, Page Up, Page Down"],
    ["Enter", "open or expand"],
    ["Space", "select"],
    ["Ctrl Enter", "run, on the Run page"],
    ["Esc", "close a dialog, leave a field"],
    ["?", "show this list"],
  ];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="help">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
