/**
 * Records what the orchestrations of `masters` do on a real master with real minions: `node record_through_a_master.ts RELEASE`.
 */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { bedDirectory } from "../../bench/bed/daemon_directory.ts";
import { freePort } from "../../bench/bed/ports.ts";
import { runCommand } from "../../bench/bed/run_command.ts";
import { until } from "../../bench/bed/until.ts";
import { commandOf, configureDaemon, Daemon } from "../interop/daemon.ts";
import type { Release } from "../interop/release.ts";
import { type Answer, answerOf, masterOptions, masterTrees } from "./through_a_master.ts";

const release = process.argv[2] as Release;
for (const tree of masterTrees()) {
  const directory = bedDirectory("orchestrations");
  const [ret_port, publish_port] = [await freePort(), await freePort()];
  const master = { interface: "127.0.0.1", ret_port, publish_port, auto_accept: true, timeout: 30, loop_interval: 1 };
  configureDaemon(join(directory, "master"), "master", { ...master, ...masterOptions(tree) });
  const daemons: Daemon[] = [];
  const start = (program: string, folder: string) =>
    daemons.push(
      new Daemon(folder, [...commandOf(release, program), "-c", join(directory, folder, "etc")], [join(directory, `${folder}.out`)]),
    );
  try {
    start("salt-master", "master");
    for (const [id, grains] of Object.entries(tree.minions)) {
      const minion = { id, master: "127.0.0.1", master_port: ret_port, publish_port, acceptance_wait_time: 1, grains };
      configureDaemon(join(directory, id), "minion", minion);
      start("salt-minion", id);
    }
    const at = join(directory, "master", "etc");
    const run = (program: string, ...words: string[]) =>
      runCommand([...commandOf(release, program), "-c", at, "-l", "quiet", "--out=json", ...words], { timeoutMs: 300_000 });
    await until("every minion answers", async () => {
      const { stdout } = await run("salt", "--static", "*", "test.ping");
      return Object.keys(tree.minions).every((id) => stdout.includes(`"${id}": true`));
    }, { timeoutMs: 180_000 });
    const answers: Answer[] = [];
    for (const words of tree.runs) {
      const { stdout, code } = await run("salt-run", ...words);
      answers.push(answerOf(code ?? 1, stdout));
    }
    const file = join(import.meta.dirname, "recorded", `${basename(tree.directory)}.master.${release}.json`);
    writeFileSync(file, `${JSON.stringify(answers).replaceAll(tree.directory, "{tree}")}\n`);
  } finally {
    for (const daemon of daemons.reverse()) await daemon.stop();
  }
}
