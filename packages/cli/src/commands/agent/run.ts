import { collectSecretValues, createRedactor } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { createControlClient, createLibraryClient, type ControlClient } from '@lachesis/sdk';
import { createChatModel, type AgentResult } from '@lachesis/sdk/agent';
import { findHome } from '@lachesis/sdk/home';
import { readHubDataset } from '@lachesis/sdk/hub';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOutsideTools } from '../../agent/create-outside-tools.ts';
import { createTrainingTools } from '../../agent/create-training-tools.ts';
import { createWaitTool } from '../../agent/create-wait-tool.ts';
import { createFileTools } from '../../agent/files/create-file-tools.ts';
import { createRowsTool } from '../../agent/files/create-rows-tool.ts';
import { openProject } from '../../agent/files/project-paths.ts';
import { checkServers } from '../../agent/session/check-servers.ts';
import { describeEnd } from '../../agent/session/describe-end.ts';
import { runTalk, runTask, type SessionOptions } from '../../agent/session/run-session.ts';
import { writeSystemPrompt } from '../../agent/session/system-prompt.ts';
import { createSkillTools } from '../../agent/skills/create-skill-tools.ts';
import { listSkills } from '../../agent/skills/skill.ts';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { fail } from '../../terminal/fail.ts';
import { chooseModel } from '../../flags/choose-model.ts';
import { findModelServer, type ModelServer } from '../../flags/model-server.ts';
import { openOutside } from './open-outside.ts';
import { openAgentRecording, type AgentRecording } from './recording.ts';
import { openTerminal, type OpenTerminal } from './terminal.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { readServerVariable } from '../../flags/read-server-variable.ts';
import { findTokenFor } from '../../flags/server-token.ts';
import { writeJson } from '../../terminal/screen.ts';

export interface AgentArguments {
  /** The words of the task. */
  _: readonly string[];
  interactive?: boolean | undefined;
  'base-url'?: string | undefined;
  model?: string | undefined;
  server?: string | undefined;
  token?: string | undefined;
  project?: string | undefined;
  toolsets?: string | undefined;
  tools?: string | undefined;
  yes?: boolean | undefined;
  'max-turns'?: string | undefined;
  'max-tokens'?: string | undefined;
  minutes?: string | undefined;
  record: boolean;
  home?: string | undefined;
  'list-environments'?: boolean | undefined;
  'check-server'?: boolean | undefined;
  json?: boolean | undefined;
}

/** What `lachesis agent` does. */
export async function runAgentCommand(
  args: AgentArguments,
  defaults: { controlUrl: string; maxTurns: number },
): Promise<void> {
  const isJson = args.json === true;
  const read = (name: string): string | undefined => (process.env[name] === '' ? undefined : process.env[name]);
  const url = args.server ?? read('RL_API_URL') ?? readServerVariable() ?? defaults.controlUrl;
  const token = await findTokenFor(url, args);
  const control = createControlClient({ url, token });
  const server = findModelServer(args, process.env);
  if (args['list-environments'] === true) return listEnvironments(control, isJson);
  if (args['check-server'] === true) return checkBoth(control, server, isJson);

  const task = args._.join(' ').trim();
  const isTalk = args.interactive === true || (task === '' && process.stdin.isTTY && !isJson);
  if (task === '' && !isTalk) fail('say what to do: lachesis agent "Train Qwen3-8B on GSM8K", or --interactive.');
  if (isTalk && isJson) fail('--json is for one task; leave --interactive out.');
  const limits = {
    maxTurns: readLimit('max-turns', args['max-turns']) ?? defaults.maxTurns,
    maxTokens: readLimit('max-tokens', args['max-tokens']),
    maxMs: toMs(readLimit('minutes', args.minutes)),
  };
  const project = await openProject(args.project ?? process.cwd()).catch((error: NodeJS.ErrnoException) =>
    fail(`the folder ${args.project ?? process.cwd()} cannot be opened (${error.code ?? error.message}).`),
  );
  // What was typed wrongly is told before what is not set up.
  const outside = await openOutside(args);
  if (server === undefined) {
    await outside.close();
    return fail(
      'there is no model to ask. Give --base-url http://…/v1 (any OpenAI-compatible server; a local one needs no key), ' +
        'or set OPENAI_API_KEY or OPENROUTER_API_KEY.',
    );
  }
  const model = server.model ?? (await chooseModel({ ...server, command: 'lachesis agent --model <model>' }));
  const library = createLibraryClient({ url, token });
  // What the tools give goes to the model's server. Ids of runs and tests look random and have to stay.
  const secrets = collectSecretValues({ ...process.env, LACHESIS_TOKEN: token });
  const redactor = createRedactor({ secrets });
  const recording = openAgentRecording({ home: args.home, isOn: args.record });
  // What it does goes to standard error when somebody reads the answer from standard output.
  const output = isTalk ? process.stdout : process.stderr;
  const terminal = openTerminal({ input: process.stdin, output, asks: isTalk || process.stdin.isTTY });
  // Those that the person made their own stand for ours.
  const guides = { own: homePaths(findHome(args.home)).skills };
  const projectTools = [
    ...createTrainingTools({ client: control, redactor: createRedactor({ secrets, entropy: false }) }),
    ...createFileTools({ project, redactor }),
    createRowsTool({
      ...{ project, redactor, readHubRows: readHubDataset },
      readDatasetRows: (ref, options) => library.readDatasetRows(ref, options),
    }),
    ...createSkillTools(guides),
    createWaitTool({ sleep: (ms, signal) => sleep(ms, undefined, { signal }) }),
  ];
  const taken = projectTools.map(({ name }) => name);
  const session: SessionOptions = {
    model: createChatModel({ ...server, model, fetch: recording.fetch, headers: recording.headers }),
    tools: [...projectTools, ...createOutsideTools({ toolsets: outside.toolsets, taken, redactor })],
    run: outside.run,
    sandbox: outside.sandbox,
    systemPrompt: writeSystemPrompt({
      project: project.root,
      controlUrl: url,
      skills: await listSkills(guides),
      isInteractive: isTalk,
    }),
    terminal,
    allowsAll: args.yes === true,
    limits,
  };
  try {
    if (isTalk) await talk({ session, terminal, recording, model, task });
    else await doTask({ session, terminal, recording, task, isJson });
  } finally {
    await outside.close();
  }
}

