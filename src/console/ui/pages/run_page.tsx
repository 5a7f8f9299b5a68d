import { useEffect, useMemo, useState } from "preact/hooks";
import { hasDryRun, reasonToConfirm } from "../../danger.ts";
import {
  type ArgSpec,
  argumentsOf,
  docText,
  EMPTY,
  type Entry,
  type Filled,
  filledFrom,
  type Form,
  formOf,
  typed,
} from "../../form.ts";
import { href } from "../../route.ts";
import { countOf, countWords } from "../../preview.ts";
import { findNames } from "../../search.ts";
import { countText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Problem } from "../parts/problem.tsx";
import { State } from "../parts/state.tsx";
import { DataView } from "../parts/data_view.tsx";
import type { Store } from "../store/store.ts";
import { useStore } from "../store/store_context.ts";
import { TargetBox, type TargetValue, usePreview } from "../parts/target_box.tsx";

type Where = "minions" | "runner" | "wheel";

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Runs any function: whom, what, with which arguments; on minions, or on the master itself. */
export function RunPage() {
  const store = useStore();
  const { query } = store.route.value;
  const [where, setWhere] = useState<Where>((query.where as Where | undefined) ?? "minions");
  const [target, setTarget] = useState<TargetValue>({ tgt: query.tgt ?? "*", type: query.tgt_type ?? "glob" });
  const [fun, setFun] = useState(query.fun ?? "");
  const [filled, setFilled] = useState<Filled>(EMPTY);
  const [stream, setStream] = useState(true);
  const [busy, setBusy] = useState<"" | "ping" | "run">("");
  const [error, setError] = useState<unknown>(undefined);
  const [confirm, setConfirm] = useState<{ reason: string; go: () => unknown } | undefined>(undefined);
  const [ping, setPing] = useState<{ up: string[]; silent: string[] } | undefined>(undefined);
  const [result, setResult] = useState<{ value: unknown } | undefined>(undefined);

  const preview = usePreview(target, fun);
  const whom = countWords(preview);
  const matched = preview.kind === "here" ? preview.matched : undefined;
  const example = useExample(store, where, matched);
  const { names, docs, problem } = useFunctions(store, where, example);
  const { form, doc, loading } = useForm(store, where, example, fun, names, docs);

  // Arguments of an earlier run come with the address; they fill the form once it is known which fields it has.
  useEffect(() => {
    const arg = parsed(query.arg);
    const kwarg = parsed(query.kwarg);
    if (!Array.isArray(arg) && typeof kwarg !== "object") return;
    if (fun !== query.fun || loading) return;
    setFilled(filledFrom(form, {
      arg: Array.isArray(arg) ? arg : [],
      kwarg: (kwarg ?? {}) as Record<string, unknown>,
    }));
  }, [form, loading]);
  useEffect(() => setPing(undefined), [target.tgt, target.type]);

  const { arg, kwarg, problems } = useMemo(() => argumentsOf(form, filled), [form, filled]);
  const wrong = Object.values(problems);
  const onMinions = where === "minions";
  const ready = fun !== "" && wrong.length === 0 && (!onMinions || (target.tgt !== "" && preview.kind !== "invalid"));

  const attempt = async (kind: "ping" | "run", work: () => Promise<void>) => {
    setBusy(kind);
    setError(undefined);
    try {
      await work();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy("");
    }
  };
  const pingTarget = () =>
    attempt("ping", async () => {
      const answers = await store.api.local({ tgt: target.tgt, tgt_type: target.type, fun: "test.ping" });
      const ids = Object.keys(answers);
      setPing({ up: ids.filter((id) => answers[id] === true), silent: ids.filter((id) => answers[id] !== true) });
    });
  const start = (more: Record<string, unknown>) =>
    attempt("run", async () => {
      const named = { ...kwarg, ...more };
      if (!onMinions) {
        const value = where === "runner"
          ? await store.api.runner(fun, { arg, kwarg: named })
          : await store.api.wheel(fun, { ...byName(form, arg), ...named });
        setResult({ value });
        return;
      }
      const jid = await store.start({
        tgt: target.tgt,
        tgt_type: target.type,
        fun,
        arg,
        ...(Object.keys(named).length > 0 ? { kwarg: named } : {}),
        ...(stream ? { stream: true } : {}),
      });
      if (jid === undefined) {
        store.notices.add(
          "bad",
          `Nobody matches ${target.tgt}`,
          "No job was started. Look at the preview of the target.",
        );
      } else location.hash = href("jobs", jid);
    });
  const run = (more: Record<string, unknown> = {}) => {
    if (!ready || busy !== "") return;
    const reason = reasonToConfirm(fun, { ...kwarg, ...more }, onMinions ? countOf(preview) : 1);
    if (reason === undefined) void start(more);
    else setConfirm({ reason, go: () => start(more) });
  };

  return (
    <main class="page scroll">
      <header class="page-head">
        <h1>Run</h1>
      </header>
      <form
        class="run"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <fieldset class="segmented">
          <legend class="visually-hidden">Where it runs</legend>
          {(["minions", "runner", "wheel"] as const).map((one) => (
            <label key={one} class={where === one ? "on" : ""}>
              <input
                type="radio"
                name="where"
                checked={where === one}
                onChange={() => {
                  setWhere(one);
                  setFun("");
                  setFilled(EMPTY);
                  setResult(undefined);
                }}
              />
              {one === "minions" ? "Minions" : one === "runner" ? "Runner" : "Wheel"}
            </label>
          ))}
        </fieldset>

        {onMinions && (
          <section class="step">
            <h2>Whom</h2>
            <TargetBox value={target} preview={preview} onChange={setTarget} />
            <div class="actions">
              <Button icon="events" disabled={busy !== "" || target.tgt === ""} onClick={pingTarget}>
                {busy === "ping" ? "Pinging…" : "Ping them first"}
              </Button>
              {ping !== undefined && (
                <span role="status" class="ping">
                  <State state="up" /> {ping.up.length.toLocaleString("en")} answered
                  {ping.silent.length > 0 && (
                    <>
                      {" "}· <State state="no answer" /> {ping.silent.slice(0, 5).join(", ")}
                      {ping.silent.length > 5 && ` and ${ping.silent.length - 5} more`}
                    </>
                  )}
                </span>
              )}
            </div>
          </section>
        )}

        <section class="step">
          <h2>What</h2>
          <FunctionBox
            names={names}
            value={fun}
            onChange={(name) => {
              setFun(name);
              setFilled(EMPTY);
              setResult(undefined);
            }}
          />
          <p class="hint">
            {problem ?? (names === undefined
              ? onMinions && example === undefined
                ? "No minion of these is up to say what it can do; any name can be typed."
                : "Reading the functions…"
              : `${countText(names.length, "function")}${onMinions ? ` on ${example}` : ""}`)}
          </p>
          {doc !== "" && (
            <details class="doc" open={docText(doc).split("\n").length < 14}>
              <summary>Documentation of {fun}</summary>
              <pre>{docText(doc)}</pre>
            </details>
          )}
        </section>

        {fun !== "" && (
          <section class="step">
            <h2>With</h2>
            {loading
              ? <p class="hint">Reading its arguments…</p>
              : <ArgumentForm form={form} filled={filled} problems={problems} onChange={setFilled} />}
          </section>
        )}

        <Problem error={error} />
        <div class="run-bar">
          {onMinions && (
            <label class="check">
              <input
                type="checkbox"
                checked={stream}
                onChange={(event) => setStream(event.currentTarget.checked)}
              />
              Output while it runs
            </label>
          )}
          <span class="grow" />
          {fun !== "" && wrong[0] !== undefined && <span class="hint" role="status">{wrong[0]}</span>}
          {hasDryRun(fun) && kwarg.test !== true && (
            <Button
              disabled={!ready || busy !== ""}
              onClick={() => run({ test: true })}
            >
              Dry run (test=True)
            </Button>
          )}
          <Button type="submit" icon="run" kind="primary" disabled={!ready || busy !== ""}>
            {busy === "run" ? "Starting…" : onMinions ? `Run on ${whom}` : "Run"}
          </Button>
        </div>
      </form>
      {result !== undefined && (
        <section class="result">
          <div class="section-head">
            <h2>Result</h2>
            <CopyButton text={() => JSON.stringify(result.value, null, 2)} />
          </div>
          <DataView value={result.value} label="Result" />
        </section>
      )}
      {confirm !== undefined && (
        <Confirm
          title={`Run ${fun}?`}
          action={onMinions ? `Run on ${whom}` : "Run it"}
          onConfirm={confirm.go}
          onClose={() => setConfirm(undefined)}
        >
          <p>{confirm.reason}</p>
          {onMinions && (
            <p>
              Target <code>{target.tgt}</code>: {whom}
              {matched !== undefined && matched.length > 0 &&
                ` (${matched.slice(0, 5).join(", ")}${matched.length > 5 ? ", …" : ""})`}.
            </p>
          )}
        </Confirm>
      )}
    </main>
  );
}

