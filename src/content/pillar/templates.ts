import { SALT_MASTER_DEFAULTS } from "../../model/config/salt_defaults.ts";
import type { Logger } from "../../base/log.ts";
import type { AnyMap } from "../../language/python/values.ts";
import type { TemplateFunctionTable } from "../../language/render/jinja/salt_functions.ts";
import { gpgOptionsOf, type RenderJob } from "../../language/render/renderer.ts";
import { jinjaOptionsOf, templateLimitsOf } from "../../language/render/jinja/limits_of.ts";
import { templateValues } from "../../language/render/host_values.ts";
import type { PillarFiles } from "./files.ts";

interface PillarTemplatesOptions {
  opts: Record<string, unknown>;
  log: Logger;
  files: PillarFiles;
  /** Environment → directories. */
  roots: ReadonlyMap<string, readonly string[]>;
  id: string;
  grains: Record<string, unknown>;
  functions: TemplateFunctionTable | undefined;
  additions: RenderJob["additions"];
}

/**
 * The names that templates of one minion's pillar see. A value is copied when a template first uses it: a template may change
 * its copy, but never the values of the master or of another file.
 */
export class PillarTemplates {
  readonly #options: PillarTemplatesOptions;
  readonly #pillar: AnyMap | undefined;

  constructor(options: PillarTemplatesOptions, pillar: AnyMap | undefined) {
    this.#options = options;
    this.#pillar = pillar;
  }

  job(file: { path: string; name: string; sls: string; saltenv: string }): Omit<RenderJob, "argline"> {
    const { opts, log, files, roots, id, grains, functions, additions } = this.#options;
    const { globals, plain, typeNames } = templateValues({ grains, pillar: this.#pillar, opts }, SALT_MASTER_DEFAULTS);
    return {
      ...file,
      globals: { ...globals, minion_id: id },
      plain,
      log,
      typeNames,
      jinjaOptions: jinjaOptionsOf(opts, file.sls !== ""),
      limits: templateLimitsOf(opts),
      gpg: gpgOptionsOf(opts),
      allowUndefined: opts.allow_undefined === true,
      ...(functions === undefined ? {} : { functions }),
      ...(additions === undefined ? {} : { additions }),
      load: (name) => {
        const path = files.find(roots.get(file.saltenv) ?? [], name);
        return path === undefined ? undefined : { path, name, source: files.text(path) };
      },
    };
  }
}
