import type { RenderJob } from "../../language/render/renderer.ts";
import type { CustomPlace } from "./loaded_file.ts";

/** What a custom renderer receives about its host and the file. `grains`, `pillar` and `opts` are copies. */
export function rendererContext(
  place: CustomPlace,
  { path, sls = "", saltenv, argline, plain, context = {} }: RenderJob,
): object {
  return {
    ...place,
    path,
    sls,
    saltenv,
    argline,
    context,
    get opts() {
      return plain?.opts.value ?? place.opts;
    },
    get grains() {
      return plain?.grains.value ?? {};
    },
    get pillar() {
      return plain?.pillar.value ?? {};
    },
  };
}
