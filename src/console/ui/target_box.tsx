import { useEffect, useMemo, useState } from "preact/hooks";
import { needsGrains, type Preview, previewTarget, TARGET_TYPES } from "../preview.ts";
import { countText } from "../text.ts";
import { Icon } from "./parts.tsx";
import { useStore } from "./store.ts";

export interface TargetValue {
  tgt: string;
  type: string;
}

/** Who a target means at this moment: kept up with the fleet and with the grains that are known. */
export function usePreview({ tgt, type }: TargetValue): Preview & { asking?: boolean } {
  const store = useStore();
  const fleetBeat = store.fleetBeat.value;
  const grainsBeat = needsGrains(tgt, type) ? store.grainsBeat.value : 0;
  const local = useMemo(
    () => previewTarget(tgt, type, { ids: store.fleet.ids, grains: (id) => store.grains.of(id) }),
    [tgt, type, fleetBeat, grainsBeat],
  );
  const wants = needsGrains(tgt, type) && local.kind === "here";
  useEffect(() => {
    if (wants) store.grains.want(store.fleet.ids);
  }, [wants, fleetBeat]);

  const [asked, setAsked] = useState<{ key: string; preview: Preview } | undefined>(undefined);
  const key = `${type} ${tgt}`;
  useEffect(() => {
    if (local.kind !== "master") return;
    let over = false;
    // Each letter would be a request: one is sent once the typing stops.
    const timer = setTimeout(async () => {
      const preview = await askMaster(store, tgt, type, local.why);
      if (!over) setAsked({ key, preview });
    }, 400);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [key, local.kind]);
  if (local.kind !== "master") return local;
  return asked?.key === key ? asked.preview : { ...local, asking: true };
}

/** The master's cache knows who has such pillar and who is in a node group, and no minion is asked. */
async function askMaster(
  store: ReturnType<typeof useStore>,
  tgt: string,
  type: string,
  why: string,
): Promise<Preview> {
  try {
    const found = await store.api.runner("cache.grains", { tgt, tgt_type: type });
    const matched = Object.keys(typeof found === "object" && found !== null ? found : {});
    return { kind: "here", matched, unknown: [], why: `As the master has it: ${why}` };
  } catch (error) {
    return { kind: "master", why: `${why}, and it did not say: ${error instanceof Error ? error.message : error}` };
  }
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
        : preview.kind === "master"
        ? (
          <span class="state idle">
            <Icon name="clock" size={14} /> {preview.asking ? `Asking the master: ${preview.why}…` : preview.why}
          </span>
        )
        : (
          <>
            <b class={preview.matched.length === 0 ? "muted" : ""}>{countText(preview.matched.length, "minion")}</b>
            <span class="muted">
              of {store.fleet.counts.accepted.toLocaleString("en")}
              {preview.unknown.length > 0 &&
                ` · grains of ${preview.unknown.length.toLocaleString("en")} ${
                  store.grains.error === undefined ? "not read yet" : "cannot be read"
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
