import type { z } from 'zod';
import { type inferenceTestRequestSchema, LachesisError, type InferenceTest } from '@lachesis/protocol';
import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseServers, type ServerChoices, type TestServer } from './choose-servers.ts';
import { scoreResults, testPrompts, type GradeReplies } from './test-prompts.ts';
import { testSteps, type ProcessEnvironment, type TestEnvironment } from './test-steps.ts';

type InferenceTestRequest = z.infer<typeof inferenceTestRequestSchema>;

export interface InferenceTestParts {
  /** Where logs and results of a tenant go. */
  folderOf: (tenantId: string) => string;
  findChoices: (tenantId: string) => Promise<ServerChoices>;
  /** The environment that is selected, with its settings; undefined when none is. */
  findEnvironment: (tenantId: string) => Promise<TestEnvironment | undefined>;
  processEnvironment: ProcessEnvironment;
  /** Scores replies as the environment would, for the test with this id. */
  grade: (
    environment: TestEnvironment,
    test: { folder: string; id: string },
    ...given: Parameters<GradeReplies>
  ) => ReturnType<GradeReplies>;
  fetch: typeof fetch;
  nextId: () => string;
  /** Resolves after this time; the answer of a longer test is what it has by then. */
  sleep: (ms: number) => Promise<unknown>;
}

export interface InferenceTests {
  start(tenantId: string, request: InferenceTestRequest): Promise<InferenceTest>;
  /** Throws `not-found`. */
  read(tenantId: string, testId: string): InferenceTest;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** Callers wait for 30 seconds and get an answer within 25. */
const ANSWER_MS = 20_000;
const MODEL_MS = 10 * 60_000;
/** A test is money of somebody: the next one waits until this one has ended. */
const MOST_OF_TENANT = 2;
const MOST_AT_ONCE = 8;
/** When to ask again; a test of some prompts takes about as long. */
const RETRY_SECONDS = 15;
/** Tests that have ended are kept in memory for a while; their files stay. */
const MOST_KEPT = 100;

interface KeptTest {
  tenantId: string;
  test: InferenceTest;
  work: Promise<void>;
}

/** Tries models on prompts or on an environment's tasks before training is paid for. */
export function createInferenceTests(parts: InferenceTestParts): InferenceTests {
  const kept = new Map<string, KeptTest>();
  const ending = new AbortController();

  const begin = (tenantId: string, test: InferenceTest, work: (own: InferenceTest) => Promise<void>): KeptTest => {
    const running = work(test).then(
      () => {
        test.status = 'completed';
        test.summary = summarize(test);
      },
      (error: unknown) => {
        test.status = 'failed';
        test.error = error instanceof Error ? error.message : String(error);
        test.summary = { passed: false, message: `The test broke: ${test.error}` };
      },
    );
    const own = { tenantId, test, work: running };
    kept.set(test.test_id, own);
    for (const [id, { test: old }] of kept) {
      if (kept.size <= MOST_KEPT) break;
      if (old.status !== 'running') kept.delete(id);
    }
    return own;
  };

  return {
    async start(tenantId, request) {
      const running = [...kept.values()].filter(({ test }) => test.status === 'running');
      const own = running.filter((each) => each.tenantId === tenantId);
      if (own.length >= MOST_OF_TENANT || running.length >= MOST_AT_ONCE) throw tooMany(own);
      if ('prompts' in request) checkExpected(request);
      const environment = await parts.findEnvironment(tenantId);
      const models = 'prompts' in request ? undefined : request.models;
      const servers = chooseServers({ runId: request.run_id, models }, await parts.findChoices(tenantId));
      const test: InferenceTest = {
        ...{ test_id: parts.nextId(), status: 'running', environment: environment?.name ?? null },
        summary: { passed: null, message: 'The test is under way.' },
      };
      const folder = parts.folderOf(tenantId);
      const shared = { parts, tenantId, folder, servers, environment, signal: ending.signal };
      if (!('prompts' in request) && environment === undefined) throw noEnvironment();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { work } = begin(tenantId, test, (own) =>
        'prompts' in request
          ? workOnPrompts({ ...shared, request, test: own })
          : workOnSteps({ ...shared, request, test: own }),
      );
      await Promise.race([work, parts.sleep(ANSWER_MS)]);
      return structuredClone(test);
    },
    read(tenantId, testId) {
      const found = kept.get(testId);
      if (found !== undefined && found.tenantId === tenantId) return structuredClone(found.test);
      throw new LachesisError({
        code: 'not-found',
        message: `there is no test ${JSON.stringify(testId.slice(0, 100))}`,
        hint: `Tests are remembered until the server ends. Their files stay in ${parts.folderOf(tenantId)}.`,
      });
    },
    async close() {
      ending.abort(new Error('the control server ends'));
      await Promise.all([...kept.values()].map(({ work }) => work));
    },
  };
}

interface Work<R> {
  parts: InferenceTestParts;
  tenantId: string;
  folder: string;
  servers: readonly TestServer[];
  environment: TestEnvironment | undefined;
  signal: AbortSignal;
  request: R;
  test: InferenceTest;
}

async function workOnPrompts(options: Work<Extract<InferenceTestRequest, { prompts: string[] }>>): Promise<void> {
  const { parts, folder, servers, environment, request, test, signal } = options;
  const [server] = servers;
  if (server === undefined) return;
  const { dataPath, logPath } = await openFiles(folder, environment?.name ?? 'prompts', server);
  const results: NonNullable<InferenceTest['results']> = [];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MODEL_MS)]);
  test.results = [];
  test['log_path'] = logPath;
  test['data_path'] = dataPath;
  await appendFile(logPath, `${request.prompts.length} prompts to ${server.model} at ${server.url}\n`);
  await testPrompts({
    ...{
      server,
      prompts: request.prompts,
      expected: request.expected,
      maxTokens: request.max_tokens,
      temperature: request.temperature,
    },
    ...{ fetch: parts.fetch, signal: limit },
    onResult: (index, result) => {
      results[index] = result;
      test.results = results.filter((each) => each !== undefined);
    },
  });
  const grade: GradeReplies =
    environment === undefined
      ? async (replies) =>
          replies.map(() => ({ score: null, reason: 'no environment is selected that could score it' }))
      : (...given) => parts.grade(environment, { folder, id: test.test_id }, ...given);
  const scored = await scoreResults(results, grade, limit);
  test.results = scored;
  await appendFile(dataPath, scored.map((result) => `${JSON.stringify(result)}\n`).join(''), { mode: 0o600 });
  await appendFile(logPath, `${scored.filter(({ score }) => score !== null).length} replies were scored\n`);
}

