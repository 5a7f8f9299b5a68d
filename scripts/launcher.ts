/** The oldest Node that runs what we build. */
export const OLDEST_NODE = 24;

/**
 * What the package installs as a program: a file that any Node can read, however old, and that says which one is needed before
 * one that is too old comes to what it cannot read.
 *
 * @param program its name, which is that of its module beside it
 */
export function launcher(program: string): string {
  return `#!/usr/bin/env node
"use strict";
var versions = process.versions;
if (!versions.bun && !versions.deno && parseInt(versions.node, 10) < ${OLDEST_NODE}) {
  process.stderr.write(
    "${program}: Node " + versions.node + " is too old: Brine needs Node ${OLDEST_NODE} or newer, Bun or Deno\\n"
  );
  process.exit(1);
}
require("./load.cjs")("./${program}.mjs");
`;
}

/**
 * The rest of all of them, in a file of its own: a Node that does not know import() cannot read it. It ends what
 * `cli/load_code.ts` begins.
 *
 * @param build differs between any two bundles
 */
export const loaderEnd = (build: string): string => `
module.exports = function (module) {
  if (process.versions.bun || process.versions.deno) return import(module);
  return runBundled(__dirname, module.slice(2), "${build}");
};
`;
