import { messageOf } from "../../base/errors.ts";
import { runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { entriesOf, isMap, str } from "../../language/python/values.ts";
import { wakeOnLan } from "../linux/addresses.ts";

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "wol(mac: str, bcast: str='255.255.255.255', destport=9)": {
      doc: "Wakes a host up by a packet to everybody on its network.\n\n    salt-run network.wol 08:00:27:13:69:77",
      run: ({ runtime }, { mac, bcast, destport }) => wakeOnLan(runtime, mac, bcast, Number(destport)),
    },
    "wollist(maclist: str, bcast: str='255.255.255.255', destport=9)": {
      doc: "Wakes up the hosts whose addresses are in a file, one per line.\n\n    salt-run network.wollist /srv/macs",
      async run({ runtime, print, progress }, { maclist, bcast, destport }) {
        let text: string;
        try {
          text = runtime.fs.readText(maclist);
        } catch (error) {
          await progress?.({ error: `Failed to open the MAC file. Error: ${messageOf(error)}` });
          return [];
        }
        for (const line of text.split("\n")) {
          const mac = line.trim();
          if (mac === "" || mac.startsWith("#")) continue;
          await wakeOnLan(runtime, mac, bcast, Number(destport));
          print(`Waking up ${mac}`);
        }
        return [];
      },
    },
    "wolmatch(tgt, tgt_type: str='glob', bcast: str='255.255.255.255', destport=9)": {
      doc: "Wakes up minions by what the master knows of their network cards, and names those cards.\n\n" +
        "    salt-run network.wolmatch 'web*'",
      async run({ runtime, expand, minions }, { tgt, tgt_type, bcast, destport }) {
        const woken: string[] = [];
        for (const id of expand({ tgt, tgt_type })) {
          const cards = minions.data(id)?.grains.hwaddr_interfaces;
          for (const [name, mac] of isMap(cards) ? entriesOf(cards) : []) {
            if (name === "lo") continue;
            await wakeOnLan(runtime, str(mac), bcast, Number(destport));
            woken.push(str(mac));
          }
        }
        return woken;
      },
    },
  }),
};
