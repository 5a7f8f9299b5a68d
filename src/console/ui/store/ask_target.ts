import { type Api, isForbidden } from "../../api.ts";
import { doubted, type Preview, previewTargetOf } from "../../preview.ts";
import { errorText } from "../../text.ts";

export interface TargetQuestion {
  tgt: string;
  type: string;
  /** The function of the job: an account may run one function on more minions than another. */
  fun: string;
  why: string;
}

/**
 * Asks the master which minions a job would run on, without asking a minion. A Brine master previews the job itself; other
 * masters are asked for the grains (`cache.grains`) of the minions that the browser cannot determine.
 *
 * @param fleetKnown true if the browser knows all accepted minions
 * @returns undefined if the browser can match the target from grains
 */
export async function askTarget(
  api: Api,
  { tgt, type, fun, why }: TargetQuestion,
  fleetKnown: boolean,
): Promise<Preview | undefined> {
  try {
    const previewed = await api.preview({ tgt: type === "list" ? tgt.split(",") : tgt, tgt_type: type, fun });
    if (previewed !== undefined) {
      const { minions, missing, unknown } = previewed;
      const open = new Set(unknown);
      return doubted(
        {
          kind: "here",
          matched: minions.filter((id) => !open.has(id)),
          unknown,
          ...(missing.length === 0 ? {} : { why: `No accepted key: ${missing.slice(0, 5).join(", ")}` }),
        },
        tgt,
        type,
      );
    }
  } catch (error) {
    if (!isForbidden(error)) return { kind: "unknown", why: `Not reported by the master: ${errorText(error)}` };
    return { kind: "unknown", why: `this account may not run ${fun} on all of them` };
  }
  if (fleetKnown && !onlyMasterKnows(tgt, type)) return undefined;
  try {
    const found = await api.runner("cache.grains", { tgt, tgt_type: type });
    const matched = Object.keys(typeof found === "object" && found !== null ? found : {});
    return { kind: "here", matched, unknown: [], why: `From the master's data: ${why}` };
  } catch (error) {
    const asked = isForbidden(error)
      ? "this account may not read grains from the master (cache.grains)"
      : `not reported by the master: ${errorText(error)}`;
    return { kind: "unknown", why: `${why}, and ${asked}` };
  }
}

const onlyMasterKnows = (tgt: string, type: string) =>
  previewTargetOf(tgt, type, { ids: [], grains: () => undefined }).kind === "master";
