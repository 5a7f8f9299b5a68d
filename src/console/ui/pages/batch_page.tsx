import type { Batch, BatchState } from "../../batch.ts";
import { href } from "../../route.ts";
import { clockText, countText, errorText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/problem.tsx";
import { Icon } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { useStore } from "../store/store_context.ts";

const STATES: Record<BatchState, { icon: string; tone: string; label: string }> = {
  running: { icon: "play", tone: "info", label: "running" },
  waiting: { icon: "clock", tone: "idle", label: "waiting for the next part" },
  done: { icon: "ok", tone: "ok", label: "finished" },
  stopped: { icon: "stop", tone: "warn", label: "stopped" },
  failed: { icon: "bad", tone: "bad", label: "could not continue" },
};

/** A job on some minions at a time: its progress, and the job of each part. */
export function BatchPage({ name }: { name: string }) {
  const store = useStore();
  store.batches.beat.value;
  const found = store.batches.get(name);
  if (found === undefined) {
    return (
      <main class="page">
        <Empty icon="jobs" title="Batch not found">
          <p>
            A batch ends with the page that started it. Its jobs are under <a href={href("jobs")}>Jobs</a>.
          </p>
        </Empty>
      </main>
    );
  }
  const { request, batch, startedMs } = found;
  const { icon, tone, label } = STATES[batch.state];
  return (
    <main class="page fill">
      <header class="page-head">
        <div class="grow">
          <p class="crumb">
            <a href={href("jobs")}>Jobs</a>
          </p>
          <h1 class="mono cut">Batch: {request.fun}</h1>
        </div>
        {batch.isOpen && <Button icon="stop" kind="danger" onClick={() => batch.stop()}>Start no more</Button>}
      </header>
      <div class="tiles" role="status">
        <span class={`count ${tone}`}>
          <Icon name={icon} size={14} /> {label}
        </span>
        <span class="count plain">
          {batch.ended.toLocaleString("en")} of {countText(batch.total, "minion")} ended
        </span>
        {batch.bad > 0 && (
          <span class="count bad">
            <Icon name="bad" size={14} /> <b>{batch.bad.toLocaleString("en")}</b> not successful
          </span>
        )}
        {batch.started < batch.total && (
          <span class="count idle">
            <b>{(batch.total - batch.started).toLocaleString("en")}</b> not started
          </span>
        )}
      </div>
      {batch.isOpen && (
        <p class="hint">This page starts the parts: keep it open. Started {clockText(startedMs, store.now())}.</p>
      )}
      {batch.error !== undefined && <p class="state warning bad" role="alert">{errorText(batch.error)}</p>}
      <BatchParts batch={batch} />
    </main>
  );
}

function BatchParts({ batch: { parts } }: { batch: Batch }) {
  // Subscribes to the beat, since the list of parts is one array that grows.
  useStore().batches.beat.value;
  return (
    <VirtualList
      class="batch"
      label="Parts of the batch"
      count={parts.length}
      keyOf={(index) => parts[index]!.jid}
      onOpen={(index) => location.hash = href("jobs", parts[index]!.jid)}
      header={
        <>
          <span role="columnheader">Part</span>
          <span role="columnheader">Job</span>
          <span role="columnheader">Minions</span>
          <span role="columnheader">Ended</span>
          <span role="columnheader">Not successful</span>
        </>
      }
      render={({ index }) => {
        const { jid, ids, ended, bad } = parts[index]!;
        return (
          <>
            <span role="gridcell" class="num">{index + 1}</span>
            <span role="gridcell" class="cut">
              <a class="mono" href={href("jobs", jid)} tabIndex={-1}>{jid}</a>
            </span>
            <span role="gridcell" class="mono cut muted">{ids.slice(0, 10).join(", ")}</span>
            <span role="gridcell" class="num">{ended} of {ids.length}</span>
            <span role="gridcell" class={`num ${bad > 0 ? "bad" : "muted"}`}>{bad}</span>
          </>
        );
      }}
    />
  );
}
