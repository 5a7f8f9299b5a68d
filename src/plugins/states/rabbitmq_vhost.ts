import { str, truthy } from "../../language/python/values.ts";
import { outcome, stateFunction, type StateModule } from "../../model/loader/states.ts";
import { rabbitmqHere, said } from "./rabbitmq.ts";

/** Virtual hosts of RabbitMQ. */
export const states: StateModule = {
  virtual: rabbitmqHere,
  functions: {
    present: stateFunction({
      signature: "name",
      doc: "There is the virtual host.",
      async run(context, { name }) {
        if (truthy(await context.call("rabbitmq.vhost_exists", [name]))) {
          return outcome(name, true, `Virtual Host '${str(name)}' already exists.`);
        }
        const changes = { old: "", new: name };
        if (context.test) return outcome(name, null, `Virtual Host '${str(name)}' will be created.`, changes);
        return outcome(name, true, said(await context.call("rabbitmq.add_vhost", [name]), "Added"), changes);
      },
    }),
    absent: stateFunction({
      signature: "name",
      doc: "There is no such virtual host.",
      async run(context, { name }) {
        if (!truthy(await context.call("rabbitmq.vhost_exists", [name]))) {
          return outcome(name, true, `Virtual Host '${str(name)}' is not present.`);
        }
        const changes = { new: "", old: name };
        if (context.test) return outcome(name, null, `Virtual Host '${str(name)}' will be removed.`, changes);
        return outcome(name, true, said(await context.call("rabbitmq.delete_vhost", [name]), "Deleted"), changes);
      },
    }),
  },
};
