import { suggestion } from "../../base/nearest_name.ts";

const HTTP = "write a program in _engines: it reads events from standard input and fires the events that it prints";

/** Salt's engines that Brine does not have, each with what to do instead. */
const ABSENT: Readonly<Record<string, string>> = {
  docker_events: `have the engine script run "docker events --format json" through a filter, or ${HTTP}`,
  ircbot: HTTP,
  junos_syslog: "have the syslog daemon of the host (rsyslog, syslog-ng) post the messages to the engine webhook",
  libvirt_events: `have the engine script run "virsh event --all --loop" through a filter, or ${HTTP}`,
  logentries: "use the engine http_logstash with the address of a webhook of the log service",
  napalm_syslog: "have napalm-logs publish over HTTP to the engine webhook",
  slack: "use the engine notify with an incoming webhook of Slack; commands from Slack are not taken",
  slack_bolt: "use the engine notify with an incoming webhook of Slack; commands from Slack are not taken",
  slack_bolt_engine: "use the engine notify with an incoming webhook of Slack; commands from Slack are not taken",
  sqs_events: `have the engine script run "aws sqs receive-message" through a filter, or ${HTTP}`,
  thorium:
    "Brine has no Thorium: collect the events with a runner that a reaction calls, or with a program in _engines",
};

/** The error for an unknown engine, with what to do. @param known names of the engines of Brine */
export function absentEngine(name: string, known: readonly string[]): string {
  const instead = Object.hasOwn(ABSENT, name) ? ABSENT[name] : undefined;
  if (instead !== undefined) return `Brine does not have Salt's engine "${name}": ${instead}`;
  const advice = suggestion(name, known);
  const end = advice.endsWith("?") ? "" : ".";
  return `Unknown engine "${name}": ${advice}${end} Put a custom engine into a directory of engines_dirs, or into ` +
    "_engines of file_roots. Then sync it: salt-run saltutil.sync_engines, or saltutil.sync_engines on a minion";
}
