import { isPartOpen, type PartState } from "../../job.ts";
import type { MinionPresence } from "../../fleet.ts";
import { Icon } from "./icon.tsx";

const STATES: Record<PartState | MinionPresence, { icon: string; tone: string; label: string }> = {
  queued: { icon: "clock", tone: "idle", label: "queued" },
  published: { icon: "clock", tone: "idle", label: "waiting" },
  started: { icon: "play", tone: "info", label: "running" },
  returned: { icon: "ok", tone: "ok", label: "returned" },
  failed: { icon: "bad", tone: "bad", label: "failed" },
  "timed out": { icon: "clock", tone: "bad", label: "timed out" },
  lost: { icon: "off", tone: "bad", label: "lost" },
  expired: { icon: "clock", tone: "warn", label: "expired" },
  cancelled: { icon: "stop", tone: "warn", label: "cancelled" },
  "no answer": { icon: "question", tone: "bad", label: "no answer" },
  up: { icon: "ok", tone: "ok", label: "up" },
  down: { icon: "off", tone: "bad", label: "down" },
  unknown: { icon: "question", tone: "idle", label: "unknown" },
};

export const toneOf = (state: PartState | MinionPresence): string => STATES[state].tone;
export const labelOf = (state: PartState | MinionPresence): string => STATES[state].label;

/** A state as icon, word and colour. */
export function State({ state }: { state: PartState | MinionPresence }) {
  const { icon, tone, label } = STATES[state];
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} size={14} />
      <span>{label}</span>
    </span>
  );
}

/** The number of targets or minions in a state; with `onClick` a button that filters by it. */
export function Count(
  { state, count, pressed, onClick }: {
    state: PartState | MinionPresence;
    count: number;
    pressed?: boolean;
    onClick?: () => unknown;
  },
) {
  const { icon, label } = STATES[state];
  // A count of 0 has no color, whatever the state.
  const tone = count === 0 ? "idle" : STATES[state].tone;
  const inner = (
    <>
      <Icon name={icon} size={14} />
      <b>{count.toLocaleString("en")}</b> {label}
    </>
  );
  if (onClick === undefined) return <span class={`count ${tone}`}>{inner}</span>;
  return <button type="button" class={`count ${tone}`} aria-pressed={pressed} onClick={onClick}>{inner}</button>;
}

/** A progress bar with one segment for each state of the targets of a job. */
export function Bar({ counts, total }: { counts: [PartState, number][]; total: number }) {
  const done = counts.filter(([state]) => !isPartOpen(state)).reduce((sum, [, count]) => sum + count, 0);
  const rank = (state: PartState) => state === "returned" ? 0 : isPartOpen(state) ? 2 : 1;
  const ordered = [...counts].sort(([left], [right]) => rank(left) - rank(right));
  return (
    <div
      class="bar"
      role="progressbar"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-label="Finished targets"
    >
      {ordered.filter(([, count]) => count > 0).map(([state, count]) => (
        <span
          key={state}
          class={`fill ${toneOf(state)}`}
          style={{ flexGrow: count }}
        />
      ))}
    </div>
  );
}
