import { useEffect, useMemo, useState } from "preact/hooks";
import { countWords, needsGrains, type Preview, previewTarget, TARGET_TYPES } from "../../preview.ts";
import { Icon } from "./icon.tsx";
import { useStore } from "../store/store_context.ts";

export interface TargetValue {
  tgt: string;
  type: string;
}

/** What a preview asks permission for where no function is chosen yet. */
const ANY_FUNCTION = "test.ping";
/** Each letter would be a request: one is sent once the typing stops. */
const TYPING_MS = 300;

/**
 * Who a target means at this moment. What the ids of the fleet decide is worked out here, at once; everything else is asked of
 * the master, and until it has answered nobody knows.
 *
 * @param fun what is to be run; an account may run one function on more minions than another
 */
export function usePreview({ tgt, type }: TargetValue, fun = ""): Preview & { asking?: boolean } {
  const store = useStore();
  const fleetBeat = store.fleet.beat.value;
  const known = store.fleet.known.value;
  const byGrains = needsGrains(tgt, type);
  const grainsBeat = byGrains ? store.fleet.grainsBeat.value : 0;
  const ids = known ? store.fleet.minions.ids : undefined;
  const local = useMemo(
    () => previewTarget(tgt, type, { ids, grains: (id) => store.fleet.grains.of(id) }),
    [tgt, type, known, fleetBeat, grainsBeat],
  );

  const [asked, setAsked] = useState<{ key: string; preview: Preview | undefined } | undefined>(undefined);
  const wants = store.fleet.ready.value &&
    (local.kind === "master" || (byGrains && local.kind === "here" && tgt !== ""));
  // Who may see all minions may mostly run on them; of others each function may have its own.
  const question = known || !/^[\w-]+\.[\w-]+$/.test(fun) ? ANY_FUNCTION : fun;
  const key = `${type} ${question} ${tgt}`;
  useEffect(() => {
    if (!wants) return;
    let over = false;
    const timer = setTimeout(async () => {
      const why = local.kind === "master" ? local.why : "it has the grains of all";
      const preview = await store.fleet.askTarget({ tgt: tgt, type: type, fun: question, why: why });
      if (!over) setAsked({ key, preview });
      // Only we can tell, from what the master gives of the grains.
      if (preview === undefined && !over) store.fleet.grains.want(store.fleet.minions.ids);
    }, TYPING_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
    // A key that was accepted or deleted is a reason to ask anew.
  }, [key, wants, ids]);
  if (!store.fleet.ready.value) return { kind: "master", why: "the keys are being read", asking: true };
  if (!wants) return local;
  if (asked?.key !== key) {
    const why = local.kind === "master" ? local.why : "it has the grains of all";
    return { kind: "master", why, asking: true };
  }
  return asked.preview ?? local;
}

/** The field in which a target is typed, with its type before it and whom it means below it. */
export function TargetBox(
  { value, preview, onChange, names = true }: {
    value: TargetValue;
    /** Whether to name the first of those who match. */
    names?: boolean;
    preview: ReturnType<typeof usePreview>;
    onChange(value: TargetValue): void;
  },
) {
  return (
    <div class="target-box">
      <div class="joined">
        <select
          aria-label="Kind of target"
          value={value.type}
          onChange={(event) => onChange({ ...value, type: event.currentTarget.value })}
        >
          {Object.entries(TARGET_TYPES).map(([type, { label }]) => <option key={type} value={type}>{label}</option>)}
        </select>
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
      </div>
      <PreviewLine preview={preview} names={names} />
    </div>
  );
}

function PreviewLine({ preview, names }: { preview: ReturnType<typeof usePreview>; names: boolean }) {
  const store = useStore();
  const shown = names ? 5 : 0;
  return (
    <div class="preview" id="target-preview" role="status">
      {preview.kind === "invalid"
        ? (
          <span class="state bad">
            <Icon name="bad" size={14} /> Matches nobody: {preview.why}
          </span>
        )
        : preview.kind === "master" || preview.kind === "unknown"
        ? (
          <span class={`state ${preview.asking ? "idle" : "warn"}`}>
            <Icon name={preview.asking ? "clock" : "warn"} size={14} />{" "}
            {preview.asking ? `Asking the master: ${preview.why}…` : `Not known how many: ${preview.why}`}
          </span>
        )
        : (
          <>
            <b class={preview.matched.length === 0 ? "muted" : ""}>{countWords(preview)}</b>
            <span class="muted">
              {store.fleet.known.value && `of ${store.fleet.minions.counts.accepted.toLocaleString("en")}`}
              {preview.unknown.length > 0 &&
                ` · grains of ${preview.unknown.length.toLocaleString("en")} ${
                  store.fleet.grains.error === undefined ? "not read yet" : "cannot be read"
                }`}
              {preview.why !== undefined && ` · ${preview.why}`}
            </span>
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
