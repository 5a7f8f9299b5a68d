/** Records what real salt-api 3006 answers to SaltGUI's pages: `node tests/console/record_saltgui.ts > tests/vectors/saltgui_automation.json`. */
import process from "node:process";
import type { Kind } from "../interop/release.ts";
import { AUTOMATION, AUTOMATION_STEPS } from "./saltgui_automation.ts";
import { startSaltGuiSite } from "./saltgui_fleet.ts";
import { exchange } from "./saltgui_requests.ts";

const site = await startSaltGuiSite((process.argv[2] ?? "3006") as Kind, undefined, AUTOMATION);
try {
  console.log(JSON.stringify(await exchange(site, AUTOMATION_STEPS), null, 1));
} finally {
  await site.stop();
}
process.exit(0);
