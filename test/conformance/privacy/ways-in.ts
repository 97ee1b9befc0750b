import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRecorder, EMPTY_REPLY, recordFetch, recordingMiddleware, type Recorder } from '@lachesis/sdk/capture';
import { openHome } from '@lachesis/store';
import { Registry } from 'prom-client';
import { openAgentRecording } from '../../../packages/cli/src/commands/agent/recording.ts';
import { createLog } from '../../../packages/server/src/http/logs/create-log.ts';
import { readInferenceSettings } from '../../../packages/server/src/http/settings/inference-settings.ts';
import { openRecording } from '../../../packages/server/src/inference/recording/open-recording.ts';
import { startProcess } from '../../kit/start-process.ts';
import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

export type Variables = Readonly<Record<string, string>>;

export interface WayOptions {
  readonly home: string;
  /** For files that people bring, which are not Lachesis's. */
  readonly folder: string;
  readonly texts: readonly string[];
  /** The environment of whoever records, imports or serves. */
  readonly variables: Variables;
  readonly context: ScenarioContext;
}

/** One way by which texts come into a home. */
export interface WayIn {
  readonly name: string;
  /** Whoever writes the outbox knows the settings: it is looked into before anybody drains it. */
  readonly isCleanOutbox: boolean;
  /** The application knows nothing: what is taken out is taken out by who brings it in. */
  readonly isDrainTheWay: boolean;
  /** Its mutant runs in the long form only. */
  readonly isSlow?: true;
  enter(options: WayOptions): Promise<void>;
}

const CLI = path.resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');
// Tools are asked for; none of them is used.
const TOOLSETS = path.resolve(import.meta.dirname, '../hermes-batch/batch/echo-toolsets.ts');
const COMMAND_MS = 60_000;

const asMessages = (texts: readonly string[]) => texts.map((content) => ({ role: 'user' as const, content }));
const asChoice = (content: string) => ({
  index: 0,
  message: { role: 'assistant' as const, content },
  finish_reason: 'stop',
});

/** A model that says everything it was told. */
const echo = async (texts: readonly string[]): Promise<Response> =>
  Response.json({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [asChoice(texts.join('\n'))] });

const chatBody = (texts: readonly string[]) => ({
  method: 'POST',
  body: JSON.stringify({ model: 'm', messages: asMessages(texts) }),
});

async function withRecorder(options: WayOptions, work: (recorder: Recorder) => Promise<void>): Promise<void> {
  const recorder = createRecorder({ home: options.home, env: options.variables });
  await work(recorder);
  await recorder.close();
}

/** A command as a person types it, with nothing of this process's environment that would matter. */
async function type({ home, folder, variables }: WayOptions, args: readonly string[]): Promise<void> {
  await using child = await startProcess({
    name: `lachesis ${args.slice(0, 2).join(' ')}`,
    command: process.execPath,
    args: ['--conditions=lachesis-source', CLI, ...args],
    cwd: folder,
    env: { DATABASE_URL: undefined, LACHESIS_HOME: home, OPENAI_API_KEY: undefined, ...variables },
  });
  const timer = setTimeout(() => child.signal('SIGKILL'), COMMAND_MS);
  const { code } = await child.exited;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${child.name} ended with ${code}:\n${child.logs()}`);
}

const writeRows = (file: string, rows: readonly object[]): Promise<void> =>
  writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

export const waysIn: readonly WayIn[] = [
  {
    ...{ name: 'gateway', isCleanOutbox: true, isDrainTheWay: false },
    async enter({ home, texts, variables }) {
      const opened = await openHome({ home });
      const recording = await openRecording({
        settings: readInferenceSettings({ home }, variables).values,
        ...{ home: opened, registry: new Registry(), env: variables },
        log: createLog({ name: 'gateway', level: 'silent' }),
      });
      const call = recording.recorder.begin({
        ...{ endpoint: 'chat', body: { model: 'm', messages: asMessages(texts) }, tenantId: 'local', upstream: 'x' },
        labels: { trajectory: 'job', user: null, tags: [], consent: undefined, isRollout: false },
      });
      const unknown = { tokenIds: undefined, logprobs: undefined, promptTokenIds: undefined, policyVersion: undefined };
      const message = { role: 'assistant' as const, content: texts.join('\n') };
      call?.complete({ ...EMPTY_REPLY, choices: [{ index: 0, message, finishReason: 'stop', ...unknown }] });
      await recording.close();
      await opened.close();
    },
  },
  {
    ...{ name: 'OpenAI wrapper', isCleanOutbox: true, isDrainTheWay: false },
    enter: (options) =>
      withRecorder(options, async (recorder) => {
        const send = recordFetch(() => echo(options.texts), { recorder });
        await (await send('http://model.example/v1/chat/completions', chatBody(options.texts))).json();
      }),
  },
  {
    ...{ name: 'AI SDK middleware', isCleanOutbox: true, isDrainTheWay: false },
    enter: (options) =>
      withRecorder(options, async (recorder) => {
        const prompt = options.texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] }));
        const content = [{ type: 'text', text: options.texts.join('\n') }];
        const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } };
        await recordingMiddleware({ recorder }).wrapGenerate({
          doGenerate: async () => ({ content, finishReason: 'stop', usage }),
          ...{ params: { prompt }, model: { provider: 'any.chat', modelId: 'm' } },
        });
      }),
  },
  {
    ...{ name: 'agent', isCleanOutbox: true, isDrainTheWay: false },
    async enter({ home, texts, variables }) {
      // The agent takes its settings from the environment of its process, when it opens its recording.
      Object.assign(process.env, variables);
      const recording = openAgentRecording({ home, isOn: true, send: () => echo(texts) });
      for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
      await (await recording.fetch('http://model.example/v1/chat/completions', chatBody(texts))).json();
      await recording.close(undefined);
    },
  },
  {
    ...{ name: 'without a server', isCleanOutbox: false, isDrainTheWay: true },
    async enter(options) {
      await withRecorder({ ...options, variables: {} }, async (recorder) => {
        recorder.record({
          ...{ kind: 'messages', source: 'app', model: 'm', tools: null, trajectory: 'task' },
          messages: [...asMessages(options.texts), { role: 'assistant', content: options.texts.join('\n') }],
        });
      });
      await type(options, ['trajectories', 'list', '--home', options.home]);
    },
  },
  {
    ...{ name: 'import', isCleanOutbox: true, isDrainTheWay: false },
    async enter(options) {
      const file = path.join(options.folder, 'rows.jsonl');
      const reply = { role: 'assistant', content: 'Noted.' };
      await writeRows(
        file,
        options.texts.map((content) => ({ messages: [{ role: 'user', content }, reply] })),
      );
      await type(options, ['data', 'import', file, '--format', 'openai', '--name', 'rows']);
    },
  },
  {
    ...{ name: 'batch', isCleanOutbox: true, isDrainTheWay: false, isSlow: true },
    async enter(options) {
      const model = await startScriptedModel(() => ({ say: options.texts.join('\n') }));
      options.context.defer(() => model.close());
      const file = path.join(options.folder, 'prompts.jsonl');
      await writeRows(
        file,
        options.texts.slice(-2).map((prompt) => ({ prompt })),
      );
      await type(options, [
        ...['batch', '--dataset_file', file, '--run_name', 'run', '--batch_size', '2', '--model', 'scripted'],
        ...['--base_url', model.url, '--toolsets', TOOLSETS, '--distribution', 'terminal_only', '--max_attempts', '1'],
        ...['--output_dir', path.join(options.home, 'batches')],
      ]);
    },
  },
];
