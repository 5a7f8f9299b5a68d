import { isForbidden } from "../../api.ts";
import { errorText, targetText } from "../../text.ts";
import { useStore } from "../store/store_context.ts";
import { DeletableItem, Menu, MenuItem, MenuSection, SaveAs } from "./menu.tsx";
import type { TargetValue } from "../../preview.ts";

/** Targets to choose from: the master's node groups, and targets that the user has saved or used recently. */
export function TargetMenu({ value, onChange }: { value: TargetValue; onChange(value: TargetValue): void }) {
  const store = useStore();
  const { targets, recent } = store.saved.current.value;
  const used = recent.filter(({ where, tgt }, at) =>
    where === "minions" && tgt !== "" && recent.findIndex((other) => other.tgt === tgt && other.where === where) === at
  ).slice(0, SHOWN);
  return (
    <Menu
      icon="star"
      label="Targets"
      title="Node groups, saved and recent targets"
      onOpen={() => void store.nodeGroups.load()}
    >
      {(close) => {
        const take = (target: TargetValue) => {
          onChange(target);
          close();
        };
        return (
          <>
            <MenuSection title="Node groups">
              <NodeGroupItems onTake={(name) => take({ tgt: name, type: "nodegroup" })} />
            </MenuSection>
            <MenuSection title="Saved">
              {targets.map(({ name, tgt, type }) => (
                <DeletableItem
                  key={name}
                  name={name}
                  note={targetText(tgt)}
                  onClick={() => take({ tgt, type })}
                  onDelete={() => store.saved.deleteTarget(name)}
                />
              ))}
              {value.tgt === ""
                ? targets.length === 0 && <p class="hint">Enter a target to save it.</p>
                : <SaveAs label="Name of this target" onSave={(name) => store.saved.saveTarget({ name, ...value })} />}
            </MenuSection>
            {used.length > 0 && (
              <MenuSection title="Recent">
                {used.map(({ tgt, type }) => (
                  <MenuItem key={`${type} ${tgt}`} onClick={() => take({ tgt, type })}>
                    <span class="mono">{targetText(tgt)}</span> <span class="muted small">{type}</span>
                  </MenuItem>
                ))}
              </MenuSection>
            )}
          </>
        );
      }}
    </Menu>
  );
}

const SHOWN = 8;

function NodeGroupItems({ onTake }: { onTake(name: string): void }) {
  const { nodeGroups: { list, error } } = useStore();
  if (error.value !== undefined) {
    return (
      <p class="hint">
        {isForbidden(error.value)
          ? "This account may not read node groups: it needs config.get in its @runner permissions."
          : errorText(error.value)}
      </p>
    );
  }
  if (list.value === undefined) return <p class="hint">Loading…</p>;
  if (list.value.length === 0) return <p class="hint">The master has no node groups (option nodegroups).</p>;
  return (
    <>
      {list.value.map(({ name, text }) => (
        <MenuItem key={name} onClick={() => onTake(name)}>
          {name} <span class="mono muted small">{text}</span>
        </MenuItem>
      ))}
    </>
  );
}
