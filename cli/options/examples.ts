/** Example command lines, at least two for each program, with their meaning. For `--help` and the manual pages. */
import type { Program } from "./request.ts";

export const EXAMPLES: Readonly<Record<Program, readonly (readonly [command: string, meaning: string])[]>> = {
  salt: [
    ["salt '*' test.ping", "ask every minion for an answer"],
    ["salt -G 'os:Debian' cmd.run uptime", "run a command on all hosts with Debian"],
    [
      "salt 'web*' state.apply test=True --batch 10%",
      "show what states would change, on a tenth of the hosts at a time",
    ],
  ],
  "salt-key": [
    ["salt-key -L", "list all keys"],
    ["salt-key -f web1", "show the fingerprint of a key, to compare it with the one of the host"],
    ["salt-key -a web1", "accept the pending key of web1"],
  ],
  "salt-run": [
    ["salt-run manage.status", "show which minions are up"],
    ["salt-run jobs.last", "show the outcomes of the newest job"],
    ["salt-run state.orchestrate orch.deploy", "run the orchestration orch/deploy.sls"],
  ],
  "salt-call": [
    ["salt-call state.apply test=True", "show what states would change on this host"],
    ["salt-call --local grains.items", "show the grains of this host, without a master"],
  ],
  "salt-cp": [
    ["salt-cp 'web*' /etc/motd /etc/motd", "copy a text file to hosts"],
    ["salt-cp --chunked 'web*' /srv/app /opt", "copy a directory to hosts"],
  ],
  "salt-master": [
    ["salt-master --check", "check the configuration, and start nothing"],
    ["salt-master -d", "start in the background"],
  ],
  "salt-minion": [
    ["salt-minion --check", "check the configuration, and start nothing"],
    ["salt-minion -d", "start in the background"],
  ],
  "salt-syndic": [
    ["salt-syndic --check", "check the configuration, and start nothing"],
    ["salt-syndic -d", "start in the background"],
  ],
  "salt-api": [
    ["salt-api --check", "check the configuration, and start nothing"],
    ["salt-api -d", "start in the background"],
  ],
  "salt-doctor": [
    ["salt-doctor", "check everything that is configured on this host"],
    ["salt-doctor --as minion --out json", "check the minion, and print the findings as JSON"],
  ],
  "salt-ssh": [
    ["brine bootstrap web1", "print the command that makes the host web1 a minion"],
    ["salt-call --local state.apply", "apply states on this host without a master"],
  ],
  brine: [
    ["brine compat /srv/salt", "list what these states need that Brine does not have"],
    ["brine bootstrap web1", "on a master: print the command that makes the host web1 a minion"],
    ["brine completion bash", "print the completion for bash"],
  ],
};
