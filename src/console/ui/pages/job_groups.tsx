import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { linesOfValue } from "../../canonical.ts";
import type { Job } from "../../job.ts";
import { type DifferenceLine, differenceOf } from "../../line_difference.ts";
import { groupsText, type ReturnGroup, ReturnGroups } from "../../return_groups.ts";
import { href } from "../../route.ts";
import { countText } from "../../text.ts";
import { type TreeRow, treeSummary } from "../../tree.ts";
import { Segments } from "../../window.ts";
import { TreeLine } from "../parts/data_view.tsx";
import { Empty } from "../parts/problem.tsx";
import { Icon } from "../parts/icon.tsx";
import { pauses } from "../parts/hooks.ts";
import { State } from "../parts/state.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { FEW, resultLines } from "./job_results.tsx";

/** How often new groups are shown while returns are grouped, in milliseconds. */
const REDRAW_MS = 200;

/** Groups the targets of a job by their return, in slices, since returns may be many and long. */
export function useReturnGroups(job: Job, beat: number, on: boolean): { groups: ReturnGroup[]; complete: boolean } {
  const finder = useMemo(() => new ReturnGroups(), [job]);
  const [found, setFound] = useState<{ groups: ReturnGroup[]; complete: boolean }>({ groups: [], complete: false });
  useEffect(() => {
    if (!on) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shown = performance.now();
    const slice = () => {
      const pause = pauses();
      const complete = finder.take(job.parts(), () => !pause.due());
      if (complete || performance.now() - shown > REDRAW_MS) {
        shown = performance.now();
        setFound({ groups: finder.all, complete });
      }
      if (!complete) timer = setTimeout(slice);
    };
    slice();
    return () => clearTimeout(timer);
  }, [finder, beat, on]);
  return found;
}

type Line = { ids: ReturnGroup } | { difference: DifferenceLine } | { tree: TreeRow };

/** One row for each group of equal returns, most frequent first; the others show the difference from the first. */
export function JobGroups(
  { groups, complete, onShow }: {
    groups: ReturnGroup[];
    complete: boolean;
    onShow(group: ReturnGroup): void;
  },
) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [most, ...others] = groups;
  const linesFor = useLines(most, toggled);
  const opensItself = (group: ReturnGroup) => group !== most && others.length <= FEW;
  const isOpen = (group: ReturnGroup) => opensItself(group) !== toggled.has(group.key);
  const segments = useMemo(
    () => new Segments(groups.map((group) => isOpen(group) ? 1 + linesFor(group).length : 1)),
    [groups, toggled],
  );
  if (most === undefined) {
    return <Empty icon="clock" title={complete ? "Nothing has returned yet" : "Comparing returns…"} />;
  }
  const toggle = (key: string) => {
    const next = new Set(toggled);
    if (!next.delete(key)) next.add(key);
    setToggled(next);
  };
  const at = (index: number): { group: ReturnGroup; line: Line | undefined } => {
    const { segment, row } = segments.locate(index);
    const group = groups[segment]!;
    return { group, line: row === 0 ? undefined : linesFor(group)[row - 1] };
  };
  return (
    <>
      <p class="groups-head" role="status">
        <b>{groupsText(groups)}</b>
        <span class="muted">{complete ? "" : " · comparing returns…"}</span>
      </p>
      <VirtualList
        class="results groups"
        label="Equal returns"
        count={segments.count}
        row={26}
        keyOf={(index) => {
          const { segment, row } = segments.locate(index);
          return `${groups[segment]!.key}/${row}`;
        }}
        onOpen={(index) => {
          const { group, line } = at(index);
          if (line === undefined) toggle(group.key);
          else if ("tree" in line && line.tree.expanded !== undefined) toggle(`${group.key} ${line.tree.path}`);
        }}
        render={({ index }) => {
          const { group, line } = at(index);
          if (line === undefined) {
            return (
              <GroupLine
                group={group}
                isMost={group === most && others.length > 0}
                unfolded={isOpen(group)}
                onToggle={() => toggle(group.key)}
              />
            );
          }
          if ("ids" in line) return <IdsLine group={group} onShow={() => onShow(group)} />;
          if ("difference" in line) return <DifferenceCell line={line.difference} />;
          return <TreeLine row={line.tree} indent={1} onToggle={() => toggle(`${group.key} ${line.tree.path}`)} />;
        }}
      />
    </>
  );
}

