import { useEffect, useMemo, useState } from "preact/hooks";
import { isForbidden } from "../../api.ts";
import { type FacetChoices, facetsFor, facetsOf, type FacetValue, type KnownMinions } from "../../fleet_table.ts";
import { grainNames, MAX_GRAINS } from "../../fleet_view.ts";
import { useStore } from "../store/store_context.ts";

const SHOWN = 8;

/** The filters for minions by their facts. */
export function Facets(
  { matched, choices, known, grains, onChoices, onGrains, onGroup }: {
    matched: readonly string[];
    choices: FacetChoices;
    known: KnownMinions;
    grains: readonly string[];
    onChoices(choices: FacetChoices): void;
    onGrains(grains: readonly string[]): void;
    /** Called when a node group was chosen. */
    onGroup(name: string): void;
  },
) {
  const { fleet } = useStore();
  const beat = fleet.factsBeat.value;
  const shown = useMemo(() => facetsFor(grains), [grains]);
  const facets = useMemo(() => facetsOf(matched, choices, known, shown), [matched, choices, beat, shown]);
  const read = useMemo(() => matched.filter((id) => known.facts(id) !== undefined).length, [matched, beat]);
  const toggle = (name: string, value: string) => {
    const values = new Set(choices[name]);
    if (!values.delete(value)) values.add(value);
    onChoices({ ...choices, [name]: values });
  };
  const { error } = fleet.facts;
  return (
    <aside class="facets" aria-label="Filters">
      {error !== undefined
        ? (
          <p class="hint">
            {isForbidden(error)
              ? "This account may not read grains (runner cache.grains), so minions cannot be filtered by grains."
              : "Grains could not be read, so minions cannot be filtered by grains."}
          </p>
        )
        : read < matched.length && (
          <p class="hint" role="status">
            Grains of {read.toLocaleString("en")} of {matched.length.toLocaleString("en")} read…
          </p>
        )}
      <NodeGroupList onGroup={onGroup} />
      {shown.map(({ name, label }) => (
        <FacetGroup
          key={name}
          label={label}
          values={facets[name] ?? []}
          chosen={choices[name]}
          onToggle={(value) => toggle(name, value)}
        />
      ))}
      {Object.values(choices).some((values) => values.size > 0) && (
        <button
          type="button"
          class="link"
          onClick={() => onChoices({})}
        >
          Clear filters
        </button>
      )}
      <GrainColumns grains={grains} onGrains={onGrains} />
    </aside>
  );
}

/** The master's node groups: one of them as the target. */
function NodeGroupList({ onGroup }: { onGroup(name: string): void }) {
  const { nodeGroups } = useStore();
  const list = nodeGroups.list.value ?? [];
  useEffect(() => {
    if (nodeGroups.list.value === undefined) void nodeGroups.load();
  }, []);
  if (list.length === 0) return null;
  return (
    <fieldset>
      <legend>Node groups</legend>
      {list.slice(0, MAX_VALUES).map(({ name, text }) => (
        <button
          key={name}
          type="button"
          class="link facet cut"
          title={text}
          onClick={() => onGroup(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

/** Chooses grains that get a column and a filter. */
function GrainColumns(
  { grains, onGrains }: { grains: readonly string[]; onGrains(grains: readonly string[]): void },
) {
  const [text, setText] = useState(grains.join(", "));
  useEffect(() => setText(grains.join(", ")), [grains]);
  return (
    <label class="grain-columns">
      <span class="hint">Columns of grains</span>
      <input
        type="text"
        class="mono"
        placeholder="role, datacenter"
        title={`Names of up to ${MAX_GRAINS} grains, separated by commas`}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={() => onGrains(grainNames(text))}
      />
    </label>
  );
}

function FacetGroup(
  { label, values, chosen, onToggle }: {
    label: string;
    values: readonly FacetValue[];
    chosen: ReadonlySet<string> | undefined;
    onToggle(value: string): void;
  },
) {
  const [all, setAll] = useState(false);
  if (values.length === 0) return null;
  const shown = all ? values.slice(0, MAX_VALUES) : values.filter(({ value }, at) => at < SHOWN || chosen?.has(value));
  return (
    <fieldset>
      <legend>{label}</legend>
      {shown.map(({ value, count }) => (
        <label key={value} class="facet">
          <input type="checkbox" checked={chosen?.has(value) ?? false} onChange={() => onToggle(value)} />
          <span class="cut grow" title={value}>{value || "unknown"}</span>
          <span class="muted num">{count.toLocaleString("en")}</span>
        </label>
      ))}
      {values.length > SHOWN && (
        <button type="button" class="link small" onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show ${Math.min(values.length, MAX_VALUES) - SHOWN} more`}
        </button>
      )}
    </fieldset>
  );
}

/** The most values of a facet: minions choose their grains, so each may have another value. */
const MAX_VALUES = 200;
