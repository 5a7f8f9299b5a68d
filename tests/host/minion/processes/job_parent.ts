/** A minion that runs a command in a job, prints the numbers of both processes, and waits to be killed. */
import "../../../../cli/compile_cache.ts";
import { jobBed } from "./job_bed.ts";

const bed = await jobBed();
const { promise: pid, resolve } = Promise.withResolvers<number>();
const job = bed.run("cmd.run", ["echo $$; exec sleep 60", { __kwarg__: true, python_shell: true }], {
  jid: "20250101000000000001",
  output: (_stream, chunk) => resolve(Number(new TextDecoder().decode(chunk))),
});
const command = await pid;
const [running] = bed.jobs.running();
console.log(JSON.stringify([running!.pid, command]));
await job;
