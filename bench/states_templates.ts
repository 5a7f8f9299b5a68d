/**
 * Renders a second of templates on one runtime: the part `templates` of `states.ts`, of which `states_templates.py` is the control.
 *
 * The templates are the twenty largest of the recorded ones that render without files, and one of the size of a usual SLS file.
 *
 * Run: node bench/states_templates.ts [--json | --templates]   (bun, deno run -A alike)
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { silentLogger } from "../src/base/log.ts";
import { Lazy } from "../src/language/jinja/mod.ts";
import { jinja } from "../src/language/render/jinja.ts";
import { currentRuntime } from "../src/runtime/current.ts";
import { ROOT } from "./bed/runtimes.ts";

const COUNT = 20;
const MEASURED_MS = 100;
const TRIES = 3;
/** Until a runtime has compiled what is run. */
const WARMUP_MS = 500;

interface Template {
  id: string;
  source: string;
  pillar: Record<string, unknown>;
  grains: Record<string, unknown>;
}

interface Recording {
  recorded: { pillar?: Record<string, unknown>; grains?: Record<string, unknown> };
  cases: Record<string, unknown>[];
}

const folder = path.join(ROOT, "tests/golden-states/jinja");
// What needs functions of a minion, or values that JSON cannot say, would not be the same on both sides.
const NEEDS = ["files", "ctx", "pillar", "grains", "opts", "argline", "err"];

function recordedTemplates(): Template[] {
  const found = readdirSync(folder).flatMap((name) => {
    const { recorded, cases } = JSON.parse(readFileSync(path.join(folder, name), "utf8")) as Recording;
    return cases.filter((one) =>
      NEEDS.every((key) => !(key in one)) && !/salt[.[]|random|uuid|now|file_/.test(String(one.tmpl))
    )
      .map((one): Template => ({
        id: String(one.id),
        source: String(one.tmpl),
        pillar: recorded.pillar ?? {},
        grains: recorded.grains ?? {},
      }));
  });
  return found.sort((a, b) => b.source.length - a.source.length || (a.id < b.id ? -1 : 1)).slice(0, COUNT);
}

const usual: Template = {
  id: "usual",
  source: readFileSync(path.join(ROOT, "bench/states_usual.sls"), "utf8"),
  pillar: {
    users: Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [`user${at}`, { uid: 1000 + at, groups: ["a", "b"], shell: "/bin/sh" }]),
    ),
  },
  grains: { os: "Debian", id: "bench", roles: ["web", "db"] },
};

const runtime = await currentRuntime();
const render = jinja(runtime);

function once({ id, source, pillar, grains }: Template, suffix: string): unknown {
  return render(source + suffix, {
    path: id,
    sls: "case",
    saltenv: "base",
    argline: "",
    globals: { pillar: new Lazy(() => pillar), grains: new Lazy(() => grains), opts: new Lazy(() => ({})) },
    functions: {
      has: () => Promise.resolve(false),
      hasModule: () => Promise.resolve(false),
      call: () => Promise.reject(new Error("none")),
    },
    log: silentLogger,
  });
}

/** The best of some tries, since other programs share the processor. */
async function perSecond(template: Template, suffix: (round: number) => string): Promise<number> {
  let rounds = 0;
  const during = async (ms: number) => {
    const first = rounds;
    const began = performance.now();
    let now = began;
    while (now - began < ms) {
      for (let at = 0; at < 20; at++) {
        const done = once(template, suffix(rounds++));
        if (done instanceof Promise) await done;
      }
      now = performance.now();
    }
    return (rounds - first) / (now - began) * 1000;
  };
  await during(WARMUP_MS);
  let best = 0;
  for (let at = 0; at < TRIES; at++) best = Math.max(best, await during(MEASURED_MS));
  return best;
}

const templates = [...recordedTemplates(), usual];
if (process.argv.includes("--templates")) {
  console.log(JSON.stringify(templates));
  process.exit(0);
}
const figures = [];
for (const template of templates) {
  const warm = await perSecond(template, () => "");
  // Another comment each time: a text that was not seen before.
  const cold = await perSecond(template, (round) => `{# ${round} #}`);
  figures.push({ id: template.id, warm, cold });
}
if (process.argv.includes("--json")) console.log(JSON.stringify(figures));
else for (const { id, warm, cold } of figures) console.log(id.padEnd(40), Math.round(warm), Math.round(cold));
