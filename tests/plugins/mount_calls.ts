/** Mounts and unmounts for the test beside this file, in whatever mount namespace it is started in; prints what came. */
import process from "node:process";
import { kwargs, testMinion } from "../support/context.ts";

const [directory = ""] = process.argv.slice(-1);
const minion = await testMinion();
const results: unknown[] = [];
const run = async (fun: string, ...arg: unknown[]) => {
  const { return: value } = await minion.run(fun, arg);
  results.push(value);
};

const place = `${directory}/made/here`;
await run("mount.is_mounted", place);
await run("mount.mount", place, "none", kwargs({ mkmnt: true, fstype: "tmpfs", opts: "size=1m,nosuid" }));
await run("mount.is_mounted", place);
const active = await minion.value("mount.active") as Record<string, { device: string; fstype: string; opts: string[] }>;
results.push([active[place]!.device, active[place]!.fstype, active[place]!.opts.includes("nosuid")]);
await run("mount.get_mount_from_path", `${place}/below`);
await run("mount.get_device_from_path", place);
await run("file.write", `${place}/file`, "gone with its file system");
await run("mount.remount", place, "none", kwargs({ fstype: "tmpfs", opts: "ro" }));
const again = await minion.value("mount.active", true) as Record<string, { opts: string[]; root: string }>;
results.push([again[place]!.opts.includes("ro"), again[place]!.root]);
await run("mount.umount", place);
await run("mount.umount", place);
await run("file.file_exists", `${place}/file`);
const { return: complaint, retcode } = await minion.run("mount.mount", [place, "none", kwargs({ fstype: "nosuchfs" })]);
results.push([typeof complaint === "string" && complaint.startsWith("mount: "), retcode !== 0]);
console.log(JSON.stringify(results));
