/** Listens on a Unix socket, starts a program that outlives it, prints its process id and waits to be killed. */
import { spawn } from "node:child_process";
import process from "node:process";
import { currentRuntime } from "../../src/runtime/current.ts";
import { nodeNet } from "../../src/runtime/node/net.ts";

const [how, path] = process.argv.slice(2);
const net = how === "nobody" ? nodeNet({ closeOnExec: () => false }) : (await currentRuntime()).net;
await net.listen({ kind: "unix", path: path! }, (connection) => connection.destroy());
const child = spawn("sleep", ["60"], { stdio: "ignore" });
console.log(child.pid);
await new Promise<void>((resolve) => child.once("exit", () => resolve()));
