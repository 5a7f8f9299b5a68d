/**
 * A host as edge workers are: a global object with the standards of the web and nothing else, into which a module is loaded that answers
 * requests. `node --experimental-vm-modules edge_host.js <directory of the package> <worker.js> <address of the salt-api>`
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import vm from "node:vm";

/** What a worker has, beside the words of the language itself. */
const GLOBALS = [
  "AbortController",
  "AbortSignal",
  "DOMException",
  "Event",
  "EventTarget",
  "Headers",
  "ReadableStream",
  "Request",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "TransformStream",
  "URL",
  "URLSearchParams",
  "WritableStream",
  "atob",
  "btoa",
  "clearInterval",
  "clearTimeout",
  "console",
  "crypto",
  "fetch",
  "performance",
  "queueMicrotask",
  "setInterval",
  "setTimeout",
  "structuredClone",
];

const [place, worker, url] = process.argv.slice(2);
const context = vm.createContext(Object.fromEntries(GLOBALS.map((name) => [name, globalThis[name]])), {
  codeGeneration: { strings: false, wasm: false },
});
const modules = new Map();

/** A module and all that it imports, each once. */
function load(file) {
  if (!modules.has(file)) {
    modules.set(file, new vm.SourceTextModule(readFileSync(file, "utf8"), { context, identifier: file }));
  }
  return modules.get(file);
}

const entry = load(path.resolve(worker));
await entry.link((specifier, from) => {
  if (specifier === "brine/http") return load(path.join(place, "dist/src/client/http/mod.js"));
  if (!specifier.startsWith(".")) {
    throw new Error(`${from.identifier} imports ${specifier}, which a worker does not have`);
  }
  return load(path.resolve(path.dirname(from.identifier), specifier));
});
await entry.evaluate();
const response = await entry.namespace.default.fetch(new Request("https://worker.example/"), { SALT_API: url });
process.stdout.write(`${response.status} ${await response.text()}\n`);