/** Wheel functions take named arguments only. */
function byName(form: Form, arg: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(arg.map((value, at) => [form.fields[at]?.name ?? `arg${at}`, value]));
}

/** A minion of the target that is up, as far as is known: it says which functions there are. */
function useExample(store: Store, where: Where, matched: readonly string[] | undefined): string | undefined {
  store.fleet.beat.value;
  if (where !== "minions") return undefined;
  const among = matched !== undefined && matched.length > 0 ? matched : store.fleet.minions.ids;
  // Some accounts may not see who is up.
  return among.find((id) => store.fleet.minions.presence(id) === "up") ??
    among.find((id) => store.fleet.minions.presence(id) === "unknown");
}

function useFunctions(store: Store, where: Where, example: string | undefined) {
  const [state, setState] = useState<{ names?: string[]; docs?: Map<string, string>; problem?: string }>({});
  useEffect(() => {
    let over = false;
    const take = (value: typeof state) => {
      if (!over) setState(value);
    };
    const failed = (error: unknown) =>
      take({ problem: `${error instanceof Error ? error.message : error}; any name can be typed.` });
    take({});
    if (where === "minions") {
      if (example !== undefined) {
        store.functions.list(example).then(
          (names) => take(names.length > 0 ? { names } : { problem: "It listed no functions; any name can be typed." }),
          failed,
        );
      }
    } else {
      store.functions.ofMaster(where).then(
        (docs) => take({ docs, names: [...docs.keys()] }),
        (error) => where === "wheel" ? take({ names: WHEEL }) : failed(error),
      );
    }
    return () => {
      over = true;
    };
  }, [where, example]);
  return state;
}

