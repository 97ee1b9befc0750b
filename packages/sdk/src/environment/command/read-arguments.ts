import { parseArgs } from 'node:util';
import { ConfigError } from '../../config/config-error.ts';
import { findNearestName } from '../../config/find-nearest-name.ts';
import { parseSectionFlags } from '../../config/parse-section-flags.ts';

/** What stood on the command line of an environment. */
export interface EnvironmentArguments {
  /** Name or file, and whatever else is no flag. */
  readonly positionals: readonly string[];
  /** `--env.*`, `--openai.*` and the switches without a section. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly config: string | undefined;
  /** YAML of what stands behind toolsets. */
  readonly tools: string | undefined;
  readonly models: readonly string[];
  /** A registered model that the result of an evaluation is kept with. */
  readonly saveWith: string | undefined;
  readonly checksContamination: boolean;
  /** A file with rows that a model was trained on. */
  readonly trainingData: string | undefined;
  readonly json: boolean;
  /** False with `--no-record`: conversations are in the files alone. */
  readonly isRecorded: boolean;
  readonly help: boolean;
}

const KNOWN = {
  config: { type: 'string' },
  tools: { type: 'string' },
  models: { type: 'string' },
  samples: { type: 'string' },
  'save-with': { type: 'string' },
  contamination: { type: 'boolean' },
  'training-data': { type: 'string' },
  json: { type: 'boolean' },
  'no-record': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  slurm: { type: 'string' },
  testing: { type: 'string' },
} as const;

/** Reads what follows `lachesis env serve`. An unknown flag is refused with the nearest known one. */
export function readArguments(argv: readonly string[]): EnvironmentArguments {
  const { flags, rest } = parseSectionFlags(argv);
  const { values, positionals, tokens } = parseArgs({
    args: [...rest],
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: KNOWN,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(KNOWN, token.name)) continue;
    const nearest = findNearestName(token.name, Object.keys(KNOWN));
    throw new ConfigError({
      kind: 'bad-flag',
      path: token.name,
      reason: `There is no option ${token.rawName}.`,
      hint: nearest === undefined ? 'Settings have a section: --env.group_size 8.' : `Did you mean --${nearest}?`,
    });
  }
  const old = Object.fromEntries(
    (['slurm', 'testing'] as const).flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    positionals,
    flags: { ...withSamples(flags, text(values.samples)), ...old },
    config: text(values.config),
    tools: text(values.tools),
    models: (text(values.models) ?? '').split(',').filter((model) => model !== ''),
    saveWith: text(values['save-with']),
    checksContamination: values.contamination === true,
    trainingData: text(values['training-data']),
    json: values.json === true,
    isRecorded: values['no-record'] !== true,
    help: values.help === true,
  };
}

/** `--samples 8` is `--env.eval_samples 8`. */
function withSamples(flags: Readonly<Record<string, unknown>>, samples: string | undefined): Record<string, unknown> {
  if (samples === undefined) return { ...flags };
  return { ...flags, env: { ...(flags['env'] as object | undefined), eval_samples: samples } };
}
