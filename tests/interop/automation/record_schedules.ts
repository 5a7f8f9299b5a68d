/** Records what becomes of scheduled jobs of a real master and a real minion: `node tests/interop/automation/record_schedules.ts`. */
import { writeFileSync } from "node:fs";
import { SCHEDULED_BEDS } from "./schedule_bed.ts";

const file = new URL("../../vectors/schedules.json", import.meta.url);
const scheduled: Record<string, unknown> = {};
for (const [name, run] of Object.entries(SCHEDULED_BEDS)) scheduled[name] = await run("3006");
writeFileSync(file, `${JSON.stringify({ generated_with: "3006", scheduled }, null, 1)}\n`);