/** The lines below a group: its minions, then its return, or its difference from the most frequent return. */
function useLines(most: ReturnGroup | undefined, toggled: ReadonlySet<string>): (group: ReturnGroup) => Line[] {
  const differences = useRef(new Map<string, DifferenceLine[]>());
  return useMemo(() => {
    const known = new Map<string, Line[]>();
    return (group) => {
      let lines = known.get(group.key);
      if (lines !== undefined) return lines;
      lines = [{ ids: group }];
      const isCompared = most !== undefined && group !== most && most.example.return !== undefined &&
        group.example.return !== undefined;
      if (isCompared) {
        const pair = `${most.key} ${group.key}`;
        const difference = differences.current.get(pair) ??
          differenceOf(linesOfValue(most.example.return), linesOfValue(group.example.return));
        differences.current.set(pair, difference);
        lines.push(...(difference.length === 0 ? [EQUAL] : difference).map((line) => ({ difference: line })));
      } else {
        const opens = (path: string, depth: number) => (depth < 1) !== toggled.has(`${group.key} ${path}`);
        for (const row of resultLines(group.example, opens)) lines.push({ tree: row });
      }
      known.set(group.key, lines);
      return lines;
    };
  }, [most, toggled]);
}

const EQUAL: DifferenceLine = { kind: "gap", text: "same return; only the outcome or the exit code differs" };

function GroupLine(
  { group, isMost, unfolded, onToggle }: {
    group: ReturnGroup;
    isMost: boolean;
    unfolded: boolean;
    onToggle(): void;
  },
) {
  const { ids, state, example: { return: value, retcode, note } } = group;
  const count = countText(ids.size, "minion");
  const summary = value === undefined ? note ?? "" : treeSummary(value);
  return (
    <div role="gridcell" class="part">
      <button
        type="button"
        class="fold"
        aria-expanded={unfolded}
        aria-label={`Return of ${count}`}
        tabIndex={-1}
        onClick={onToggle}
      >
        <Icon name={unfolded ? "down" : "right"} size={12} />
      </button>
      <span class="group-count num">{count}</span>
      <State state={state} />
      {typeof retcode === "number" && retcode !== 0 && <span class="muted small num nowrap">code {retcode}</span>}
      <span class="mono cut grow muted">{summary.slice(0, 300)}</span>
      {isMost && <span class="muted small nowrap">most frequent</span>}
      <a class="small nowrap" href={href("run", "", { tgt: [...ids].join(","), tgt_type: "list" })}>Run on these</a>
    </div>
  );
}

/** The most minions that a group names. */
const NAMED = 5;

function IdsLine({ group: { ids, example }, onShow }: { group: ReturnGroup; onShow(): void }) {
  return (
    <div role="gridcell" class="tree-line ids-line">
      <button
        type="button"
        class="link small nowrap"
        onClick={onShow}
        aria-label={`List the minions that returned as ${example.id}`}
      >
        {ids.size > NAMED ? `List all ${ids.size.toLocaleString("en")}` : "List"}
      </button>
      {[...ids].slice(0, NAMED).map((id) => (
        <a key={id} class="chip mono" href={href("minions", id)} tabIndex={-1}>{id}</a>
      ))}
    </div>
  );
}

const SIGNS: Record<DifferenceLine["kind"], string> = { same: " ", removed: "-", added: "+", gap: "⋯" };
const WORDS: Record<DifferenceLine["kind"], string> = { same: "", removed: "missing: ", added: "instead: ", gap: "" };

function DifferenceCell({ line: { kind, text } }: { line: DifferenceLine }) {
  return (
    <div role="gridcell" class={`tree-line difference is-${kind}`}>
      <span class="sign" aria-hidden="true">{SIGNS[kind]}</span>
      {WORDS[kind] !== "" && <span class="visually-hidden">{WORDS[kind]}</span>}
      <span class="tree-value">{text}</span>
    </div>
  );
}
