/** Writes the manual pages of all programs into `dist/man`, from the same tables that `--help` prints. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { manPage, MANUALS } from "../cli/options/man.ts";

const out = fileURLToPath(new URL("../dist/man", import.meta.url));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const program of MANUALS) writeFileSync(join(out, `${program}.1`), manPage(program));
process.stdout.write(`${MANUALS.length} manual pages in ${out}\n`);
