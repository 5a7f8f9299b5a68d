import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedReaction, ReactorRule, ReactorStatus } from "../../../automation.ts";
import { href } from "../../../route.ts";
import type { JobTally } from "../../../tally.ts";
import { clockText, countText } from "../../../text.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Empty, Problem } from "../../parts/problem.tsx";
import { Icon } from "../../parts/icon.tsx";
import { labelOf, toneOf } from "../../parts/state.tsx";
import { useAttempt } from "../../parts/hooks.ts";
import { VirtualList } from "../../parts/virtual_list.tsx";
import { ApiError } from "../../../api.ts";
import { useStore } from "../../store/store_context.ts";
import { AddReactor, TryEvent } from "./reactor_dialogs.tsx";

/** The reactor: its rules, its latest reactions, and their results. */
export function ReactorTab() {
  const store = useStore();
  const { automation } = store;
  const { busy, error, attempt } = useAttempt();
  const [over, setOver] = useState<"add" | "try" | ReactorRule | undefined>(undefined);
  useEffect(() => automation.followReactor(), []);
  const rules = automation.rules.value;
  const status = automation.status.value;
  const { value: problem } = automation.rulesError;
  // A master without a reactor is not shown as a failure.
  const isAbsent = problem instanceof ApiError && problem.kind === "absent";
  const rulesError = isAbsent ? undefined : problem;
  const load = () => attempt(() => automation.loadReactor());
  const close = () => setOver(undefined);
  const remove = ({ match }: ReactorRule) =>
    attempt(async () => {
      await store.api.runner("reactor.delete", { arg: [match] });
      await automation.loadReactor();
    });
  return (
    <>
      <div class="search-row">
        {status !== undefined && <ReactorCounts status={status} />}
        <span class="grow" />
        <div class="actions">
          <Button icon="again" disabled={busy} onClick={load}>{busy ? "Asking…" : "Refresh"}</Button>
          <Button disabled={isAbsent} onClick={() => setOver("try")}>Try an event</Button>
          <Button kind="primary" disabled={rules === undefined} onClick={() => setOver("add")}>Add reactor</Button>
        </div>
      </div>
      <Problem error={error ?? rulesError} retry={rulesError === undefined ? undefined : load} />
      {isAbsent
        ? (
          <Empty icon="bolt" title="No reactor">
            <p>
              The option <code>reactor</code> of the master is empty. A reactor calls functions when an event arrives.
            </p>
          </Empty>
        )
        : rules === undefined && rulesError === undefined && <Empty icon="clock" title="Asking the master…" />}
      {rules !== undefined && <RuleList rules={rules} onDelete={setOver} />}
      {rules !== undefined && status === undefined && <Problem error={automation.statusError.value} />}
      {status !== undefined && <ReactionList reactions={status.latest} />}
      {over === "add" && <AddReactor onClose={close} />}
      {over === "try" && <TryEvent onClose={close} />}
      {typeof over === "object" && (
        <Confirm
          title={`Delete the reactor of ${over.match}?`}
          action="Delete"
          onConfirm={() => remove(over)}
          onClose={close}
        >
          <p>
            These events no longer cause its reactions. When the master reloads its configuration, the entries of the
            option <code>reactor</code> return.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** Tooltips of the counters of `reactor.status`. */
const COUNTED: Readonly<Record<string, string>> = {
  events: "Events that matched a reactor",
  called: "Functions that reactions called",
  failed: "Reactions that could not be compiled or called",
  stopped: "Reactions that caused their own event again and again",
  dropped: "Events and calls that did not fit into a full queue",
};

function ReactorCounts({ status: { counts, waiting, isLeader } }: { status: ReactorStatus }) {
  const tones: Record<string, string> = { failed: "bad", stopped: "bad", dropped: "bad" };
  return (
    <div class="tiles small">
      {!isLeader && (
        <span class="count warn">
          <Icon name="pause" size={14} /> another master runs the reactor
        </span>
      )}
      {counts.map(([name, count]) => (
        <span key={name} class={`count ${count > 0 ? tones[name] ?? "plain" : "idle"}`} title={COUNTED[name]}>
          <b>{count.toLocaleString("en")}</b> {name}
        </span>
      ))}
      {waiting > 0 && (
        <span class="count warn">
          <b>{waiting.toLocaleString("en")}</b> waiting
        </span>
      )}
    </div>
  );
}

function RuleList({ rules, onDelete }: { rules: readonly ReactorRule[]; onDelete(rule: ReactorRule): void }) {
  if (rules.length === 0) return <p class="hint">No reactors yet.</p>;
  return (
    <section class="rules" aria-label="Reactors in use">
      {rules.map((rule, at) => (
        <div key={at} class="rule">
          <a class="mono" href={href("events", "", { filter: rule.match })} title="Show these events">{rule.match}</a>
          <Icon name="right" size={12} />
          <span class="mono muted cut grow" title={rule.sls.join("\n")}>{rule.sls.join("  ")}</span>
          <button type="button" class="link small" aria-label={`Delete: ${rule.match}`} onClick={() => onDelete(rule)}>
            Delete
          </button>
        </div>
      ))}
    </section>
  );
}

const OUTCOMES: Record<string, { icon: string; tone: string }> = {
  called: { icon: "ok", tone: "ok" },
  failed: { icon: "bad", tone: "bad" },
  stopped: { icon: "stop", tone: "bad" },
};

function ReactionList({ reactions }: { reactions: readonly ListedReaction[] }) {
  const store = useStore();
  const [window, setWindow] = useState<[number, number]>([0, 30]);
  const jids = reactions.slice(window[0], window[1]).map(({ jid }) => jid).filter((jid) => jid !== "");
  const tallies = useJobTallies(jids);
  if (reactions.length === 0) {
    return (
      <Empty icon="bolt" title="No reactions yet">
        <p>Reactions appear when their events arrive. The reactor keeps the latest 200.</p>
      </Empty>
    );
  }
  return (
    <VirtualList
      class="reactions"
      label="Latest reactions, newest first"
      count={reactions.length}
      keyOf={(index) => String(reactions.length - index)}
      onOpen={(index) => {
        const { jid, error, sls } = reactions[index]!;
        if (jid !== "") location.hash = href("jobs", jid);
        else if (error !== "") store.notices.add("bad", error, sls);
      }}
      onWindow={(first, end) => setWindow([first, end])}
      header={
        <>
          <span role="columnheader">Time</span>
          <span role="columnheader">Event</span>
          <span role="columnheader">Calls</span>
          <span role="columnheader">Reaction</span>
          <span role="columnheader" class="wide">Outcome of its job</span>
        </>
      }
      render={({ index }) => {
        const reaction = reactions[index]!;
        const { atMs, tag, sls, id, fun, outcome, error, jid } = reaction;
        const { icon, tone } = OUTCOMES[outcome] ?? { icon: "question", tone: "idle" };
        return (
          <>
            <span role="gridcell" class="num muted cut">{atMs === undefined ? "" : clockText(atMs, store.now())}</span>
            <span role="gridcell" class="mono cut" title={tag}>{tag}</span>
            <span role="gridcell" class="mono cut" title={`${id} in ${sls}`}>
              {jid === "" ? fun : <a href={href("jobs", jid)} tabIndex={-1}>{fun}</a>} <span class="muted">{id}</span>
            </span>
            <span role="gridcell" class={`state cut ${tone}`} title={error}>
              <Icon name={icon} size={14} /> <span class="cut">{error === "" ? outcome : `${outcome}: ${error}`}</span>
            </span>
            <span role="gridcell" class="wide cut small">
              <JobOutcome reaction={reaction} tally={tallies.get(jid)} />
            </span>
          </>
        );
      }}
    />
  );
}

function JobOutcome({ reaction: { minions }, tally }: { reaction: ListedReaction; tally: JobTally | undefined }) {
  if (tally === undefined || tally.counts.length === 0) {
    return <span class="muted">{minions === undefined ? "" : countText(minions, "minion")}</span>;
  }
  return (
    <>
      {tally.counts.map(([state, count]) => (
        <span key={state} class={`state outcome ${toneOf(state)}`}>{count.toLocaleString("en")} {labelOf(state)}</span>
      ))}
    </>
  );
}

/** Reads the outcomes of the jobs of reactions; those of finished jobs are read once. */
function useJobTallies(jids: readonly string[]): ReadonlyMap<string, JobTally> {
  const store = useStore();
  const known = useRef(new Map<string, JobTally>());
  const [, redraw] = useState(0);
  const key = jids.join();
  useEffect(() => {
    let over = false;
    const wanted = [...new Set(jids)].filter((jid) => known.current.get(jid)?.done !== true);
    store.tallies.read(wanted, (jid, tally) => known.current.set(jid, tally)).then(() => {
      if (!over) redraw((count) => count + 1);
    }, () => {
      // After a failure, the rows stay without outcomes.
    });
    return () => {
      over = true;
    };
  }, [key]);
  return known.current;
}
