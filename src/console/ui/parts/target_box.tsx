import { useEffect, useMemo, useState } from "preact/hooks";
import type { Preview, TargetValue } from "../../preview.ts";
import { answeredPreview, countWords, needsGrains, previewTargetOf, TARGET_TYPES } from "../../preview.ts";
import { Icon } from "./icon.tsx";
import { TargetMenu } from "./target_menu.tsx";
import { errorText } from "../../text.ts";
import { useStore } from "../store/store_context.ts";
import { useAttempt } from "./hooks.ts";

/** The function for which a preview is requested while none is chosen. */
const ANY_FUNCTION = "test.ping";
/** The time without typing before the master is asked, in milliseconds, so that it is not asked for each letter. */
const TYPING_MS = 300;

type TargetPreview = Preview & {
  /** True while the master has been asked and has not answered. */
  asking?: boolean;
  /** Pings the target, if only the minions themselves know whether they match. */
  ping?(): Promise<void>;
};

/**
 * The minions that a target matches now. Targets that depend only on ids are matched here at once; for others the master is
 * asked, and until it has answered the preview is unknown.
 *
 * @param fun the function to run: an account may run one function on more minions than another
 */
export function usePreview({ tgt, type }: TargetValue, fun = ""): TargetPreview {
  const store = useStore();
  // Subscribes to the beat: the list of ids is a new array only if a key was added or removed.
  store.fleet.beat.value;
  const known = store.fleet.known.value;
  const byGrains = needsGrains(tgt, type);
  const grainsBeat = byGrains ? store.fleet.grainsBeat.value : 0;
  const ids = known ? store.fleet.minions.ids : undefined;
  const local = useMemo(
    () => previewTargetOf(tgt, type, { ids, grains: (id) => store.fleet.grains.of(id) }),
    [tgt, type, ids, grainsBeat],
  );

  const [asked, setAsked] = useState<{ key: string; preview: Preview | undefined } | undefined>(undefined);
  const wants = store.fleet.ready.value &&
    (local.kind === "master" || (byGrains && local.kind === "here" && tgt !== ""));
  // An account that may see all minions may usually run any function on all of them; for others, it depends on the function.
  const question = known || !/^[\w-]+\.[\w-]+$/.test(fun) ? ANY_FUNCTION : fun;
  const key = `${type} ${question} ${tgt}`;
  useEffect(() => {
    if (!wants) return;
    let over = false;
    const timer = setTimeout(async () => {
      const why = local.kind === "master" ? local.why : "it has all grains";
      const preview = await store.fleet.askTarget({ tgt: tgt, type: type, fun: question, why: why });
      if (!over) setAsked({ key, preview });
      // The browser matches by the grains in the master's cache.
      if (preview === undefined && !over) store.fleet.grains.want(store.fleet.minions.ids);
    }, TYPING_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
    // `ids` is a dependency, so that the master is asked again when a key was accepted or deleted.
  }, [key, wants, ids]);
  if (!store.fleet.ready.value) return { kind: "master", why: "loading keys", asking: true };
  if (!wants) return local;
  if (asked?.key !== key) {
    const why = local.kind === "master" ? local.why : "it has all grains";
    return { kind: "master", why, asking: true };
  }
  const shown = asked.preview ?? local;
  if (shown.kind !== "here" || shown.unknown.length === 0 || store.fleet.grains.isReading) return shown;
  return {
    ...shown,
    ping: async () => setAsked({ key, preview: answeredPreview(shown, await store.fleet.ping(tgt, type)) }),
  };
}

/** A field for a target, with its type before it and a preview of the matching minions below it. */
export function TargetBox(
  { value, preview, onChange, names = true }: {
    value: TargetValue;
    /** True to name the first matching minions. @default true */
    names?: boolean;
    preview: TargetPreview;
    onChange(value: TargetValue): void;
  },
) {
  return (
    <div class="target-box">
      <div class="joined">
        <select
          aria-label="Target type"
          value={value.type}
          onChange={(event) => onChange({ ...value, type: event.currentTarget.value })}
        >
          {Object.entries(TARGET_TYPES).map(([type, { label }]) => <option key={type} value={type}>{label}</option>)}
        </select>
        {value.tgt.length > LONG_TARGET
          ? <LongTarget tgt={value.tgt} onClear={() => onChange({ ...value, tgt: "" })} />
          : (
            <input
              id="target"
              class="mono grow"
              type="text"
              spellcheck={false}
              autocomplete="off"
              autocapitalize="off"
              aria-label="Target"
              aria-describedby="target-preview"
              aria-invalid={preview.kind === "invalid"}
              placeholder={TARGET_TYPES[value.type]?.example}
              value={value.tgt}
              data-search
              onInput={(event) => onChange({ ...value, tgt: event.currentTarget.value })}
            />
          )}
        <TargetMenu value={value} onChange={onChange} />
      </div>
      <PreviewLine value={value} preview={preview} names={names} />
    </div>
  );
}

/** The most characters of a target in a field: a browser takes half a second to lay out a hundred thousand letters. */
const LONG_TARGET = 4000;

function LongTarget({ tgt, onClear }: { tgt: string; onClear(): void }) {
  return (
    <div class="long-target" aria-describedby="target-preview">
      <span class="mono cut grow">{tgt.slice(0, 200)}…</span>
      <button type="button" class="link" data-search onClick={onClear}>Enter another target</button>
    </div>
  );
}

/** Offers to ping the target, if only the minions themselves know whether they match. */
function AskMinions({ ping }: { ping(): Promise<void> }) {
  const { busy, error, attempt } = useAttempt();
  return (
    <>
      <button type="button" class="link" disabled={busy} onClick={() => attempt(ping)}>
        {busy ? "Asking the minions…" : "Ask the minions (test.ping)"}
      </button>
      {error !== undefined && <span class="bad" role="alert">{errorText(error)}</span>}
    </>
  );
}

function PreviewLine(
  { value, preview, names }: { value: TargetValue; preview: TargetPreview; names: boolean },
) {
  const store = useStore();
  const shown = names ? 5 : 0;
  return (
    <div class="preview" id="target-preview" role="status">
      {preview.kind === "invalid"
        ? (
          <span class="state bad">
            <Icon name="bad" size={14} /> Matches no minion: {preview.why}
          </span>
        )
        : preview.kind === "master" || preview.kind === "unknown"
        ? (
          <span class={`state ${preview.asking ? "idle" : "warn"}`}>
            <Icon name={preview.asking ? "clock" : "warn"} size={14} />{" "}
            {preview.asking ? `Asking the master: ${preview.why}…` : `Number of minions unknown: ${preview.why}`}
          </span>
        )
        : (
          <>
            <b class={preview.matched.length === 0 ? "muted" : ""}>{countWords(preview)}</b>
            <span class="muted">
              {store.fleet.known.value && `of ${store.fleet.minions.counts.accepted.toLocaleString("en")}`}
              {preview.unknown.length > 0 &&
                `: ${preview.unknown.length.toLocaleString("en")} ${
                  preview.unknown.length === 1 ? "has" : "have"
                } no known grains`}
              {preview.why !== undefined && ` · ${preview.why}`}
            </span>
            {preview.ping !== undefined && <AskMinions key={value.tgt} ping={preview.ping} />}
            <span class="chips">
              {preview.matched.slice(0, shown).map((one) => <code key={one} class="chip">{one}</code>)}
              {names && preview.matched.length > shown && (
                <span class="muted">and {(preview.matched.length - shown).toLocaleString("en")} more</span>
              )}
            </span>
          </>
        )}
    </div>
  );
}
