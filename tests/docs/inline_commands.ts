/**
 * Every command that stands in the running text of README and docs/: what is run for it beside a master and three minions, what runs it
 * elsewhere, or why nothing does. A command that is not in here is a failure of `commands_test.ts`, and so is a row without a command.
 */
import type { Setting } from "./place.ts";
import { LOGIN, NODE_GROUPS } from "./settings.ts";

export type Row =
  /** What is typed, if more than the text has (ids instead of `ID`), and what it prints. */
  | { run?: string; prints: RegExp; exit?: number }
  /** The file that runs it. */
  | { by: string }
  | { not: string };

const PINGED = /web1:\n {4}True/;
/** What it says depends on what there is; it has to say something. */
const SAID = /\S/;
const REGISTRY = { not: "it downloads a package; this checkout has it, and what it does is tested with it" };
const PASTED = { by: "tests/repo/getting_started_slow_test.ts" };
const OF_HOST = { not: "it changes or asks the machine itself, not Brine" };
const DIFFERENCE = { not: "it is named for how it differs from Salt's; tests/cli has the option" };

/** In a copy of this checkout, as they write into it. */
const inCopy = (command: string) => `(cd /srv/copy && ${command})`;

/** The host that they are typed on. */
export const INLINE_SETTING: Setting = {
  minions: ["web1", "web2", "db1"],
  master: `${LOGIN}${NODE_GROUPS}reactor: [{'my/tag': ['/srv/react.sls']}]\naudit_log: True\n`,
  before: `(umask 077; echo 'ann:secret' > /root/users)
mkdir -p /srv/salt /srv/pillar /srv/copy
cp -RL package.json tsconfig.json deno.json deno.lock mod.ts src cli scripts docs examples README.md /srv/copy/
ln -s "$(readlink -f node_modules)" /srv/copy/node_modules
printf 'base: {"*": [hello]}\\n' > /srv/salt/top.sls
printf '/srv/hello.txt: {file.managed: [{contents: hello}]}\\n' > /srv/salt/hello.sls
printf 'pong: {local.test.ping: [{tgt: web1}]}\\n' > /srv/react.sls
for kind in engines modules output renderers returners runners states tops utils; do
  mkdir -p /srv/salt/_$kind
  echo 'export const ask = () => 5;' > /srv/salt/_$kind/mine.ts
done
printf 'shop: {sold: 5}\\n' > /srv/pillar/shop.sls
printf 'base: {"*": [shop]}\\n' > /srv/pillar/top.sls
printf 'ping: {salt.function: [{name: test.ping}, {tgt: web1}]}\\n' > /srv/salt/orch.sls
JID=$(salt --async web1 test.ping | grep -o '[0-9]\\{20\\}')
export JID`,
};