interface Parts {
  session: SessionOptions;
  terminal: OpenTerminal;
  recording: AgentRecording;
  task: string;
}

async function doTask({ session, terminal, recording, task, isJson }: Parts & { isJson: boolean }): Promise<void> {
  const abort = new AbortController();
  const end = (): void => abort.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  terminal.onInterrupt(end);
  const result = await runTask({ ...session, task, signal: abort.signal });
  terminal.close();
  await recording.close(result);
  const sentence = describeEnd(result);
  if (isJson) writeJson(toJson(result, recording, sentence));
  else if (result.text.trim() !== '') process.stdout.write(`${session.terminal.clean(result.text.trim())}\n`);
  if (sentence === undefined) return;
  if (!isJson) process.stderr.write(`lachesis: ${sentence}\n`);
  process.exitCode = result.reason === 'aborted' ? EXIT_CODES.interrupted : EXIT_CODES.failed;
}

function toJson(result: AgentResult, { trajectory }: AgentRecording, sentence: string | undefined): object {
  const { reason, text, turns, toolCalls, usage } = result;
  return { reason, text, turns, tool_calls: toolCalls, usage, trajectory: trajectory ?? null, error: sentence ?? null };
}

async function talk({ session, terminal, recording, model, task }: Parts & { model: string }): Promise<void> {
  terminal.write(`${terminal.paint.dim(`${model}; /help says what else can be typed, Ctrl-D ends`)}\n`);
  let current: AbortController | undefined;
  const interrupt = (): void => {
    // With nothing under way Ctrl-C means: away from here.
    if (current === undefined) terminal.close();
    else current.abort();
  };
  process.on('SIGINT', interrupt);
  terminal.onInterrupt(interrupt);
  const last = await runTalk({
    ...session,
    firstTask: task === '' ? undefined : task,
    openSignal: () => {
      const abort = new AbortController();
      current = abort;
      return { signal: abort.signal, close: () => (current = undefined) };
    },
  });
  process.off('SIGINT', interrupt);
  terminal.close();
  await recording.close(last);
  if (last !== undefined && recording.trajectory !== undefined) {
    terminal.write(`${terminal.paint.dim('recorded; `lachesis trajectories list --tag lachesis-agent` shows it')}\n`);
  }
}

/** One model needs no name. Several, and the person chooses. */
async function listEnvironments(control: ControlClient, isJson: boolean): Promise<void> {
  const found = await control
    .listEnvironments()
    .catch((error: unknown) =>
      fail(
        `${error instanceof Error ? error.message : String(error)}. \`lachesis up\` starts the control server; \`lachesis env list\` needs none.`,
      ),
    );
  if (isJson) return writeJson(found);
  const width = Math.max(0, ...found.map(({ name }) => name.length));
  process.stdout.write(
    found.length === 0
      ? 'the control server found no environment; make one with `lachesis env new <name>`\n'
      : found.map(({ name, description }) => `${name.padEnd(width)}  ${description}\n`).join(''),
  );
}

async function checkBoth(control: ControlClient, modelServer: ModelServer | undefined, isJson: boolean): Promise<void> {
  const checks = await checkServers({ control: { url: control.url, health: () => control.health() }, modelServer });
  if (isJson) writeJson(checks.map(({ server, url, isOk, message }) => ({ server, url, ok: isOk, message })));
  else {
    const lines = checks.map(
      ({ server, url, isOk, message }) => `${isOk ? '✓' : '✗'} ${server.padEnd(7)}  ${url} ${message}\n`,
    );
    process.stdout.write(lines.join(''));
  }
  if (checks.some(({ isOk }) => !isOk)) process.exitCode = 1;
}

function readLimit(name: string, text: string | undefined): number | undefined {
  const value = readWholeNumber(name, text);
  if (value === 0) fail(`--${name} is at least 1.`);
  return value;
}

const toMs = (minutes: number | undefined): number | undefined =>
  minutes === undefined ? undefined : minutes * 60_000;
