/** The options of a job, as typed; empty texts are not set. */
export interface RunSettings {
  /** The number of minions at once: `10` or `25%`. */
  batch: string;
  /** The seconds between two parts of a batch. */
  wait: string;
  /** The number of failures after which no more minions are started. */
  failures: string;
  /** The number of minions to choose at random from the target. */
  subset: string;
  /** The seconds after which a minion ends the job. */
  timeout: string;
  /** The seconds for which the job waits for minions that are not connected. */
  queue: string;
}

export const AT_ONCE: RunSettings = { batch: "", wait: "", failures: "", subset: "", timeout: "", queue: "" };

const COUNT = /^[1-9]\d{0,6}$/;
const SECONDS = /^\d{1,8}(?:\.\d+)?$/;
const SHARE = /^(?:100|[1-9]?\d(?:\.\d+)?)%$/;

/** The problems of options, by name. @param isCounted true if the minions of the target are known */
export function optionProblems(options: RunSettings, isCounted: boolean): Partial<Record<keyof RunSettings, string>> {
  const problems: Partial<Record<keyof RunSettings, string>> = {};
  const { batch, wait, failures, subset, timeout, queue } = options;
  const wrong = (name: keyof RunSettings, text: string) => problems[name] = text;
  if (batch !== "" && !COUNT.test(batch) && !SHARE.test(batch)) {
    wrong("batch", "Batch: expected a number of minions, or a percentage such as 25%");
  }
  if (batch === "" && (wait !== "" || failures !== "")) wrong("batch", "Batch: enter how many minions run at once");
  if (wait !== "" && !SECONDS.test(wait)) wrong("wait", "Wait: expected seconds");
  if (failures !== "" && !COUNT.test(failures)) wrong("failures", "Stop after: expected a number of failures");
  if (subset !== "" && !COUNT.test(subset)) wrong("subset", "Subset: expected a number of minions");
  if (timeout !== "" && !(SECONDS.test(timeout) && Number(timeout) > 0)) wrong("timeout", "Timeout: expected seconds");
  if (queue !== "" && !(SECONDS.test(queue) && Number(queue) > 0)) wrong("queue", "Queue: expected seconds");
  if (batch !== "" && queue !== "") wrong("queue", "Queue: a batch waits for no minions that are away");
  if (!isCounted && (batch !== "" || subset !== "")) {
    wrong(
      batch === "" ? "subset" : "batch",
      "Batch and subset need a target whose minions are known: ask the minions first",
    );
  }
  return problems;
}

/** The equivalent options of `salt`, for the command line in a confirmation. */
export function saltOptions({ batch, wait, failures, subset, timeout, queue }: RunSettings): string[] {
  return [
    ...(batch === "" ? [] : [`--batch-size=${batch}`]),
    ...(wait === "" ? [] : [`--batch-wait=${wait}`]),
    ...(failures === "" ? [] : ["--failhard"]),
    ...(subset === "" ? [] : [`--subset=${subset}`]),
    ...(timeout === "" ? [] : [`--job-timeout=${timeout}`]),
    ...(queue === "" ? [] : [`--queue=${queue}`]),
  ];
}

/** The number of minions that run at once, at least one. */
export function batchSizeText(batch: string, minions: number): number {
  const size = batch.endsWith("%") ? Math.floor(Number.parseFloat(batch) / 100 * minions) : Number(batch);
  return Math.max(1, size || 1);
}

/** Chooses `count` items of a list at random, in the order of the list. @param random returns a number in [0, 1) */
export function chosenAtRandom<One>(list: readonly One[], count: number, random: () => number): One[] {
  const places = list.map((_one, at) => at);
  for (let at = places.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [places[at], places[other]] = [places[other]!, places[at]!];
  }
  return places.slice(0, count).sort((left, right) => left - right).map((at) => list[at]!);
}
