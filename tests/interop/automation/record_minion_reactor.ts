/**
 * Records what the engine `reactor` of a real minion does: `node tests/interop/automation/record_minion_reactor.ts`. Only of a minion with
 * `file_client: local`: with another one the reactor's process of 3006 ends at each `caller`.
 */
import { writeFileSync } from "node:fs";
import { reactOnMinion } from "./minion_reactor_bed.ts";

const file = new URL("../../vectors/minion_reactor.json", import.meta.url);
writeFileSync(file, `${JSON.stringify({ generated_with: "3006", caused: await reactOnMinion("3006") }, null, 1)}\n`);
