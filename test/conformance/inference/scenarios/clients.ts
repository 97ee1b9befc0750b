import { loadTokenizer } from '@lachesis/sdk/render';
import { isDeepStrictEqual } from 'node:util';
import { VERSION } from 'openai/version';

import { createTinyModel, FORGETFUL } from '../../../../packages/sdk/src/render/testing/tiny-model.fixture.ts';
import { runClient } from '../../../peers/openai/run-client.ts';
import { startInference } from '../../../peers/openai/start-inference.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { askWithNodeClient } from '../node-client.ts';
import { startScriptedEngine, type ScriptedEngine } from '../scripted-engine.ts';

const REPLY = 'A reply that is long enough for several pieces. \u{1F9F5}';
const CALL = 'On it.\n<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": "x"}}\n</tool_call>';
const IM_END = 257;
const ROLLOUT = '0192aaaa-0000-7000-8000-000000000000';

/** What both clients must have got, by the names they give it. */
function expectFacts(prompt: number[]): Record<string, unknown> {
  const ids = [...Buffer.from(REPLY)].slice(0, 50);
  const text = new TextDecoder().decode(Uint8Array.from(ids));
  const logprobs = ids.map((token, place) => Math.fround(-0.1 - ((token * 31 + place) % 97) / 13));
  return {
    models: ['fake/model'],
    chat: {
      roles: ['assistant', 'assistant'],
      contents: [text, text],
      finish: ['length', 'length'],
      tokens: [ids, ids],
      named: [logprobs, logprobs],
      logprobs: [logprobs, logprobs],
      prompt,
      policy: 0,
      rollout: [ROLLOUT, ROLLOUT],
      usage: [prompt.length, 100, prompt.length + 100],
    },
    stream: { text, finish: ['length'], tokens: ids, completion_tokens: 50 },
    tools: { finish: 'tool_calls', calls: [['add', { a: 1, b: 'x' }]], has_id: true },
    'tools stream': [['add', { a: 1, b: 'x' }]],
    completions: { texts: [text, text], tokens: [ids, ids], named: [logprobs, logprobs], prompt: [5, 6, 7] },
    'completions stream': text,
    'bad parameter': {
      class: 'BadRequestError',
      status: 400,
      param: 'frequency_penalty',
      type: 'invalid_request_error',
    },
    'wrong policy': { class: 'ConflictError', status: 409, param: null, type: 'invalid_request_error' },
    'no such path': { class: 'NotFoundError', status: 404, param: null, type: 'not_found_error' },
  };
}

export const clientsScenario: Scenario = {
  name: 'clients',
  title: 'the official OpenAI clients for Node and Python: completions, streams, tools, log probabilities, errors',
  async run(context) {
    const model = await createTinyModel({ template: FORGETFUL });
    context.defer(() => model.remove());
    const tokenizer = await loadTokenizer({ directory: model.directory });
    const prompt = [...(await tokenizer.encode('<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n'))];
    await using engine = await startCallingEngine();
    await using server = await startInference({
      args: ['--engine-url', engine.url, '--base-model', 'fake/model', '--tokenizer', model.directory],
    });
    const expected = expectFacts(prompt);
    const python = await runClient({ args: [server.url], cwd: await context.scratch(), timeoutMs: 60_000 });
    compare(context, `openai for Python ${String(python[0]?.['got'])}`, expected, toMap(python));
    const node = await askWithNodeClient(server.url);
    compare(context, `openai for Node ${VERSION}`, expected, node);
  },
};

/** Answers the word "call" with a tool call and everything else with the same text. */
function startCallingEngine(): Promise<ScriptedEngine> {
  return startScriptedEngine(({ prompt }) => {
    const isCall = new TextDecoder().decode(Uint8Array.from(prompt.filter((id) => id < 256))).includes('call\n');
    return [...Buffer.from(isCall ? CALL : REPLY), IM_END];
  });
}

const toMap = (facts: readonly Record<string, unknown>[]): Map<string, unknown> =>
  new Map(facts.map(({ name, got }) => [String(name), got]));

function compare(
  context: ScenarioContext,
  name: string,
  expected: Readonly<Record<string, unknown>>,
  got: ReadonlyMap<string, unknown>,
): void {
  const wrong = Object.entries(expected).filter(([fact, value]) => !isDeepStrictEqual(got.get(fact), value));
  for (const [fact, value] of wrong) {
    context.log(`${name}, ${fact}: ${JSON.stringify(got.get(fact))} instead of ${JSON.stringify(value)}`);
  }
  const total = Object.keys(expected).length;
  context.report({
    name,
    figure: `${total - wrong.length} of ${total} facts`,
    bar: 'all',
    ok: wrong.length === 0,
  });
}
