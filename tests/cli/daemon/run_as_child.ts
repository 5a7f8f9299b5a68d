/** Becomes another user, and reports which one: started by `run_as_slow_test.ts`. */
import process from "node:process";
import { readFileSync, writeFileSync } from "node:fs";
import { runAs } from "../../../cli/daemon/run_as.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const [user = "", directory = ""] = process.argv.slice(2);
const runtime = await currentRuntime();
const said: Record<string, unknown> = {};
try {
  said.user = await runAs(runtime, {
    opts: { user },
    given: true,
    directories: [`${directory}/pki`, `${directory}/new`],
    files: [`${directory}/log`],
  });
} catch (error) {
  said.error = (error as Error).message;
}
const attempt = (what: () => unknown) => {
  try {
    what();
    return "done";
  } catch {
    return "refused";
  }
};
said.uid = [process.getuid!(), process.geteuid!(), process.getgid!(), process.getegid!()];
said.groups = /^Groups:\s*(.*)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]?.trim();
said.back = attempt(() => process.setuid!(0));
said.outside = attempt(() => writeFileSync(`${directory}/outside`, ""));
said.inside = attempt(() => writeFileSync(`${directory}/pki/minions/web1`, "x"));
said.fresh = attempt(() => writeFileSync(`${directory}/new/file`, ""));
said.home = process.env.HOME;
console.log(JSON.stringify(said));
