import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { collectSecretValues, createRedactor, type Redactor } from '@lachesis/protocol';
import { createRecorder, type Recorder } from '@lachesis/sdk/capture';
import type { CallDraft } from '../../../../packages/sdk/src/capture/recorder/record-draft.ts';
import type { LibraryClient } from '@lachesis/sdk';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { findIn, findInFiles, type Leak } from '../find-leaks.ts';
import { createNoise, plantSecrets, type Planted } from '../plant-secrets.ts';
import { startTextModel } from '../start-text-model.ts';
import { cli, startUp, type Up } from '../start-up.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../../..');
const SECRETS = 500;
const SEED = 20_261_115;
/** Found in text that holds no secret, for a million characters. */
const MOST_FALSE_ALARMS = 2;

export const redactionScenario: Scenario = {
  name: 'redaction',
  title: '500 secrets in every field of records and calls: none in the database, blobs, outbox, logs and exports',
  async run(context) {
    const environment = `env-${createNoise(7)(18)}`;
    const planted = plantSecrets(SECRETS, SEED, environment);
    const folder = await context.scratch();
    const home = path.join(folder, 'home');
    await mkdir(home);
    const variables = { MY_SERVICE_TOKEN: environment };
    const text = await startTextModel();
    context.defer(() => text.close());

    // Half by a recorder in the application, first without a server, so that the outbox itself can be looked at.
    const half = planted.slice(0, SECRETS / 2);
    const secrets = new Set(planted.map(({ secret }) => secret));
    const recorder = createRecorder({ home, env: variables });
    for (const [index, item] of half.entries()) plantInRecord(recorder, index, item);
    const outbox = await findInFiles(home, secrets);
    report(context, 'outbox of the application', outbox.leaks, `${half.length} records, ${outbox.files} files`);

    const logFile = path.join(folder, 'up.log');
    const up = await startUp({ context, home, args: ['--upstream-url', text.url], env: variables, logFile });
    for (const [index, item] of planted.slice(SECRETS / 2).entries()) await plantInCall(up, index, item);
    await recorder.close();
    const details = await readAll(up.library, SECRETS);
    const inLibrary = findIn(JSON.stringify(details), secrets).map((secret) => ({ place: 'library', secret }));
    report(
      context,
      'what the library answers',
      inLibrary,
      `${details.length} trajectories of ${SECRETS}`,
      details.length === SECRETS,
    );
    for (const format of ['jsonl', 'sharegpt', 'openai']) {
      const output = path.join(folder, `export-${format}.jsonl`);
      await run(process.execPath, [
        '--conditions=lachesis-source',
        cli,
        'data',
        'export',
        format,
        '--home',
        home,
        '--output',
        output,
      ]);
    }
    await up.process.stop();
    const { leaks, files } = await findInFiles(folder, secrets);
    report(context, 'database, blobs, logs, exports', leaks, `${files} files`);
    for (const { place, secret } of leaks.slice(0, 5)) {
      context.log(`${place}: ${planted.find((item) => item.secret === secret)?.kind}`);
    }

    const mutantHome = await context.scratch();
    const mutant = createRecorder({ home: mutantHome, env: variables, redactor: prefixesOnly });
    for (const [index, item] of half.entries()) plantInRecord(mutant, index, item);
    await mutant.close();
    const missed = await findInFiles(mutantHome, secrets);
    context.report({
      name: 'mutant that knows prefixes alone',
      figure: `${missed.leaks.length} of ${half.length} secrets found`,
      bar: 'caught: > 0',
      ok: missed.leaks.length > 0,
    });
    await showFalseAlarms(context);
  },
};

function report(context: ScenarioContext, name: string, leaks: readonly Leak[], looked: string, isWhole = true): void {
  const figure = `${leaks.length} secrets found in ${looked}`;
  context.report({ name, figure, bar: '0', ok: leaks.length === 0 && isWhole });
}

/** The seeded fault: keys of providers, and nothing by name, by noise or by value. */
const PREFIXES = /\b(?:sk-[\w-]{20,}|ghp_\w{36}|AKIA\w{16}|AIza[\w-]{35}|hf_\w{30,})/g;
const prefixesOnly: Redactor = {
  redactText: (text) => ({ text: text.replaceAll(PREFIXES, '[redacted]'), found: (text.match(PREFIXES) ?? []).length }),
  redactId: (text) => ({ text: text.replaceAll(PREFIXES, '[redacted]'), found: (text.match(PREFIXES) ?? []).length }),
  redactField: () => undefined,
};

