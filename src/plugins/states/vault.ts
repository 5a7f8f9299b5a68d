import { messageOf } from "../../base/errors.ts";
import { unifiedDiff } from "../../language/python/difflib.ts";
import { str } from "../../language/python/values.ts";
import { outcome, type StateContext, stateFunction, type StateModule } from "../../model/loader/states.ts";
import { itemOf } from "../modules/vault.ts";
import { openVault } from "../vault/open.ts";
import { fails } from "./outcome.ts";

const lines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The rules of a policy; undefined if there is none. */
async function rulesOf(context: StateContext, url: string): Promise<string | undefined> {
  const answer = await openVault(context).request("GET", url);
  if (answer.status === 404) return undefined;
  answer.raise();
  return str(itemOf(answer.json(), "rules"));
}

export const states: StateModule = {
  functions: {
    policy_present: stateFunction({
      signature: "name, rules",
      doc: "The policy has these rules.",
      async run(context, { name, rules: given }) {
        const url = `v1/sys/policy/${str(name)}`;
        const rules = str(given);
        const old = await rulesOf(context, url).catch(fails("Failed to get policy: ", messageOf));
        if (old === rules) return outcome(name, true, "Policy exists, and has the correct content");
        const isNew = old === undefined;
        const change = isNew ? undefined : { change: unifiedDiff(lines(old!), lines(rules)).join("") };
        if (context.test) {
          return isNew
            ? outcome(name, null, "Policy would be created", { [str(name)]: { old: "", new: rules } })
            : outcome(name, null, "Policy would be changed", { [str(name)]: change });
        }
        const answer = await openVault(context).request("PUT", url, new Map([["rules", rules]]));
        if (answer.status !== 200 && answer.status !== 204) {
          return outcome(name, false, `Failed to ${isNew ? "create" : "change"} policy: ${answer.reason}`);
        }
        return isNew
          ? outcome(name, true, "Policy was created", { [str(name)]: { old: null, new: rules } })
          : outcome(name, true, "Policy was updated", { [str(name)]: change });
      },
    }),
    policy_absent: stateFunction({
      signature: "name",
      doc: "There is no such policy.",
      async run(context, { name }) {
        const url = `v1/sys/policy/${str(name)}`;
        try {
          if (await rulesOf(context, url) === undefined) return outcome(name, true, "Policy is already absent");
          const changes = { deleted: str(name) };
          if (context.test) return outcome(name, null, "Policy would be deleted", changes);
          (await openVault(context).request("DELETE", url)).raise();
          return outcome(name, true, "Policy has been deleted", changes);
        } catch (error) {
          return outcome(name, false, messageOf(error));
        }
      },
    }),
  },
};
