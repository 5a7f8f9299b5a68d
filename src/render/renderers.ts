import type { RendererTable } from "./renderer.ts";

/** All renderers; what each caches between files belongs to this table alone. */
export function createRenderers(): RendererTable {
  return {
    jinja: async () => (await import("./jinja.ts")).jinja(),
    json: async () => (await import("./json.ts")).json(),
    yaml: async () => (await import("./yaml.ts")).yaml(),
  };
}