/** Puts the secret into one field of a record after the other. */
function plantInRecord(recorder: Recorder, index: number, { text, secret }: Planted): void {
  const fields: Partial<CallDraft>[] = [
    { messages: [{ role: 'user', content: text }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
    { messages: [{ role: 'user', content: 'x', name: text }] },
    { messages: [{ role: 'tool', tool_call_id: 'c', content: text }] },
    {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', function: { name: 'run', arguments: JSON.stringify({ text }) } }],
        },
      ],
    },
    { messages: [{ role: 'assistant', content: 'y', reasoning_content: text }] },
    {
      replies: [
        {
          message: { role: 'assistant', content: text },
          finish_reason: 'stop',
          tokens: null,
          tokens_missing: 'recorded-as-text',
        },
      ],
    },
    { tools: [{ type: 'function', function: { name: 'run', description: text, parameters: { default: text } } }] },
    { sampling: { extra_body: { note: text }, extra_headers: { 'x-api-key': secret, cookie: `a=${secret}` } } },
    { metadata: { headers: { authorization: `Bearer ${secret}` }, note: text, [text]: 1 } },
    { error: { message: `upstream said: ${text}`, status: 401 }, state: 'failed', replies: [] },
    { tags: [text.slice(0, 100).length === text.length ? text : 'long'], model: text, upstream: text },
  ];
  recorder.record({
    ...{ kind: 'call', state: 'complete', source: 'test', model: 'm', tools: null, sampling: {}, is_stream: false },
    messages: [{ role: 'user', content: `record ${index}` }],
    replies: [
      {
        message: { role: 'assistant', content: 'ok' },
        finish_reason: 'stop',
        tokens: null,
        tokens_missing: 'recorded-as-text',
      },
    ],
    ...{ usage: null, cost: null, upstream: null, started_at: 1, first_token_at: null, ended_at: 2, error: null },
    trajectory: `record-${index}`,
    ...fields[index % fields.length],
  });
}

/** The same through the gateway, as an agent would send it. */
async function plantInCall({ baseUrl }: Up, index: number, { text }: Planted): Promise<void> {
  const call = { id: 'c', type: 'function', function: { name: 'run', arguments: JSON.stringify({ text }) } };
  const bodies: Record<string, unknown>[] = [
    { messages: [{ role: 'user', content: text }] },
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'ok' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: null, tool_calls: [{ ...call, function: { name: 'run', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: text },
      ],
    },
    {
      messages: [
        { role: 'system', content: text },
        { role: 'user', content: 'x' },
      ],
    },
    { messages: [{ role: 'user', content: 'x' }], metadata: { note: text } },
    {
      messages: [{ role: 'user', content: 'x' }],
      tools: [{ type: 'function', function: { name: 'run', description: text } }],
    },
  ];
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-lachesis-trajectory': `call-${index}` },
    body: JSON.stringify({ model: 'm', stream: index % 3 === 0, ...bodies[index % bodies.length] }),
  });
  await response.text();
}

async function readAll(library: LibraryClient, wanted: number): Promise<unknown[]> {
  for (let tries = 0; ; tries += 1) {
    const ids: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await library.listTrajectories({ limit: 200, cursor });
      ids.push(...page.trajectories.map((summary) => summary.trajectory_id));
      cursor = page.next_cursor ?? undefined;
    }
    if (ids.length >= wanted || tries > 60) return Promise.all(ids.map((id) => library.readTrajectory(id)));
    await sleep(500);
  }
}

/** The pages and the sources of this repository and of a package it uses: text that agents read all day. */
async function showFalseAlarms(context: ScenarioContext): Promise<void> {
  const redactor = createRedactor({ secrets: collectSecretValues({}) });
  let [characters, found] = [0, 0];
  for (const folder of [
    'docs',
    'packages/server/src',
    'packages/store/src',
    'packages/sdk/src',
    'node_modules/openai/src',
  ]) {
    const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      // Tests hold made-up secrets, which are rightly found.
      if (!entry.isFile() || !/\.(?:ts|md)$/.test(entry.name) || /\.(?:test|fixture)\.ts$/.test(entry.name)) continue;
      const text = await readFile(path.join(entry.parentPath, entry.name), 'utf8');
      characters += text.length;
      const redacted = redactor.redactText(text);
      if (redacted.found > 0) context.log(`${entry.name}: ${redacted.found}`);
      found += redacted.found;
    }
  }
  const share = found / (characters / 1e6);
  context.report({
    name: 'false alarms',
    figure: `${found} in ${(characters / 1e6).toFixed(1)} million characters of code and pages`,
    bar: `≤ ${MOST_FALSE_ALARMS} per million`,
    ok: share <= MOST_FALSE_ALARMS,
  });
}
