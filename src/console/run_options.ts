/** How a job is run on its minions: as typed. Empty texts are not asked for. */
export interface RunOptions {
  /** Minions at once: `10` or `25%`. */
  batch: string;
  /** Seconds between two parts of a batch. */
  wait: string;
  /** Failures after which no more minions are started. */
  failures: string;
  /** So many minions of the target, chosen at random. */
  subset: string;
  /** Seconds after which a minion ends the job. */
  timeout: string;
  /** Seconds for which the job waits for minions that are away. */
  queue: string;
}

export const AT_ONCE: RunOptions = { batch: "", wait: "", failures: "", subset: "", timeout: "", queue: "" };

const COUNT = /^[1-9]\d{0,6}$/;
const SECONDS = /^\d{1,8}(?:\.\d+)?$/;
const SHARE = /^(?:100|[1-9]?\d(?:\.\d+)?)%$/;

/** What is wrong with options, by their names. @param isCounted whether the minions of the target are known */
export function optionProblems(options: RunOptions, isCounted: boolean): Partial<Record<keyof RunOptions, string>> {
  const problems: Partial<Record<keyof RunOptions, string>> = {};
  const { batch, wait, failures, subset, timeout, queue } = options;
  const wrong = (name: keyof RunOptions, text: string) => problems[name] = text;
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

/** The options of `salt` that mean the same, for the command line that a confirmation shows. */
export function saltOptions({ batch, wait, failures, subset, timeout, queue }: RunOptions): string[] {
  return [
    ...(batch === "" ? [] : [`--batch-size=${batch}`]),
    ...(wait === "" ? [] : [`--batch-wait=${wait}`]),
    ...(failures === "" ? [] : ["--failhard"]),
    ...(subset === "" ? [] : [`--subset=${subset}`]),
    ...(timeout === "" ? [] : [`--job-timeout=${timeout}`]),
    ...(queue === "" ? [] : [`--queue=${queue}`]),
  ];
}

/** How many minions of so many run at once: at least one. */
export function batchSize(batch: string, minions: number): number {
  const size = batch.endsWith("%") ? Math.floor(Number.parseFloat(batch) / 100 * minions) : Number(batch);
  return Math.max(1, size || 1);
}

/** So many of a list, chosen at random, in the order of the list. @param random from 0 to 1, without 1 */
export function chosenAtRandom<One>(list: readonly One[], count: number, random: () => number): One[] {
  const places = list.map((_one, at) => at);
  for (let at = places.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [places[at], places[other]] = [places[other]!, places[at]!];
  }
  return places.slice(0, count).sort((left, right) => left - right).map((at) => list[at]!);
}
