import { type Clock, createIdSource, realClock } from '@lachesis/protocol';
import { useToolsFile } from '../../agent/toolsets/tools-settings.ts';
import { printConfig } from '../../config/print-config.ts';
import { readYamlFile } from '../../config/read-yaml-file.ts';
import type { NamedText } from '../check/find-contamination.ts';
import { requireServers, resolveEnvironmentConfig } from '../config/resolve-environment-config.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import { createHttpPolicy } from '../policy/create-http-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { printEnvironmentHelp } from './describe-environment.ts';
import { runEvaluate, type EvaluatedEnvironment } from './run-evaluate.ts';
import { runProcess } from './run-process.ts';
import { runServe } from './run-serve.ts';
import { readArguments, type EnvironmentArguments } from './read-arguments.ts';
import { nameModels, type ChooseModel } from './name-models.ts';
import type { CommandRun, RolledOutConversation } from './command-run.ts';

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
  /** Asks a person for the model of a server that has several and for which none is named; absent: it is refused. */
  readonly chooseModel?: ChooseModel | undefined;
  /** In place of the configured servers. */
  readonly policy?: Policy;
  /** Told of each conversation of `process` and `evaluate` that has one. */
  readonly onConversation?: (conversation: RolledOutConversation) => void;
  /** Texts that the model was trained on, for `evaluate --contamination` to look through besides the environment's own. */
  readonly trainingTexts?: AsyncIterable<NamedText> | Iterable<NamedText>;
  /** Told of what `evaluate` measured, before it prints it. */
  readonly onEvaluated?: (evaluated: EvaluatedEnvironment) => void;
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
  useToolsFile(given.tools);
  const yaml = given.config === undefined ? undefined : await readYamlFile(given.config);
  const resolved = resolveEnvironmentConfig({ definition, flags: given.flags, yaml, env: variables });
  if (!given.json) err(`${definition.name}: ${mode}\n${indent(printConfig(resolved))}\n`);

  const { policy } = options;
  const { origins } = resolved;
  const servers =
    policy === undefined
      ? await nameModels({
          servers: requireServers(resolved.values),
          origins,
          choose: options.chooseModel,
          fetch: send,
          signal,
        })
      : [];
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
    variables,
    json: given.json,
    progressMode: given.json ? 'json' : isTerminal ? 'line' : 'plain',
    out,
    err,
    signal,
    fetch: send,
    clock,
    nextId: options.nextId ?? (() => ids.next()),
    checksContamination: given.checksContamination || options.trainingTexts !== undefined,
    trainingTexts: options.trainingTexts ?? [],
    onConversation: options.onConversation ?? (() => undefined),
  };
  await start(mode, run, given, options.onEvaluated);
}

function start(
  mode: EnvironmentMode,
  run: CommandRun,
  { models }: EnvironmentArguments,
  onEvaluated: EnvironmentCommandOptions['onEvaluated'],
): Promise<void> {
  switch (mode) {
    case 'serve':
      return runServe(run);
    case 'process':
      return runProcess(run);
    case 'evaluate':
      return runEvaluate(run, models, onEvaluated);
  }
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ');
