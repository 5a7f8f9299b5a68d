import type { CallScenario } from "./scenario.ts";

const PEM = `-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDQva+kC9Uwt4RzKvrhar1TElqC
jSWzwKBGlcUsfLTG+Lp99PcSvCq7lstcHV5hQBHm2ztkgmA7aRUYsa2QmaRKuEXU
IPvtrsLJkrJj49RCY6PCKoCCGRLQ8RHiveUcbY5naxmGfbE3oKoqTGhgGNpoIwdr
yoOZkqTKA5KNF6fJmQIDAQAB
-----END PUBLIC KEY-----
`;
const CALLS = [
  ["key.finger"],
  ["key.finger_master"],
  ["key.finger", "md5"],
  ["key.finger", "hash_type=sha512"],
  ["key.finger_master", "sha1"],
  ["key.finger", "None"],
];

/** The keys of a minion are in `pki` of the scenario's directory. */
export const KEY: CallScenario[] = [
  { name: "key: fingerprints", files: { "pki/minion.pub": PEM, "pki/minion_master.pub": PEM }, calls: CALLS },
  {
    name: "key: fingerprints of keys from another system, and of no keys",
    files: { "pki/minion.pub": PEM.replaceAll("\n", "\r\n"), "pki/minion_master.pub": `${PEM}\n\n` },
    calls: [["key.finger"], ["key.finger_master"], ["key.finger", "nosuch"], ["key.finger", "a", "b"]],
  },
  { name: "key: no keys", calls: [["key.finger"], ["key.finger_master"], ["key.finger", "nosuch"]] },
];
