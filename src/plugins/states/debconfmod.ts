import { SaltInvocationError } from "../../model/loader/family.ts";
import { needs, outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { answerLine } from "../modules/debconfmod.ts";

interface Answer {
  question: string;
  type: unknown;
  value: unknown;
}

/** @throws {SaltInvocationError} if the data is no map of questions to types and values */
function answersOf(data: unknown): Answer[] {
  if (!isMap(data)) {
    throw new SaltInvocationError(`Cannot answer questions from ${str(data)}: expected a map of questions`);
  }
  return entriesOf(data).map(([question, given]) => {
    const type = isMap(given) ? lookup(given, "type") : undefined;
    const value = isMap(given) ? lookup(given, "value") : undefined;
    if (type === undefined || value === undefined) {
      throw new SaltInvocationError(`Cannot answer ${str(question)}: expected a map of type and value`);
    }
    // As debconf writes them.
    return { question: str(question), type, value: type === "boolean" ? String(truthy(value)) : value };
  });
}

/** Answers to the questions that Debian's packages ask. */
export const states: StateModule = {
  virtual: async (context) =>
    context.grains.os_family !== "Debian"
      ? { unavailable: "debconf state only runs on Debian systems" }
      : await needs("debconf.show", "debconf module could not be loaded")(context),
  functions: stateFunctions({
    "set(name, data, **kwargs)": {
      doc: "The package's questions have these answers: a map of questions to type and value.",
      async run(context, { name, data }) {
        const current = await context.call("debconf.show", [name]) as unknown[][] | null;
        const changes: Record<string, string> = {};
        let comment = "";
        let result: boolean | null = true;
        for (const { question, type, value } of answersOf(data)) {
          if (current?.some((one) => one[0] === question && one[1] === type && one[2] === str(value)) === true) {
            comment = `${comment === "" ? "Unchanged answers: " : comment}${question} `;
            continue;
          }
          answerLine({ package: name, question, type, value });
          const shown = type === "password" ? "(password hidden)" : str(value);
          if (context.test) {
            result = null;
            changes[question] = `New value: ${shown}`;
          } else if (truthy(await context.call("debconf.set", [name, question, type, value]))) {
            changes[question] = shown;
          } else {
            result = false;
            comment = "Some settings failed to be applied.";
            changes[question] = "Failed to set!";
          }
        }
        const none = Object.keys(changes).length === 0;
        return outcome(name, result, none ? "All specified answers are already set" : comment, changes);
      },
    },
    "set_file(name, source, template=None, context=None, defaults=None, **kwargs)": {
      doc: "Answers the questions of a file, which is rendered first if `template` says so.",
      async run(context, args) {
        const { name, source, template, context: variables, defaults, kwargs } = args;
        if (variables !== null && !isMap(variables)) return outcome(name, false, "Context must be formed as a dict");
        if (defaults !== null && !isMap(defaults)) return outcome(name, false, "Defaults must be formed as a dict");
        if (context.test) return outcome(name, null, "Debconf selections would have been set.");
        const keyword = kwargs;
        const done = truthy(template)
          ? await context.call("debconf.set_template", [source, template, variables ?? {}, defaults ?? {}], keyword)
          : await context.call("debconf.set_file", [source], keyword);
        return truthy(done)
          ? outcome(name, true, "Debconf selections were set.")
          : outcome(name, false, "Unable to set debconf selections from file.");
      },
    },
  }),
};
