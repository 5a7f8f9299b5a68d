import { useMemo, useState } from "preact/hooks";
import { href } from "../../route.ts";
import { printedLine } from "../../text.ts";
import { flatten, type TreeRow } from "../../tree.ts";
import { Icon } from "./icon.tsx";
import { VirtualList } from "./virtual_list.tsx";

const MARKS = { ok: "ok", changed: "again", "would change": "question", failed: "bad" } as const;
const MARK_TONES = { ok: "ok", changed: "warn", "would change": "warn", failed: "bad" } as const;

export function TreeLine({ row, indent = 0, onToggle }: { row: TreeRow; indent?: number; onToggle?: () => void }) {
  const pad = { paddingLeft: `${(row.depth + indent) * 16 + 8}px` };
  const folds = row.expanded !== undefined;
  const inner = (
    <>
      {folds ? <Icon name={row.expanded ? "down" : "right"} size={12} /> : <span class="no-fold" />}
      {row.mark !== undefined && (
        <span class={`state ${MARK_TONES[row.mark]}`} title={row.mark}>
          <Icon name={MARKS[row.mark]} size={13} />
          <span class="visually-hidden">{row.mark}</span>
        </span>
      )}
      {row.name !== "" && <span class="tree-key">{row.name}</span>}
      <span class={`tree-value is-${row.difference ?? row.kind}`}>
        {row.jid !== undefined
          ? <a href={href("jobs", row.jid)} tabIndex={-1}>{row.text}</a>
          : row.text === "" && row.kind === "empty"
          ? '""'
          : printedLine(row.text)}
      </span>
    </>
  );
  if (!folds) return <div class="tree-line" role="gridcell" style={pad}>{inner}</div>;
  return (
    <div role="gridcell" class="tree-cell">
      <button type="button" class="tree-line" style={pad} aria-expanded={row.expanded} onClick={onToggle} tabIndex={-1}>
        {inner}
      </button>
    </div>
  );
}

/** A value as a tree whose branches expand and collapse; fast with thousands of lines. */
export function DataView({ value, label, openTo = 1 }: { value: unknown; label: string; openTo?: number }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(
    () =>
      flatten(
        value,
        (path, depth, mark) => (mark === "changes" || (mark !== "details" && depth < openTo)) !== toggled.has(path),
      ),
    [value, toggled, openTo],
  );
  const toggle = (path: string) => {
    const next = new Set(toggled);
    if (!next.delete(path)) next.add(path);
    setToggled(next);
  };
  return (
    <VirtualList
      class="tree"
      label={label}
      count={rows.length}
      row={24}
      keyOf={(index) => rows[index]!.path}
      onOpen={(index) => rows[index]!.expanded !== undefined && toggle(rows[index]!.path)}
      render={({ index }) => <TreeLine row={rows[index]!} onToggle={() => toggle(rows[index]!.path)} />}
    />
  );
}
