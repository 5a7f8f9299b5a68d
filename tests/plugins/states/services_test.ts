/** States of mail aliases, web servers, exports and copies: against calls recorded from real Salt. */
import { states as alias } from "../../../src/plugins/states/alias.ts";
import { states as apache } from "../../../src/plugins/states/apache.ts";
import {
  CONFIGURATIONS as apacheConf,
  MODULES as apacheModule,
  SITES as apacheSite,
} from "../../../src/plugins/states/apache/enabling.ts";
import { states as hg } from "../../../src/plugins/states/hg.ts";
import { states as acl } from "../../../src/plugins/states/linux_acl.ts";
import { states as nfsExport } from "../../../src/plugins/states/nfs_export.ts";
import { states as rsync } from "../../../src/plugins/states/rsync.ts";
import { states as webutil } from "../../../src/plugins/states/webutil.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("alias", { alias });
await replayStates("apache", {
  apache,
  apache_conf: apacheConf,
  apache_module: apacheModule,
  apache_site: apacheSite,
  webutil,
});
await replayStates("nfs_export", { nfs_export: nfsExport });
await replayStates("rsync", { rsync });
await replayStates("hg", { hg });
await replayStates("acl", { acl });
