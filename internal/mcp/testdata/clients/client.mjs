// Asks a server for its tools and two verdicts, with the official client. It prints what the server replies.
//
// usage: node client.mjs stdio COMMAND [ARGUMENT...]
//        node client.mjs http URL TOKEN
//
// The environment variable BADGER_MCP_NODE_MODULES names the folder with the client.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.BADGER_MCP_NODE_MODULES + "/x.js");
const load = (name) => import(pathToFileURL(require.resolve("@modelcontextprotocol/sdk/client/" + name)));
const { Client } = await load("index.js");
const [how, where, ...rest] = process.argv.slice(2);
let transport;
if (how === "stdio") {
  const { StdioClientTransport } = await load("stdio.js");
  transport = new StdioClientTransport({ command: where, args: rest, env: { BADGER_TEST_MCP: "stdio" } });
} else {
  const { StreamableHTTPClientTransport } = await load("streamableHttp.js");
  transport = new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: { Authorization: "Bearer " + rest[0] } } });
}
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
console.log((await client.listTools()).tools.map((t) => t.name).sort().join(" "));
for (const rows of [[[42]], [[43]]]) {
  const reply = await client.callTool({ name: "check_answer", arguments: { case_id: "a", result: { columns: [{ name: "n" }], rows } } });
  console.log(reply.content[0].text);
}
const reply = await client.callTool({ name: "check_answer", arguments: { case_id: "none" } });
console.log(reply.isError ? "True" : "False", reply.content[0].text);
await client.close();
