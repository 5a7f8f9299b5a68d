/** What Brine's renderer makes of the templates of `template_expressions.ts`, in the form of `record_template_expressions.py`. */
import { templateFunctions } from "../../src/model/loader/template_functions.ts";
import { silentLogger } from "../../src/base/log.ts";
import { templateValues } from "../../src/language/render/host_values.ts";
import { jinja } from "../../src/language/render/jinja.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { testMinion } from "../support/context.ts";
import { recordedValue } from "../support/recorded_values.ts";
import { GRAINS, PILLAR } from "./template_expressions.ts";

export interface TemplateAnswer {
  out?: string;
  /** The first line of the error. */
  error?: string;
}

const render = jinja(await currentRuntime());

export async function ourTemplateAnswer(template: string): Promise<TemplateAnswer> {
  const grains = Object.fromEntries(recordedValue(GRAINS as never) as Map<string, unknown>);
  const pillar = Object.fromEntries(recordedValue(PILLAR as never) as Map<string, unknown>);
  const opts = { id: "golden", file_client: "local" };
  const minion = await testMinion({ opts, grains, pillar, master: null });
  const functions = templateFunctions(() =>
    Promise.resolve({ functions: minion.functions, context: () => minion.context })
  );
  try {
    const text = await render(template, {
      path: "/case.sls",
      name: "case.sls",
      sls: "case",
      saltenv: "base",
      argline: "",
      ...templateValues({ grains, pillar, opts }),
      context: {},
      functions,
      load: () => undefined,
      log: silentLogger,
    });
    return { out: String(text) };
  } catch (error) {
    return { error: (error as Error).message.split("\n")[0]! };
  }
}
