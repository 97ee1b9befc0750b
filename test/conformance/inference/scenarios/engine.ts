import { createInferenceClient } from '@lachesis/sdk';
import { createTinkerClient } from '@lachesis/tinker';

import { createTinyModel } from '../../../../packages/sdk/src/render/testing/tiny-model.fixture.ts';
import { FakeServer } from '../../../../packages/tinker/src/testing/fake-server.fixture.ts';
import { startInference, type Inference } from '../../../peers/openai/start-inference.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { waitUntil } from '../wait-until.ts';

const HELLO = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 4, return_token_ids: true };
const CALLERS = 50;
const SWITCHES = 6;
const CANCEL_MS = 1_000;

export const engineScenario: Scenario = {
  name: 'engine',
  title: 'switched weights, hang-ups, a lost session, an engine that is away: what callers notice of it',
  async run(context) {
    const model = await createTinyModel();
    context.defer(() => model.remove());
    const engine = await FakeServer.start({ jobMs: (operation) => (operation === 'asample' ? 20 : 1) });
    context.defer(() => engine.close());
    await using server = await startInference({
      args: ['--engine-url', engine.url, '--base-model', 'fake/model', '--tokenizer', model.directory],
    });
    await switchUnderLoad(context, engine, server);
    await hangUp(context, engine, server);
    await loseSession(context, engine, server);
    await goAway(context, engine, server);
  },
};

/** New weights again and again while callers ask without pause. The fake engine's log probabilities tell which weights spoke. */
async function switchUnderLoad(context: ScenarioContext, engine: FakeServer, server: Inference): Promise<void> {
  const client = createInferenceClient({ url: server.url, retryForMs: 0 });
  const service = await createTinkerClient({ baseUrl: engine.url, apiKey: 'tml-none', env: {} }).connect();
  const training = await service.createTraining({ baseModel: 'fake/model', rank: 8 });
  const model = engine.models.get(training.model.modelId);
  if (model === undefined) throw new Error('the fake engine has no such model');
  const weights = [0];
  let [isOver, replies, failed, wrong] = [false, 0, 0, 0];
  const seen = new Set<number>();
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      try {
        const reply = await client.chat(HELLO);
        const [choice] = reply.choices;
        const version = choice?.policy_version ?? Number.NaN;
        const [token = 0] = choice?.token_ids ?? [];
        const expected = Math.fround(-1 - (token % 10) / 10 + (weights[version] ?? Number.NaN));
        if (choice?.token_logprobs?.[0] !== expected) wrong += 1;
        seen.add(version);
        replies += 1;
      } catch (error) {
        failed += 1;
        context.log(String(error));
      }
    }
  });
  for (let version = 1; version <= SWITCHES; version++) {
    model.weight = -version;
    weights[version] = -version;
    const { path } = await training.saveForSampler(`step-${version}`);
    await client.publishPolicy({ model_path: path, policy_version: version, step: version });
  }
  await waitUntil(() => seen.has(SWITCHES), 10_000);
  isOver = true;
  await Promise.all(callers);
  await service.close();
  context.report({
    name: 'weights switched under load',
    figure: `${replies} replies of ${seen.size} versions, ${failed} failed, ${wrong} with the log probabilities of other weights`,
    bar: `0 failed, 0 wrong, ≥ ${SWITCHES} versions`,
    ok: failed === 0 && wrong === 0 && seen.size >= SWITCHES && replies > 0,
  });
}

async function hangUp(context: ScenarioContext, engine: FakeServer, server: Inference): Promise<void> {
  engine.fault = ({ path }) => (path === 'retrieve_future' ? { kind: 'hang', isDone: false } : undefined);
  const [samples, polls] = [engine.count('asample'), engine.count('retrieve_future')];
  const caller = new AbortController();
  const pending = post(server.url, caller.signal);
  await waitUntil(() => engine.count('asample') > samples && engine.count('retrieve_future') > polls, 5_000);
  const hungUpAt = performance.now();
  caller.abort();
  await waitUntil(() => engine.cancelled.length > 0, 5_000);
  const tookMs = performance.now() - hungUpAt;
  await pending;
  engine.fault = undefined;
  context.report({
    name: 'a hang-up reaches the engine',
    figure: `${tookMs.toFixed(0)} ms`,
    bar: `≤ ${CANCEL_MS} ms`,
    ok: tookMs <= CANCEL_MS,
  });
}

/** As after a restart: the engine does not know the session that samples are sent to. */
async function loseSession(context: ScenarioContext, engine: FakeServer, server: Inference): Promise<void> {
  const lost = engine.bodies('asample').at(-1)?.['sampling_session_id'];
  engine.fault = ({ path, body }) =>
    path === 'asample' && (body as Record<string, unknown>)['sampling_session_id'] === lost
      ? { kind: 'status', status: 404, body: { detail: 'Sampling session not found' } }
      : undefined;
  const statuses = await Promise.all(Array.from({ length: 20 }, () => post(server.url)));
  engine.fault = undefined;
  const answered = statuses.filter((status) => status === 200).length;
  context.report({
    name: 'a session the engine has lost',
    figure: `${answered} of 20 callers answered`,
    bar: 'all',
    ok: answered === 20,
  });
}

/** Callers are refused at once instead of waiting, and answered again when it is back. */
async function goAway(context: ScenarioContext, engine: FakeServer, server: Inference): Promise<void> {
  engine.fault = () => ({ kind: 'drop-request' });
  const caller = new AbortController();
  const waiting = post(server.url, caller.signal);
  await waitUntil(async () => (await fetch(`${server.url}/health`)).status === 503, 30_000);
  const askedAt = performance.now();
  const status = await post(server.url);
  const tookMs = performance.now() - askedAt;
  engine.fault = undefined;
  await waitUntil(async () => (await post(server.url)) === 200, 60_000);
  caller.abort();
  await waiting;
  context.report({
    name: 'an engine that is away',
    figure: `refused with ${status} after ${tookMs.toFixed(0)} ms, answered again when it was back`,
    bar: '503 within 500 ms',
    ok: status === 503 && tookMs <= 500,
  });
}

/** The status of a chat, or undefined when the caller hung up. */
async function post(url: string, signal?: AbortSignal): Promise<number | undefined> {
  const call = { method: 'POST', body: JSON.stringify(HELLO), ...(signal === undefined ? {} : { signal }) };
  try {
    const reply = await fetch(`${url}/v1/chat/completions`, call);
    await reply.arrayBuffer();
    return reply.status;
  } catch (error) {
    if (signal?.aborted === true) return undefined;
    throw error;
  }
}
