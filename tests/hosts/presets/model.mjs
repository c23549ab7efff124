// A model on loopback that answers by a script, in the protocol of whichever host asks: OpenAI's
// Responses or chat, Anthropic's Messages, or Gemini's generateContent.

import http from "node:http";
import { gunzipSync, zstdDecompressSync } from "node:zlib";

/** A call in OpenAI's Responses. A tool of a namespace is called `namespace.tool` here. */
function called(name, args) {
  if (typeof args === "string") return { type: "custom_tool_call", name, input: args };
  if (name === "tool_search") return { type: "tool_search_call", execution: "client", status: "completed", arguments: args };
  const [tool, namespace] = name.split(".").reverse();
  return { type: "function_call", name: tool, ...(namespace && { namespace }), arguments: JSON.stringify(args) };
}

/** The names by which a model can call what it is offered. */
const names = (offered) => offered.flatMap(({ type, name, tools }) => (type === "namespace" ? tools.map((tool) => `${name}.${tool.name}`) : [name]));

/** What each protocol names what is read and written here. */
const PROTOCOLS = [
  {
    path: /\/responses$/,
    // The newest models are given their tools as a part of the conversation, and what they searched for.
    tools: ({ tools, input }) => [...(tools ?? []), ...input.flatMap((item) => (/^(additional_tools|tool_search_output)$/.test(item.type) ? item.tools : []))],
    results: ({ input }) => input.filter(({ type }) => /_call_output$/.test(type)).map(({ output }) => output),
    *answer(id, { text, tools, used = 10 }) {
      const output = tools
        ? tools.map(([name, args], i) => ({ id: `${id}_${i}`, call_id: `${id}_${i}`, ...called(name, args) }))
        : [{ type: "message", id, role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }];
      const usage = { input_tokens: used, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: used + 5 };
      yield { type: "response.created", response: { id } };
      for (const [i, item] of output.entries()) yield { type: "response.output_item.done", output_index: i, item };
      yield { type: "response.completed", response: { id, output, usage } };
    },
  },
  {
    path: /\/messages$/,
    tools: ({ tools }) => tools ?? [],
    results: ({ messages }) => messages.flatMap(({ content }) => content).filter(({ type }) => type === "tool_result").map(({ content }) => content),
    *answer(id, { text, tools, used = 10 }, { model }) {
      const blocks = tools
        ? tools.map(([name, input], i) => [{ type: "tool_use", id: `toolu_${id}_${i}`, name, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(input) }])
        : [[{ type: "text", text: "" }, { type: "text_delta", text }]];
      const usage = { input_tokens: used, output_tokens: 5 };
      yield { type: "message_start", message: { id, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null, usage } };
      for (const [index, [content_block, delta]] of blocks.entries()) {
        yield { type: "content_block_start", index, content_block };
        yield { type: "content_block_delta", index, delta };
        yield { type: "content_block_stop", index };
      }
      yield { type: "message_delta", delta: { stop_reason: tools ? "tool_use" : "end_turn", stop_sequence: null }, usage };
      yield { type: "message_stop" };
    },
  },
  {
    path: /:(streamG|g)enerateContent$/,
    tools: ({ tools }) => (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []),
    results: ({ contents }) => contents.flatMap(({ parts }) => parts).filter((part) => part.functionResponse).map((part) => part.functionResponse.response),
    *answer(id, { text, tools, used = 10 }) {
      const parts = tools ? tools.map(([name, args]) => ({ functionCall: { name, args } })) : [{ text }];
      yield { candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: used, candidatesTokenCount: 5, totalTokenCount: used + 5 } };
    },
  },
  {
    path: /\/chat\/completions$/,
    end: "data: [DONE]\n\n",
    tools: ({ tools }) => (tools ?? []).map((tool) => tool.function),
    results: ({ messages }) => messages.filter(({ role }) => role === "tool").map(({ content }) => content),
    *answer(id, { text, tools, used = 10 }, { model }) {
      const piece = (choice, more = {}) => ({ id, object: "chat.completion.chunk", created: 1, model, choices: choice ? [{ index: 0, finish_reason: null, ...choice }] : [], ...more });
      const calls = (tools ?? []).map(([name, args], index) => ({ index, id: `call_${id}_${index}`, type: "function", function: { name, arguments: JSON.stringify(args ?? {}) } }));
      yield piece({ delta: { role: "assistant", content: text ?? "" } });
      for (const call of calls) yield piece({ delta: { tool_calls: [call] } });
      yield piece({ delta: {}, finish_reason: tools ? "tool_calls" : "stop" });
      yield piece(undefined, { usage: { prompt_tokens: used, completion_tokens: 5, total_tokens: used + 5 } });
    },
  },
];

/**
 * The model. `script` holds its steps: `{text}`, `{tools: [[name, arguments]…]}`, or a function of the
 * request that gives one; with `used`, so many tokens of input are reported. A request that offers no tools
 * is a host's own side business and takes none, as is one that `aside` names, which may give the answer.
 * `requests` holds what it was asked.
 */
export async function model(t, script, aside = () => false) {
  const requests = [];
  const server = http.createServer(async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const path = incoming.url.split("?")[0];
    const protocol = PROTOCOLS.find((it) => incoming.method === "POST" && it.path.test(path));
    if (!protocol) return response.writeHead(404, { "content-type": "application/json" }).end("{}");
    const body = JSON.parse(unpack(Buffer.concat(chunks), incoming.headers["content-encoding"]));
    const beside = aside(body);
    const offered = beside ? [] : protocol.tools(body);
    let step = offered.length ? script[requests.length] ?? { text: "(the script is over)" } : beside?.text ? beside : { text: "fine" };
    if (offered.length) requests.push({ body, tools: JSON.stringify(offered), names: names(offered), results: protocol.results(body).map((it) => (typeof it === "string" ? it : JSON.stringify(it))) });
    if (typeof step === "function") step = await step(requests.at(-1));
    if (/:generateContent$/.test(path)) return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(protocol.answer("whole", step, body).next().value));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of protocol.answer(`turn_${requests.length}`, step, body))
      response.write(`${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
    response.end(protocol.end);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

function unpack(bytes, encoding) {
  if (encoding === "gzip") return gunzipSync(bytes);
  if (encoding === "zstd") return zstdDecompressSync(bytes);
  return bytes;
}
