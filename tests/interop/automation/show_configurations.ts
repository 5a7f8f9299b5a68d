/** Shows where a site of ours does something else than one of real Salt: `node … [part of the names]`. */
import process from "node:process";
import { siteOf } from "./configuration_bed.ts";
import { SITE_CASES } from "./configuration_cases.ts";

const [part = "", release = "3006"] = process.argv.slice(2);
for (const [name, one] of Object.entries(SITE_CASES)) {
  if (!name.includes(part)) continue;
  const theirs = await siteOf(release as "3006", one);
  const ours = await siteOf("brine", one);
  console.log(`=== ${name}: ${theirs.length} and ${ours.length} lines`);
  for (const line of theirs) if (!ours.includes(line)) console.log(`SALT ${line}`);
  for (const line of ours) if (!theirs.includes(line)) console.log(`OURS ${line}`);
}
process.exit(0);
