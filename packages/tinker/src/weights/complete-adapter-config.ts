import { isRecord } from '@lachesis/protocol';
import type { AdapterFacts } from './check-adapter.ts';
import { WeightsError } from './weights-error.ts';

export interface CompleteAdapterConfigOptions {
  /** The text of adapter_config.json as the server wrote it. */
  text: string;
  facts: AdapterFacts;
  /** Written in place of the server's own name for the base model, which may be a folder on its disk. */
  baseModel?: string | undefined;
}

export interface CompletedAdapterConfig {
  readonly config: Readonly<Record<string, unknown>>;
  readonly rank: number;
  readonly warnings: readonly string[];
}

/**
 * Fills in what servers leave out. Without `target_modules` PEFT adapts the default modules of the architecture, loads
 * the tensors that fit and says nothing of the rest.
 */
export function completeAdapterConfig({
  text,
  facts,
  baseModel,
}: CompleteAdapterConfigOptions): CompletedAdapterConfig {
  const config = parseConfig(text);
  const type = config['peft_type'] ?? 'LORA';
  if (type !== 'LORA') throw bad('is not of the type LORA');
  const rank = config['r'] ?? mostFrequent([...facts.ranks.values()]);
  const pattern = config['rank_pattern'] ?? {};
  const isPatterned = typeof pattern === 'object' && Object.keys(pattern).length > 0;
  const other = [...facts.ranks].find(([, own]) => own !== rank);
  if (typeof rank !== 'number' || (other !== undefined && !isPatterned)) {
    throw bad(`says rank ${JSON.stringify(rank)}, where ${other?.[0].slice(0, 200)} has ${other?.[1]}`);
  }
  const given = config['target_modules'];
  const isEmpty = given === undefined || given === null || (Array.isArray(given) && given.length === 0);
  const missing = Array.isArray(given) ? facts.targetModules.filter((module) => !matches(given, module)) : [];
  return {
    config: {
      ...config,
      peft_type: type,
      r: rank,
      target_modules: isEmpty ? facts.targetModules : given,
      ...(baseModel === undefined ? {} : { base_model_name_or_path: baseModel }),
    },
    rank,
    warnings:
      isEmpty || missing.length === 0
        ? []
        : [`target_modules does not name ${missing.join(', ')}; PEFT leaves them out`],
  };
}

/** PEFT compares the end of a module's path, so an entry may be longer than the leaf. */
const matches = (given: readonly unknown[], leaf: string): boolean =>
  given.some((entry) => typeof entry === 'string' && (entry === leaf || entry.endsWith(`.${leaf}`)));

function parseConfig(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw bad('is not JSON', cause);
  }
  if (isRecord(value)) return value;
  throw bad('is not an object');
}

function mostFrequent(values: readonly number[]): number {
  const counts = Map.groupBy(values, (value) => value);
  return [...counts].reduce((best, next) => (next[1].length > best[1].length ? next : best))[0];
}

const bad = (what: string, cause?: unknown): WeightsError =>
  new WeightsError({ reason: 'bad-adapter', message: `adapter_config.json ${what}.`, cause });
