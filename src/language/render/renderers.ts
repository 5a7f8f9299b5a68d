import type { Runtime } from "../../runtime/runtime.ts";
import type { RendererTable } from "./renderer.ts";

export const RENDERER_NAMES = ["gpg", "jinja", "json", "toml", "yaml"] as const;

/** All renderers. Their caches belong to this table. */
export function createRenderers(
  runtime: Pick<Runtime, "crypto" | "clock" | "fs" | "host" | "net" | "process">,
): RendererTable {
  return {
    gpg: async () => (await import("./gpg.ts")).gpg(runtime),
    jinja: async () => (await import("./jinja.ts")).jinja(runtime),
    json: async () => (await import("./json.ts")).json(),
    toml: async () => (await import("./toml.ts")).toml(),
    yaml: async () => (await import("./yaml.ts")).yaml(),
  };
}
