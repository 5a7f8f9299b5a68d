import { AsyncQueue } from "../../base/async/queue.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/**
 * The script of the shell. It reads changes of its list of process groups: `+ 12` adds one and `- 12` removes it. Its input ends with
 * the process that writes it; the groups on the list then have `$0` seconds to end before they are killed.
 */
const SCRIPT = `groups=' '
while read -r sign group; do
  if [ "$sign" = + ]; then groups="$groups$group "; else groups="\${groups%% $group *} \${groups#* $group }"; fi
done
left=$0
while [ "$left" -gt 0 ]; do
  alive=
  for group in $groups; do kill -0 "$group" 2>/dev/null && alive="$alive $group"; done
  groups=$alive
  [ -n "$groups" ] || exit 0
  sleep 1
  left=$((left - 1))
done
for group in $groups; do kill -s KILL -- "-$group"; done 2>/dev/null`;

/** The most changes of the list that wait for a shell that does not read: more are not expected. */
const MAX_CHANGES = 100_000;

/**
 * Kills process groups once this process has died, however it died: a child that hangs or is stopped cannot notice that itself. A
 * shell does this, which is started with the first group. Without a shell on this host there is no guard; working children still
 * notice that their connection is closed.
 */
export class OrphanGuard {
  readonly #runtime: Pick<Runtime, "process">;
  readonly #graceMs: number;
  #changes: AsyncQueue<Uint8Array> | undefined;

  /** @param graceMs how long the groups may run after this process has died */
  constructor(runtime: Pick<Runtime, "process">, graceMs: number) {
    this.#runtime = runtime;
    this.#graceMs = graceMs;
  }

  /** Guards a group. @returns a function that removes the group */
  add(group: number): () => void {
    const changes = this.#changes ??= this.#start();
    const tell = (sign: string) => void changes.offer(new TextEncoder().encode(`${sign} ${group}\n`));
    tell("+");
    return () => tell("-");
  }

  #start(): AsyncQueue<Uint8Array> {
    const { process } = this.#runtime;
    const changes = new AsyncQueue<Uint8Array>({ limit: MAX_CHANGES, whenFull: "drop-newest" });
    process.spawn({
      argv: ["sh", "-c", SCRIPT, String(Math.ceil(this.#graceMs / 1000))],
      env: process.environment(),
      stdin: changes,
      // Ctrl-C in the terminal must not end the shell.
      detached: true,
    }).catch(() => changes.close());
    return changes;
  }

  /** Ends the guard, and the groups that are still guarded. */
  close(): void {
    this.#changes?.close();
  }
}
