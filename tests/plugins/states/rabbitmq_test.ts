import { states as cluster } from "../../../src/plugins/states/rabbitmq_cluster.ts";
import { states as plugin } from "../../../src/plugins/states/rabbitmq_plugin.ts";
import { states as policy } from "../../../src/plugins/states/rabbitmq_policy.ts";
import { states as upstream } from "../../../src/plugins/states/rabbitmq_upstream.ts";
import { states as user } from "../../../src/plugins/states/rabbitmq_user.ts";
import { states as vhost } from "../../../src/plugins/states/rabbitmq_vhost.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("rabbitmq", {
  rabbitmq_cluster: cluster,
  rabbitmq_plugin: plugin,
  rabbitmq_policy: policy,
  rabbitmq_upstream: upstream,
  rabbitmq_user: user,
  rabbitmq_vhost: vhost,
});
