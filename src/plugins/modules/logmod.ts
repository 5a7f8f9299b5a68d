import { executionFunction, type ExecutionModule } from "../../model/loader/family.ts";

const at = (level: "debug" | "info" | "warning" | "error" | "critical", name: string = level) =>
  executionFunction({
    inline: true,
    signature: "message: str",
    doc:
      `Writes a message to the minion's log, at the level ${level}. For templates.\n\n    salt '*' log.${name} "a message"`,
    run(context, { message }) {
      context.log[level](message);
      return true;
    },
  });

/** Messages for the minion's log. */
export const module: ExecutionModule = {
  functions: {
    debug: at("debug"),
    info: at("info"),
    warning: at("warning"),
    error: at("error"),
    critical: at("critical"),
    exception: at("error", "exception"),
  },
};
