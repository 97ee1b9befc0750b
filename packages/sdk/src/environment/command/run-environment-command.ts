import { type Clock, createIdSource, realClock } from '@lachesis/protocol';
import { printConfig } from '../../config/print-config.ts';
import { readYamlFile } from '../../config/read-yaml-file.ts';
import { requireServers, resolveEnvironmentConfig } from '../config/resolve-environment-config.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import { createHttpPolicy } from '../policy/create-http-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { printEnvironmentHelp } from './describe-environment.ts';
import { runEvaluate } from './run-evaluate.ts';
import { runProcess } from './run-process.ts';
import { runServe } from './run-serve.ts';
import { readArguments, type EnvironmentArguments } from './read-arguments.ts';
import type { CommandRun } from './command-run.ts';

/** What an environment can be started for: to feed a trainer, to write rows to files, or to score a model. */
export const ENVIRONMENT_MODES = Object.freeze(['serve', 'process', 'evaluate'] as const);
export type EnvironmentMode = (typeof ENVIRONMENT_MODES)[number];

export interface EnvironmentCommandOptions {
  readonly definition: EnvironmentDefinition;
  readonly mode: EnvironmentMode;
  /** What follows the mode; names of environments among it are passed over. */
  readonly argv: readonly string[];
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** For results, such as tables and JSON lines. */
  readonly out?: (text: string) => void;
  /** For progress and the configuration. */
  readonly err?: (text: string) => void;
  readonly isTerminal?: boolean;
  readonly signal?: AbortSignal;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  readonly nextId?: () => string;
  /** In place of the configured servers. */
  readonly policy?: Policy;
}

/** Runs one mode of one environment, from its arguments to its files. Throws `ConfigError`, `EnvironmentError` or `ClientError`. */
export async function runEnvironmentCommand(options: EnvironmentCommandOptions): Promise<void> {
  const {
    definition,
    mode,
    argv,
    variables = process.env,
    out = (text) => void process.stdout.write(text),
    err = (text) => void process.stderr.write(text),
    isTerminal = process.stderr.isTTY,
    signal = new AbortController().signal,
    fetch: send = globalThis.fetch,
    clock = realClock,
  } = options;
  const given = readArguments(argv);
  if (given.help) return out(printEnvironmentHelp(definition));
  const yaml = given.config === undefined ? undefined : await readYamlFile(given.config);
  const resolved = resolveEnvironmentConfig({ definition, flags: given.flags, yaml, env: variables });
  if (!given.json) err(`${definition.name}: ${mode}\n${indent(printConfig(resolved))}\n`);

  const { policy } = options;
  const servers = policy === undefined ? requireServers(resolved.values) : [];
  const ids = createIdSource();
  const run: CommandRun = {
    definition,
    resolved,
    servers,
    policyFor: ({ model, needsTokens }) =>
      policy ??
      createHttpPolicy({
        servers: model === undefined ? servers : servers.map((server) => ({ ...server, model_name: model })),
        needsTokens,
        fetch: send,
        onNote: (sentence) => err(`${sentence}\n`),
      }),
    json: given.json,
    progressMode: given.json ? 'json' : isTerminal ? 'line' : 'plain',
    out,
    err,
    signal,
    fetch: send,
    clock,
    nextId: options.nextId ?? (() => ids.next()),
  };
  await start(mode, run, given);
}

function start(mode: EnvironmentMode, run: CommandRun, { models }: EnvironmentArguments): Promise<void> {
  switch (mode) {
    case 'serve':
      return runServe(run);
    case 'process':
      return runProcess(run);
    case 'evaluate':
      return runEvaluate(run, models);
  }
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ');
