import { useEffect, useMemo, useState } from "preact/hooks";
import { href } from "../../route.ts";
import { durationText } from "../../state_run.ts";
import type { JobTally } from "../../tally.ts";
import { clockText } from "../../text.ts";
import { SortHeader } from "../parts/sort_header.tsx";
import { labelOf, toneOf } from "../parts/state.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import type { JobRow } from "../store/job_history.ts";
import { useStore } from "../store/store_context.ts";

interface JobOrder {
  column: "started" | "took";
  down: boolean;
}

/** The number of newest jobs whose duration is read, to sort by it. */
const TIMED = 600;

/** Jobs with their outcomes, newest first or slowest first. */
export function JobList(
  { rows: given, running, known, minion }: {
    /** The jobs, newest first. */
    rows: readonly JobRow[];
    running: ReadonlySet<string>;
    /** Outcomes by jid, filled as they are read. */
    known: Map<string, JobTally>;
    /** If set, only the outcome of this minion is shown. */
    minion?: string;
  },
) {
  const store = useStore();
  const [order, setOrder] = useState<JobOrder>({ column: "started", down: true });
  const [window, setWindow] = useState<[number, number]>([0, 30]);
  const [beat, setBeat] = useState(0);
  const rows = useMemo(() => ordered(given, order, known), [given, order, order.column === "took" ? beat : 0]);
  const wanted = order.column === "took" ? given.slice(0, TIMED) : rows.slice(window[0], window[1]);
  useTallies(wanted.map(({ jid }) => jid), running, known, minion, () => setBeat((count) => count + 1));
  return (
    <VirtualList
      class="jobs"
      label="Jobs"
      count={rows.length}
      keyOf={(index) => rows[index]!.jid}
      onOpen={(index) => location.hash = href("jobs", rows[index]!.jid)}
      onWindow={(first, end) => setWindow([first, end])}
      header={
        <>
          <SortHeader column="started" label="Started" order={order} onOrder={setOrder} firstDown />
          <span role="columnheader">Function</span>
          <span role="columnheader" class="wide">Target</span>
          <span role="columnheader" class="wide">User</span>
          <SortHeader column="took" label="Took" order={order} onOrder={setOrder} firstDown wide />
          <span role="columnheader">Outcome</span>
        </>
      }
      render={({ index }) => {
        const { jid, fun, args, target, user, startedMs } = rows[index]!;
        const tally = known.get(jid);
        return (
          <>
            <span role="gridcell" class="num muted cut">
              {startedMs === undefined ? "" : clockText(startedMs, store.now())}
            </span>
            <span role="gridcell" class="cut">
              <a class="mono" href={href("jobs", jid)} tabIndex={-1}>{fun}</a> <span class="mono muted">{args}</span>
            </span>
            <span role="gridcell" class="wide mono cut">{target}</span>
            <span role="gridcell" class="wide muted cut">{user}</span>
            <span role="gridcell" class="wide muted num cut">
              {tally?.seconds === undefined ? "" : durationText(tally.seconds * 1000)}
            </span>
            <span role="gridcell" class="cut" title={minion === undefined ? outcomesText(tally) : undefined}>
              <Outcomes tally={tally} running={running.has(jid)} one={minion !== undefined} />
            </span>
          </>
        );
      }}
    />
  );
}

/** Sorts jobs; those with an unknown duration come last. */
function ordered(
  rows: readonly JobRow[],
  { column, down }: JobOrder,
  known: ReadonlyMap<string, JobTally>,
): readonly JobRow[] {
  if (column === "started") return down ? rows : rows.toReversed();
  const secondsOf = ({ jid }: JobRow) => known.get(jid)?.seconds ?? (down ? -1 : Infinity);
  return [...rows].sort((left, right) => {
    const [one, other] = [secondsOf(left), secondsOf(right)];
    return one === other ? 0 : (one < other) === down ? 1 : -1;
  });
}

/** The outcomes of a job. @param one true if there is a single target, whose outcome is shown without a number */
function Outcomes({ tally, running, one }: { tally: JobTally | undefined; running: boolean; one: boolean }) {
  if (tally === undefined) return <span class="muted">{running ? "running" : one ? "" : "…"}</span>;
  const { counts } = tally;
  if (counts.length === 0) return <span class="muted">{one ? "not a target" : "no minions"}</span>;
  return (
    <>
      {counts.map(([state, count]) => (
        <span key={state} class={`state outcome ${toneOf(state)} small`}>
          {one ? "" : `${count.toLocaleString("en")} `}
          <span class="outcome-word">{labelOf(state)}</span>
        </span>
      ))}
    </>
  );
}

/** `2 lost, 298 returned`: where there is no room for all of it. */
const outcomesText = (tally: JobTally | undefined) =>
  tally?.counts.map(([state, count]) => `${count.toLocaleString("en")} ${labelOf(state)}`).join(", ");

/** Reads the outcomes of jobs together, once scrolling stops; those of finished jobs are read once. */
function useTallies(
  jids: readonly string[],
  running: ReadonlySet<string>,
  known: Map<string, JobTally>,
  minion: string | undefined,
  onChange: () => void,
): void {
  const store = useStore();
  const key = jids.join();
  useEffect(() => {
    let over = false;
    const timer = setTimeout(async () => {
      const wanted = jids.filter((jid) => known.get(jid)?.done !== true);
      try {
        await store.tallies.read(wanted, (jid, tally) => known.set(jid, tally), minion);
      } catch {
        // After a failure, the rows stay without outcomes; the page shows the error of the list itself.
      }
      if (!over) onChange();
    }, 150);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [key, running, minion]);
}
