/** Bugs that are planted into a copy of the source, one at a time: the simulation must find each of them. */

export interface PlantedBug {
  /** What goes wrong. */
  name: string;
  /** What is changed. More than one where each of two checks would do by itself. */
  edits: readonly Edit[];
  /** It shows in a cluster of masters. @default in a world without one */
  cluster?: boolean;
}

export interface Edit {
  /** Path from the root of the project. */
  file: string;
  /** Occurs once in it. */
  from: string;
  to: string;
}

const bug = (name: string, file: string, from: string, to: string): PlantedBug => ({
  name,
  edits: [{ file, from, to }],
});

const inCluster = (...args: Parameters<typeof bug>): PlantedBug => ({ ...bug(...args), cluster: true });

export const PLANTED: readonly PlantedBug[] = [
  {
    name: "jobs of a master that is gone are not offered to minions that are there",
    cluster: true,
    edits: [
      { file: "src/host/master/cluster/cluster.ts", from: "    ledger.offerNow(jid);\n", to: "" },
      {
        file: "src/host/master/jobs/job_review.ts",
        from: "if (time.age >= (part.offerAt ?? 0) && time.presence.listens(minion)) offer.push(minion);",
        to: "",
      },
    ],
  },
  inCluster(
    "queued jobs run at once",
    "src/host/minion/jobs/dispatcher.ts",
    "return QueuedJobs.isQueued(load) ? queued.add(jid, begin) : begin();",
    "return begin();",
  ),
  inCluster(
    "the queued jobs of other masters are not waited for",
    "src/host/master/cluster/statements.ts",
    "new Set(known === undefined || !this.#bus.state.connected ? [] : this.#masters());",
    "new Set<string>();",
  ),
  bug(
    "returns that a killed master has stored are not announced",
    "src/host/master/jobs/ledger.ts",
    "job.untold = await this.#options.untold?.(jid, returned) ?? 0;",
    "",
  ),
  inCluster(
    "a return is acknowledged while the storage is away",
    "src/host/master/commands/return.ts",
    `throw WithheldReply.unlessForGood(error, "The return");`,
    "throw error;",
  ),
  bug(
    "a job begins before the journal says so on the disk",
    "src/host/minion/jobs/master_jobs.ts",
    `const marked = (written || journal.again(jid)) && journal.mark(jid, "starting") && await journal.synced();`,
    `const marked = written || journal.again(jid);`,
  ),
  bug(
    "the journal is written and not synced",
    "src/host/minion/jobs/journal.ts",
    "if (this.#unsynced) this.#syncing = this.#sync();",
    "",
  ),
  bug(
    "a publication that comes twice is run twice",
    "src/host/minion/jobs/dispatcher.ts",
    "if (this.#seen.has(jid) || taken(jid)) {",
    "if (taken(jid) && !this.#seen.has(jid)) {",
  ),
  bug(
    "jobs of before a restart are forgotten by the dispatcher",
    "src/host/minion/jobs/dispatcher.ts",
    "if (this.#seen.has(jid) || taken(jid)) {",
    "if (this.#seen.has(jid)) {",
  ),
  bug(
    "returns are kept in memory alone",
    "src/host/minion/jobs/spool_files.ts",
    "fs.append(segment.path, bytes, 0o600);",
    "fs.append(segment.path, new Uint8Array(0), 0o600);",
  ),
  bug(
    "spooled returns are never synced",
    "src/host/minion/jobs/spool_files.ts",
    "if (this.#syncing) return;",
    "if (!this.#syncing) return;",
  ),
  bug(
    "a return leaves the spool before its master has it",
    "src/host/minion/jobs/return_sender.ts",
    "await this.#options.send(loads[0]!, timeoutMs);",
    "void this.#options.send(loads[0]!, timeoutMs).catch(() => {});",
  ),
  bug(
    "a return that could not be sent is not sent again",
    "src/host/minion/jobs/return_sender.ts",
    "this.#waiting.unshift(...due.map(({ waiting }) => waiting));",
    "this.#settle(due);",
  ),
  bug(
    "the master acknowledges before the disk has it",
    "src/host/master/jobs/durable_saves.ts",
    "if (flushed !== undefined) await flushed;",
    "if (flushed !== undefined) flushed.catch(() => {});",
  ),
  bug(
    "a master that starts again forgets its open jobs",
    "src/host/master/jobs/ledger.ts",
    "for (const jid of jids ?? await jobs.unsettled()) {",
    "for (const jid of jids ?? (await jobs.unsettled()).slice(1)) {",
  ),
  bug(
    "outcomes are not saved",
    "src/host/master/jobs/outcome_store.ts",
    "outcomes.length > 0 ? this.#jobs.saveOutcomes(jid, outcomes) : undefined,",
    "",
  ),
  bug(
    "an outcome that the disk did not take is not saved again",
    "src/host/master/jobs/outcome_store.ts",
    "const retry = () => this.#keep(jid, outcomes, settled, number);",
    "const retry = () => {};",
  ),
  bug(
    "a minion that comes back does not ask for what it has missed",
    "src/host/minion/jobs/missed_jobs.ts",
    "return await this.#ask(dispatch);",
    "return this.#dispatchAdded(dispatch, () => true);",
  ),
  {
    name: "a return that came before is taken again",
    edits: [
      {
        file: "src/host/master/jobs/return_store.ts",
        from: "if (!fresh && !wasWithheld) {",
        to: "if (!fresh && !wasWithheld && !jid) {",
      },
      {
        file: "src/host/master/jobs/ledger.ts",
        from: `return part === RETURNED ? "returned before" : "expected";`,
        to: `return "expected";`,
      },
    ],
  },
  bug(
    "new files are synced without their names",
    "src/plugins/job_caches/noted_files.ts",
    "const named = (path: string) => void noted.add(dirName(path));",
    "const named = (_path: string) => {};",
  ),
  bug(
    "a return is told of before it is safe",
    "src/host/master/jobs/return_store.ts",
    "await store.durable();",
    "store.soon();",
  ),
  bug(
    "a return that could not be stored counts as stored",
    "src/host/master/jobs/return_store.ts",
    "    undo();\n",
    "",
  ),
  {
    name: "a return is appended to a torn one",
    edits: [
      {
        file: "src/host/minion/jobs/spool_files.ts",
        from: "      // The file may end in half a record now.\n      this.#segment = undefined;",
        to: "",
      },
      {
        file: "src/host/minion/jobs/spool_files.ts",
        from: "fs.stat(this.#segment.path)?.size !== this.#segment.size",
        to: "false",
      },
    ],
  },
];
