/** Fuzzes decoders: `node tests/fuzz/main.ts [--inputs 1000000] [--decoder YAML] [--from 1]`. */
import process from "node:process";
import { parseArgs } from "node:util";
import { DECODERS } from "./decoders.ts";
import { fuzz } from "./fuzz.ts";

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "20000" },
    from: { type: "string", default: "1" },
    decoder: { type: "string", default: "" },
  },
});
let failed = 0;
for (const decoder of DECODERS) {
  if (!decoder.name.includes(values.decoder)) continue;
  const began = Date.now();
  const inputs = Number(values.inputs);
  const { faults, refused } = await fuzz(decoder, { from: Number(values.from), inputs });
  failed += faults.length;
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  const memory = `${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`;
  console.log(
    `${decoder.name}: ${inputs} inputs, ${refused} refused, ${faults.length} faults, ${seconds} s, ${memory}`,
  );
  for (const { seed, input, why } of faults) console.log(`  seed ${seed}, ${input.slice(0, 2000)}\n    ${why}`);
}
process.exitCode = failed > 0 ? 1 : 0;