const ANYTHING = formOf(undefined);

/** What wheel functions take is not listed anywhere but in their documentation; of the common ones it is known. */
const MATCH: ArgSpec = { args: ["match"], defaults: null, varargs: null, kwargs: true };
const BY_NAME = formOf({ args: null, defaults: null, varargs: null, kwargs: true });

/** Wheel functions that every master has, for those that do not list them. */
const WHEEL = [
  "config.values",
  ...[
    "accept",
    "accept_dict",
    "delete",
    "delete_dict",
    "finger",
    "list_all",
    "name_match",
    "print",
    "reject",
    "reject_dict",
  ]
    .map((name) => `key.${name}`),
  "minions.connected",
];

function wheelForm(fun: string): Form {
  return /^key\.(accept|delete|finger|name_match|print|reject)$/.test(fun) ? formOf(MATCH) : BY_NAME;
}

function useForm(
  store: Store,
  where: Where,
  example: string | undefined,
  fun: string,
  names: readonly string[] | undefined,
  docs: Map<string, string> | undefined,
): { form: Form; doc: string; loading: boolean } {
  const [state, setState] = useState({ key: "", form: ANYTHING, doc: "" });
  const key = `${where} ${example} ${fun}`;
  const known = names?.includes(fun) ?? false;
  const unlisted = useMemo(() => where === "wheel" ? wheelForm(fun) : ANYTHING, [where, fun]);
  useEffect(() => {
    if (!known) return;
    let over = false;
    if (where !== "minions") {
      const form = where === "wheel" ? wheelForm(fun) : ANYTHING;
      setState({ key, form, doc: docs?.get(fun) ?? "" });
    } else if (example !== undefined) {
      store.functions.describe(example, fun).then(({ spec, doc }) => {
        if (!over) setState({ key, form: formOf(spec), doc });
      }, () => {
        if (!over) setState({ key, form: ANYTHING, doc: "" });
      });
    }
    return () => {
      over = true;
    };
  }, [key, known]);
  if (!known) return { form: unlisted, doc: "", loading: false };
  return { ...state, loading: state.key !== key };
}