async function workOnSteps(options: Work<Exclude<InferenceTestRequest, { prompts: string[] }>>): Promise<void> {
  const { parts, folder, servers, environment, request, test, signal } = options;
  if (environment === undefined) throw noEnvironment();
  test.models = [];
  // One after another: a test that asks everybody at once says more about limits than about the environment.
  for (const [index, server] of servers.entries()) {
    signal.throwIfAborted();
    const files = await openFiles(folder, environment.name, server);
    const collect = (result: NonNullable<InferenceTest['models']>[number]): void => {
      test.models = [...(test.models ?? []).slice(0, index), result];
    };
    const result = await testSteps({
      ...{
        tenantId: options.tenantId,
        id: `${test.test_id}-${index}`,
        environment,
        server,
        steps: request.num_steps,
        groupSize: request.group_size,
        ...files,
      },
      processEnvironment: parts.processEnvironment,
      signal: AbortSignal.any([signal, AbortSignal.timeout(MODEL_MS)]),
      onResult: collect,
    });
    collect(result);
  }
}

/** Under the names that people know. What an earlier test left is kept once. */
async function openFiles(
  folder: string,
  environment: string,
  { label }: TestServer,
): Promise<{ dataPath: string; logPath: string }> {
  const name = `test_${plain(environment)}_${plain(label)}`;
  const [dataPath, logPath] = [join(folder, `${name}.jsonl`), join(folder, `${name}.log`)];
  for (const path of [dataPath, logPath]) {
    await rename(path, path.replace(/(\.\w+)$/, '.previous$1')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await writeFile(logPath, '', { mode: 0o600 });
  return { dataPath, logPath };
}

const plain = (text: string): string =>
  text
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(-100);

function summarize({ results, models }: InferenceTest): InferenceTest['summary'] {
  if (results !== undefined) {
    const answered = results.filter(({ response }) => response !== null).length;
    const scored = results.filter(({ score }) => score !== null).length;
    return {
      passed: answered === results.length,
      message: `${answered} of ${results.length} prompts were answered, ${scored} replies were scored.`,
    };
  }
  const wrong = (models ?? []).flatMap(({ model, verdicts }) =>
    verdicts.filter(({ passed }) => !passed).map(({ check, message }) => `${model}, ${check}: ${message}`),
  );
  const rollouts = (models ?? []).reduce((sum, { scores }) => sum + scores.length, 0);
  return {
    passed: wrong.length === 0,
    message:
      wrong.length === 0
        ? `${rollouts} rollouts on ${models?.length ?? 0} models: nothing is wrong.`
        : `${rollouts} rollouts; ${wrong.join(' ')}`,
  };
}

function checkExpected({ prompts, expected }: Extract<InferenceTestRequest, { prompts: string[] }>): void {
  if (expected === undefined || expected.length === prompts.length) return;
  throw new LachesisError({
    code: 'invalid',
    message: `expected has ${expected.length} answers for ${prompts.length} prompts`,
    hint: 'Give one for each prompt, null where there is none.',
  });
}

const noEnvironment = (): LachesisError =>
  new LachesisError({
    code: 'conflict',
    message: 'no environment is selected',
    hint: 'POST /environments/{name}/select chooses one; or give prompts of your own.',
  });

function tooMany(own: readonly KeptTest[]): LachesisError {
  return new LachesisError({
    code: 'back-pressure',
    message: own.length === 0 ? `${MOST_AT_ONCE} tests of others are under way` : `${own.length} tests are under way`,
    hint: `Read on at GET /test/inference/${own[0]?.test.test_id ?? '{id}'}, and start another when it has ended.`,
    retryAfterSeconds: RETRY_SECONDS,
  });
}