export const INLINE: Readonly<Record<string, Row>> = {
  "apk add libstdc++": OF_HOST,
  "apt-get clean": OF_HOST,
  "dnf clean all": OF_HOST,
  "brine bootstrap ID [MASTER]": { run: "brine bootstrap web9 salt.example", prints: /--id web9 --fingerprint/ },
  "brine call": { run: "brine call --local test.ping", prints: /True/ },
  "brine compat": { prints: /files were read in .*Parts: 0 not here/s },
  "brine compat --out=json": { prints: /"parts": \[\]/ },
  "brine compat DIRECTORY": { run: "brine compat /srv/salt", prints: /Nothing was rendered/ },
  "brine completion bash > /etc/bash_completion.d/brine": { run: "brine completion bash", prints: /complete .*salt/ },
  "brine completion fish > ~/.config/fish/completions/salt.fish": {
    run:
      "mkdir -p ~/.config/fish/completions\nbrine completion fish > ~/.config/fish/completions/salt.fish\ncat ~/.config/fish/completions/salt.fish",
    prints: /complete -c \$program/,
  },
  "brine completion fish | source": { run: "brine completion fish", prints: /complete -c \$program/ },
  "brine completion zsh > /usr/local/share/zsh/site-functions/_salt": {
    run: "brine completion zsh",
    prints: /#compdef/,
  },
  "brine salt '*' test.ping": { prints: /web1:\n {4}True/ },
  "brine salt-minion": { run: "brine salt-minion --version", prints: /^salt-minion / },
  "bun cli/salt.ts '*' test.ping": { prints: /web1:\n {4}True/ },
  "bun run master": { run: "bun run master --version", prints: /salt-master / },
  "bun run minion": { run: "bun run minion --version", prints: /salt-minion / },
  "deno run -A scripts/console.ts": {
    run: inCopy("mv node_modules put-aside && deno run -A scripts/console.ts && mv put-aside node_modules"),
    prints: /built/,
  },
  "deno run -A": { run: "deno run -A cli/salt.ts --version", prints: /^salt /m },
  "deno run -P": { run: "deno run -P cli/salt.ts --version", prints: /^salt / },
  "deno run -P cli/salt.ts '*' test.ping": { prints: /web1:\n {4}True/ },
  "deno run -P=master cli/salt-master.ts": {
    run: "deno run -P=master cli/salt-master.ts --version",
    prints: /^salt-master /,
  },
  "deno run -P=minion cli/salt-minion.ts": {
    run: "deno run -P=minion cli/salt-minion.ts --version",
    prints: /^salt-minion /,
  },
  "dnf5 versionlock list": OF_HOST,
  "docker stop": { by: "tests/one_file/image_test.ts" },
  "kill -9": { by: "tests/faults" },
  "man salt-doctor": { by: "tests/cli/options/man_slow_test.ts" },
  "node bench/one_file.ts": { not: "a benchmark: it takes minutes, and the one file built" },
  "node cli/salt.ts '*' test.ping": { prints: /web1:\n {4}True/ },
  "npm install": REGISTRY,
  "npm install @opentelemetry/api @opentelemetry/resources @opentelemetry/sdk-metrics @opentelemetry/exporter-metrics-otlp-http":
    REGISTRY,
  "npm install @opentelemetry/api @opentelemetry/resources @opentelemetry/sdk-trace-base @opentelemetry/exporter-trace-otlp-http":
    REGISTRY,
  "npm install ./brine-VERSION.tgz": { by: "scripts/check_package.ts" },
  "npm install bcryptjs": REGISTRY,
  "npm install ldapts": REGISTRY,
  "npm install postgres": REGISTRY,
  "npm install prom-client": REGISTRY,
  "npm install redis": REGISTRY,
  "npm pack": { by: "scripts/check_package.ts" },
  "npm run -s docs:compatibility": { by: "tests/repo/compatibility_test.ts" },
  "npm run -s salt --": { run: "npm run -s salt -- web1 test.ping", prints: /True/ },
  "npm run -s salt -- web1 sys.doc file.write": { prints: /file\.write:/ },
  "npm run -s types:functions": { by: "tests/repo/function_tables_test.ts" },
  "npm run bench:report": { not: "a benchmark: it takes long, and its figures are for a reader" },
  "npm run soak -- --minutes 60 --seed 7 --swarm 24 --every 800": { not: "it takes an hour" },
  "node --cpu-prof": { not: "a flag of the runtime that is named for how a figure was found" },
  "bun --cpu-prof": { not: "a flag of the runtime that is named for how a figure was found" },
  "npm run build:console -- --base=/salt/console/": {
    run: inCopy("npm run -s build:console -- --base=/salt/console/ && cat dist/console/index.html"),
    prints: /src="\/salt\/console\//,
  },
  "npm run compile": { by: "package.json" },
  "npm run demo -- --keep": { by: "tests/cli/demo_slow_test.ts" },
  "npm run docs:api": { run: inCopy("npm run -s docs:api && ls dist/api"), prints: /functions\.html/ },
  "npm run -s master --": PASTED,
  "npm run -s minion --": PASTED,
  "npm run master": PASTED,
  "npm run minion": PASTED,
  "npm run test:images": { not: "a command of its own, which needs podman or docker" },
  "python3 -m pip": OF_HOST,
  "python3 -m venv": OF_HOST,

  // salt
  "salt '*' cmd.run 'make -C /srv/app' --stream": {
    run: "salt '*' cmd.run 'echo made' --stream",
    prints: /web1.*made/,
  },
  "salt '*' grains.item brineruntime": { prints: /brineruntime:\n +(?:node|bun|deno)/ },
  "salt '*' pkg.install brine-minion": { by: "tests/one_file/deb_test.ts" },
  "salt '*' saltutil.refresh_grains": { prints: PINGED },
  "salt '*' saltutil.refresh_pillar": { prints: PINGED },
  "salt '*' saltutil.running": { prints: /web1:/ },
  "salt '*' saltutil.kill_job JID": { run: "salt '*' saltutil.kill_job $JID", prints: /web1:/ },
  "salt '*' state.apply": { prints: /Succeeded: 1/ },
  "salt '*' state.apply test=True": { prints: /Succeeded: 1/ },
  "salt '*' test.not_loaded": { prints: /web1:/ },
  "salt '*' test.ping": { prints: /web1:\n {4}True/ },
  "salt 'web*' cmd.run uptime": { prints: /web2:\n.*load average/ },
  "salt 'web*' state.apply": { prints: /Succeeded: 1/ },
  "salt --config-dump": { prints: /conf_file: / },
  "salt --job-timeout=15m": { run: "salt --job-timeout=15m '*' test.ping", prints: /web1:\n {4}True/ },
  "salt --out=profile": { run: "salt --out=profile web1 state.apply", prints: /total|hello/ },
  "salt --preview-target": { run: "salt --preview-target 'web*'", prints: /web1[\s\S]*web2/ },
  "salt --progress": { run: "salt --progress '*' test.ping", prints: /True/ },
  "salt --queue": { run: "salt --queue=1m web1 test.ping", prints: /True/ },
  "salt --queue=12h web7 state.apply": { run: "salt --queue=12h web1 state.apply", prints: /Succeeded: 1/ },
  "salt --queue=12h 'edge*' cmd.run 'apt-get -y upgrade'": {
    run: "salt --queue=12h 'web*' cmd.run 'echo upgraded'",
    prints: /upgraded/,
  },
  "salt --stream": { run: "salt --stream web1 cmd.run 'echo out'", prints: /out/ },
  "salt --stream 'web*' state.apply": { prints: /Succeeded: 1/ },
  "salt --summary": { run: "salt --summary '*' test.ping", prints: /# of minions returned: +3/ },
  "salt --version": { prints: /^salt \d/ },
  "salt m1 test.ping": { run: "salt web1 test.ping", prints: PINGED },
  "salt --versions-report": { prints: /Brine|Salt/ },
  "salt --watch JID": { run: "salt --watch $JID", prints: /web1:\n {4}True/ },
  "salt -G os:Debian cmd.run uptime": {
    run: "salt -G \"os:$(salt-call --out=txt grains.get os | sed 's/local: //')\" cmd.run uptime",
    prints: /load average/,
  },
  "salt -N frontend test.ping": { prints: /web1:\n {4}True/ },
  "salt -T": {
    run: "salt -T -a file --username ann --password secret web1 test.ping && cat /root/salt_token",
    prints: /True\n[0-9a-f]{64}/,
  },
  "salt -a EAUTH --username USER '*' test.ping": {
    run: "salt -a file --username ann --password secret '*' test.ping",
    prints: /web1:\n {4}True/,
  },
  "salt -b 0": DIFFERENCE,
  "salt -b 1": { run: "salt -b 1 '*' test.ping", prints: /True/ },
  "salt -d": { run: "salt -d web1 test.ping", prints: /test\.ping/ },
  "salt -v": { run: "salt -v web1 test.ping", prints: /Executing job with jid \d{20}/ },
  "salt ID saltutil.refresh_grains": { run: "salt web1 saltutil.refresh_grains", prints: PINGED },
  "salt ID saltutil.refresh_pillar": { run: "salt web1 saltutil.refresh_pillar", prints: PINGED },
  "salt ID saltutil.sync_all": { run: "salt web1 saltutil.sync_all", prints: /modules:/ },
  "salt MINION slsutil.renderer salt://FILE default_renderer=jinja": {
    run: "salt web1 slsutil.renderer salt://hello.sls default_renderer=jinja",
    prints: /file\.managed/,
  },
  "salt ID slsutil.renderer salt://FILE default_renderer=jinja": {
    run: "salt web1 slsutil.renderer salt://hello.sls default_renderer=jinja",
    prints: /file\.managed/,
  },
  "salt ID state.show_sls NAME": { run: "salt web1 state.show_sls hello", prints: /__sls__:\n +hello/ },
  "salt ID state.show_top": { run: "salt web1 state.show_top", prints: /base:\n +- hello/ },
  "salt ID sys.argspec MODULE.FUNCTION": { run: "salt web1 sys.argspec test.echo", prints: /- text/ },
  "salt ID test.not_loaded": { run: "salt web1 test.not_loaded", prints: /web1:/ },
  "salt web1 test.ping": { prints: PINGED },
  "salt web7 state.apply": { run: "salt web1 state.apply", prints: /Succeeded: 1/ },
  "salt-call --local test.ping": { prints: /local:\n {4}True/ },
  "salt-call --local": { run: "salt-call --local test.ping", prints: /local:\n {4}True/ },
  "salt-call --local grains.get master": { prints: /127\.0\.0\.1/ },
  "salt-call --local key.finger": { prints: /local:\n {4}[0-9a-f]{2}:/ },
  "salt-call --local state.apply": { prints: /Succeeded: 1/ },
  "salt-call --version": { prints: /^salt-call \d/ },
  "salt-cp --chunked": {
    run: "salt-cp --chunked web1 /srv/salt/top.sls /srv/copied && cat /srv/copied",
    prints: /hello/,
  },
  "salt-cp -C": { run: "salt-cp -C web1 /srv/salt/top.sls /srv/copied && cat /srv/copied", prints: /hello/ },
  "salt-doctor --as minion": { prints: /minion/ },
  "salt-key --auth ldap": {
    run: "salt-key --auth file --username ann --password secret -L",
    prints: /Accepted Keys:\ndb1\nweb1\nweb2/,
  },
  "salt-key --history '*'": { prints: /web1/ },
  "salt-key --history 'web*'": { prints: /web1/ },
  "salt-key --rotate 'web*'": { run: "salt-key --rotate 'web*' -y", prints: /web1/ },
  "salt-key -F master": { prints: /master\.pub: +[0-9a-f]{2}:/ },
  "salt-key -L": { prints: /Accepted Keys:\ndb1\nweb1\nweb2/ },
  "salt-key -a": { by: "tests/cli/complete/complete_test.ts" },
  "salt-key -a ID --include-rejected": { run: "salt-key -y -a nobody --include-rejected", prints: /nobody/ },
  "salt-key -l den": { prints: /Denied Keys/ },
  "salt-key -l rej": { prints: /Rejected Keys/ },
  "salt-key -r ID": { run: "salt-key -y -r nobody", prints: /nobody/ },
  "salt-key -a ID": { by: "tests/chroot/one_file_test.ts" },
  "salt-key -a lower1": { by: "tests/integration/syndic_test.ts" },
  "salt-key -a web1": PASTED,
  "salt-key -d": { run: "salt-key -y -d nobody", prints: /nobody/ },
  "salt-key -d ID": { run: "salt-key -y -d nobody", prints: /nobody/ },
  "salt-key -d web7": { run: "salt-key -y -d nobody", prints: /nobody/ },
  "salt-key -f master.pub": { by: "tests/cli/programs/key_test.ts" },
  "salt-key -f ID": { run: "salt-key -f web1", prints: /web1: +[0-9a-f]{2}:/ },
  "salt-key -f web1": { prints: /web1: +[0-9a-f]{2}:/ },
  "salt-master --check-tree": { prints: /Parts: 0 not here/ },
  "salt-minion --check-tree": { prints: /Parts: 0 not here/ },
  "salt-master --check": { prints: /^/ },
  "salt-api -d": { by: "tests/docs/place.ts" },
  "salt-master -d": { by: "tests/docs/place.ts" },
  "salt-minion --check": { prints: /^/ },
  "salt-run audit.list user=ann since=1d fun='cmd.*'": { prints: /^/ },
  "salt-run audit.verify": { prints: /lines|ok/ },
  "salt-run audit.verify expect=<n>:<hash>": { by: "tests/integration/audit_test.ts" },
  "salt-run fileserver.clear_cache": { prints: SAID },
  "salt-run fileserver.clear_file_list_cache": { prints: SAID },
  "salt-run fileserver.clear_lock": { prints: SAID },
  "salt-run fileserver.file_list": { prints: /- hello\.sls/ },
  "salt-run fileserver.lock": { prints: SAID },
  "salt-run fileserver.update": { prints: /True/ },
  "salt-run git_pillar.update": { prints: /No git_pillar remotes are configured/, exit: 1 },
  "salt-run jobs.active": { prints: /^/ },
  "salt-run jobs.dequeue JID": {
    run: "JID=$(salt --queue=1h --async 'web*' test.sleep 0 | grep -o '[0-9]\\{20\\}')\nsalt-run jobs.dequeue $JID",
    prints: /^/,
  },
  "salt-run jobs.last": { prints: /Outcomes:/ },
  "salt-run jobs.last search_function='state.*'": { prints: /^/ },
  "salt-run jobs.list_jobs": { prints: /test\.ping/ },
  "salt-run jobs.list_jobs ext_source=postgres": { by: "tests/plugins/jobs_runner_test.ts" },
  "salt-run jobs.lookup_jid JID": { run: "salt-run jobs.lookup_jid $JID", prints: PINGED },
  "salt-run jobs.outcome JID": { run: "salt-run jobs.outcome $JID", prints: /returned/ },
  "salt-run jobs.queued": { prints: /^/ },
  "salt-run jobs.refused": { prints: SAID },
  "salt-run manage.up > /root/up.txt": { run: "salt-run manage.up > up.txt\ncat up.txt", prints: /- web1/ },
  "salt-run manage.present": { prints: /- db1\n- web1\n- web2/ },
  "salt-run manage.status": { prints: /up:\n +- db1\n +- web1\n +- web2/ },
  "salt-run manage.versions": { prints: /web1/ },
  "rm /etc/salt/pki/master/minions_denied/ID": {
    run:
      "echo key > /etc/salt/pki/master/minions_denied/web1\nrm /etc/salt/pki/master/minions_denied/web1\nsalt-key -l den",
    prints: /^Denied Keys:\n*$/,
  },
  "salt-run pillar.show_pillar web7": { run: "salt-run pillar.show_pillar web1", prints: /sold:\n +5/ },
  "salt-run pillar.show_pillar ID": { run: "salt-run pillar.show_pillar web1", prints: /sold:\n +5/ },
  "salt-run reactor.status": { prints: SAID },
  "salt-run reactor.test TAG DATA": { run: "salt-run reactor.test my/tag '{}'", prints: /test\.ping/ },
  "salt-run saltutil.sync_engines": { prints: /- \w+\.mine/ },
  "salt-run saltutil.sync_modules": { prints: /- \w+\.mine/ },
  "salt-run saltutil.sync_output": { prints: /- \w+\.mine/ },
  "salt-run saltutil.sync_renderers": { prints: /- \w+\.mine/ },
  "salt-run saltutil.sync_returners": { prints: /- \w+\.mine/ },
  "salt-run saltutil.sync_runners": { prints: /- \w+\.mine/ },
  "salt-run saltutil.sync_states": { prints: /- \w+\.mine/ },
  "salt-run saltutil.sync_tops": { prints: /- \w+\.mine/ },
  "salt-run saltutil.sync_utils": { prints: /- \w+\.mine/ },
  "salt-run state.event": {
    run:
      "rm -f seen\nsalt-run state.event 'salt/job/*/ret/*' count=1 > seen &\nuntil [ -s seen ]; do salt web1 test.ping; done\nwait\ncat seen",
    prints: /salt\/job\/\d{20}\/ret/,
  },
  "salt-run state.event pretty=True": {
    run:
      "rm -f seen\nsalt-run state.event pretty=True count=1 > seen &\nuntil [ -s seen ]; do salt web1 test.ping; done\nwait\ncat seen",
    prints: /"_stamp"/,
  },
  "salt-run state.orchestrate": { run: "salt-run state.orchestrate orch", prints: /Succeeded: 1/ },
  "sha256sum SHA256SUMS": { by: "tests/one_file/install_test.ts" },
  "source <(brine completion bash)": {
    run: "bash -c 'source <(brine completion bash) && complete -p salt'",
    prints: /salt/,
  },
  "source <(brine completion zsh)": { by: "tests/cli/complete/shells_slow_test.ts" },
  "sqlite3 jobs.sqlite \"VACUUM INTO '…'\"": { by: "docs/backup.md" },
  "ss -ltn": OF_HOST,
  "ss -ltnp 'sport = :4506'": OF_HOST,
  "sudo -n": OF_HOST,
  "systemctl status": OF_HOST,
  "systemctl cat salt-master | grep ExecStart=": OF_HOST,
  "systemctl start salt-master": OF_HOST,
  "systemctl stop salt-master": OF_HOST,
  "chown salt: /etc/salt/users": OF_HOST,
  "useradd --system --user-group salt": OF_HOST,
  "usermod -aG shadow salt": OF_HOST,
  "chown -R salt: /srv/pillar && chmod 700 /srv/pillar": OF_HOST,
  "systemctl restart salt-api": OF_HOST,
  "node serve.ts": { by: "tests/sdk/examples_slow_test.ts" },
  "systemctl reload salt-master": { by: "tests/chroot/units_test.ts" },
  "salt web1 state.apply test=True": { prints: /Succeeded: 1/ },
  "salt web7 state.apply NAME test=True": { run: "salt web1 state.apply hello test=True", prints: /Succeeded: 1/ },
  "ssh -L 8000:127.0.0.1:8000 root@salt.example": OF_HOST,
  "ssh root@web1 true": OF_HOST,
  "ssh root@web7 true": OF_HOST,
  "npm run compile -- linux-x64 linux-arm64": { not: "it downloads the runtime of another processor" },
  "brine bootstrap ID MASTER": { run: "brine bootstrap web9 salt.example", prints: /--id web9 --fingerprint/ },
  "salt --queue=12h web7 cmd.run uptime": { run: "salt --queue=12h web1 cmd.run uptime", prints: /load average/ },
  "salt-key -f web7": { run: "salt-key -f web1", prints: /web1: +[0-9a-f]{2}:/ },
  "salt-key -a salt.example": PASTED,
  "salt-key -a web7": PASTED,
  "systemctl restart salt-master": OF_HOST,
  "systemctl restart salt-minion": OF_HOST,
  "systemctl stop salt-minion": OF_HOST,
  "systemctl start salt-minion": OF_HOST,
  "salt MINION state.apply NAME test=True": { run: "salt web1 state.apply hello test=True", prints: /Succeeded: 1/ },
  "salt-call --local grains.items": { prints: /os_family:/ },
  "salt MINION state.show_sls NAME": { run: "salt web1 state.show_sls hello", prints: /__sls__:\n +hello/ },
  "salt MINION state.show_top": { run: "salt web1 state.show_top", prints: /base:\n +- hello/ },
  "salt MINION saltcheck.run_state_tests NAME": { by: "tests/plugins/saltcheck_test.ts" },
  "salt MINION sys.state_argspec MODULE.FUNCTION": {
    run: "salt web1 sys.state_argspec file.managed",
    prints: /- contents/,
  },
  "sh install.sh --uninstall": { by: "tests/one_file/install_test.ts" },
  "sh install.sh ROLE": { by: "tests/one_file/install_test.ts" },
  "sh install.sh gateway": { by: "tests/one_file/install_test.ts" },
  "sh install.sh master": { by: "tests/one_file/install_test.ts" },
  "sh install.sh master --deb": OF_HOST,
  "sh install.sh minion": { by: "tests/one_file/install_test.ts" },
  "sh install.sh syndic": OF_HOST,
  "docker run --network container:NAME": { not: "it needs docker, and the container of a master" },
  "npm run compile -- linux-arm64": { not: "it downloads the runtime of another processor" },
  "npm run deb -- --target linux-arm64": { not: "it needs the one file for another processor" },
  "salt -l debug web1 test.ping": { prints: /True/ },
  "salt --job-timeout=15m …": { run: "salt --job-timeout=15m '*' test.ping", prints: PINGED },
  "salt-run -l debug …": { run: "salt-run -l debug manage.up", prints: /- web1/ },
  "kill -USR1 $(cat /var/run/salt-master.pid)": {
    run:
      "kill -USR1 $(cat /var/run/salt-master.pid)\nuntil [ -s /var/cache/salt/master/salt-master.status.json ]; do sleep 0.1; done\necho written",
    prints: /written/,
  },
  "kill -USR1 $(cat /var/run/salt-syndic.pid)": { by: "tests/cli/daemon/signals_slow_test.ts" },
  "salt-call event.send myco/deploy/web version=5": { prints: /True/ },
  "salt-run state.event 'salt/beacon/*'": { not: "no beacon is configured; state.event is run with other tags" },
  "salt-run state.event 'myco/*'": {
    run:
      "rm -f seen\nsalt-run state.event 'myco/*' count=1 > seen &\nuntil [ -s seen ]; do salt-call event.send myco/deploy/web version=5; done\nwait\ncat seen",
    prints: /"data": \{"version": 5/,
  },
  "chmod 755 FILE": OF_HOST,
  "salt web1 schedule.job_status nightly": {
    run: "salt web1 schedule.add nightly function=test.ping minutes=10 && salt web1 schedule.job_status nightly",
    prints: /name:\n +nightly/,
  },
  "salt-call --local schedule.add ping function=test.ping minutes=10 offline=True": { prints: /Added job: ping/ },
  "salt-run jobs.list_jobs search_function=status.uptime": { prints: /^/ },
  "git clone https://github.com/saltstack-formulas/openssh-formula /srv/formulas/openssh-formula": {
    not: "it downloads a formula; tests/interop/formulas_test.ts compiles formulas",
  },
  "salt '*' saltutil.sync_states": { run: "salt '*' saltutil.sync_states refresh=False", prints: /web1:/ },
  "salt web1 saltutil.sync_states": { run: "salt web1 saltutil.sync_states refresh=False", prints: /web1:/ },
};