/** A field with suggestions: whatever has the typed words in it, those that begin with them first. */
function FunctionBox(
  { names, value, onChange }: { names: readonly string[] | undefined; value: string; onChange(name: string): void },
) {
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const found = useMemo(() => {
    return findNames(names ?? [], value, 50);
  }, [names, value]);
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
              // Before the field loses the focus and the list goes.
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

const SHOWN_FIELDS = 6;

function ArgumentForm(
  { form, filled, problems, onChange }: {
    form: Form;
    filled: Filled;
    problems: Record<string, string>;
    onChange(filled: Filled): void;
  },
) {
  const [all, setAll] = useState(false);
  const isUsed = (name: string) => (filled.fields[name]?.text ?? "") !== "";
  const shown = all
    ? form.fields
    : form.fields.filter(({ name, required }, at) => required || at < SHOWN_FIELDS || isUsed(name));
  const set = (name: string, entry: Entry) => onChange({ ...filled, fields: { ...filled.fields, [name]: entry } });
  const more = filled.more.length > 0 ? filled.more : form.more ? [{ text: "" }] : [];
  return (
    <div class="arguments">
      {form.fields.length === 0 && !form.more && !form.named && <p class="hint">It takes no arguments.</p>}
      {shown.map(({ name, required, fallback }) => (
        <EntryField
          key={name}
          label={name}
          required={required}
          hint={required ? "needed" : fallbackText(fallback)}
          entry={filled.fields[name] ?? { text: "" }}
          onChange={(entry) => set(name, entry)}
        />
      ))}
      {shown.length < form.fields.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {form.fields.length - shown.length} more arguments
        </button>
      )}
      {more.map((entry, at) => (
        <EntryField
          key={`more ${at}`}
          label={form.fields.length === 0 ? `argument ${at + 1}` : `further argument ${at + 1}`}
          entry={entry}
          onChange={(changed) => onChange({ ...filled, more: more.map((one, index) => index === at ? changed : one) })}
        />
      ))}
      {form.more && more.every(({ text }) => text !== "") && (
        <button
          type="button"
          class="link"
          onClick={() => onChange({ ...filled, more: [...more, { text: "" }] })}
        >
          Add an argument
        </button>
      )}
      {filled.named.map(({ name, entry }, at) => (
        <div class="named" key={`named ${at}`}>
          <input
            class="mono"
            type="text"
            aria-label="Name of the argument"
            placeholder="name"
            spellcheck={false}
            value={name}
            onInput={(event) =>
              onChange({
                ...filled,
                named: filled.named.map((one, index) =>
                  index === at ? { ...one, name: event.currentTarget.value } : one
                ),
              })}
          />
          <EntryField
            label=""
            entry={entry}
            onChange={(changed) =>
              onChange({
                ...filled,
                named: filled.named.map((one, index) => index === at ? { ...one, entry: changed } : one),
              })}
          />
        </div>
      ))}
      {form.named && (
        <button
          type="button"
          class="link"
          onClick={() => onChange({ ...filled, named: [...filled.named, { name: "", entry: { text: "" } }] })}
        >
          Add a named argument
        </button>
      )}
      {Object.entries(problems).filter(([name]) => name === "more" || name === "named").map(([name, text]) => (
        <p key={name} class="field-problem">
          <Icon name="warn" size={14} /> {text}
        </p>
      ))}
    </div>
  );
}

const fallbackText = (fallback: unknown): string =>
  fallback === null || fallback === undefined ? "optional" : `default ${JSON.stringify(fallback)}`;

/** A field for one value; what type it is read as stands beside it, and a press makes it text. */
function EntryField(
  { label, entry, onChange, hint, required = false }: {
    label: string;
    entry: Entry;
    onChange(entry: Entry): void;
    hint?: string;
    required?: boolean;
  },
) {
  const { type } = typed(entry);
  const auto = typed({ text: entry.text });
  const lines = entry.text.split("\n").length;
  const inputProps = {
    class: "mono grow",
    spellcheck: false,
    autocomplete: "off",
    autocapitalize: "off",
    "aria-label": label === "" ? "Value" : label,
    "aria-required": required,
    placeholder: hint,
    value: entry.text,
  } as const;
  return (
    <div class="field">
      {label !== "" && <span class={`field-label ${required ? "required" : ""}`} aria-hidden="true">{label}</span>}
      <div class="field-input">
        {lines > 1
          ? (
            <textarea
              {...inputProps}
              rows={Math.min(12, lines + 1)}
              onInput={(event) => onChange({ ...entry, text: event.currentTarget.value })}
            />
          )
          : (
            <input
              type="text"
              {...inputProps}
              onInput={(event) => onChange({ ...entry, text: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || !event.shiftKey) return;
                event.preventDefault();
                onChange({ ...entry, text: `${entry.text}\n` });
              }}
            />
          )}
        {entry.text !== "" && (auto.type !== "text" || entry.literal
          ? (
            <button
              type="button"
              class="type"
              title={entry.literal ? `Sent as text; press to send it as ${auto.type}` : "Press to send it as text"}
              onClick={() => onChange({ ...entry, literal: !entry.literal })}
            >
              {type}
            </button>
          )
          : <span class="type still">{type}</span>)}
      </div>
    </div>
  );
}
