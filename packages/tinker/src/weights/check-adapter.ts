import type { SafetensorsHeader } from './merge/safetensors-header.ts';
import { WeightsError } from './weights-error.ts';

export interface AdapterFacts {
  /** Names of the modules that have LoRA tensors, sorted: `k_proj`, `q_proj`. */
  readonly targetModules: readonly string[];
  /** The rank of each adapted module, by its full path. */
  readonly ranks: ReadonlyMap<string, number>;
  /** What PEFT will not load as the server may think it does. */
  readonly warnings: readonly string[];
}

/** PEFT looks for tensors under this name and silently leaves out all others. */
const PREFIX = 'base_model.model.';

/** Finds the LoRA pairs of an adapter and checks that their shapes belong together. */
export function checkAdapter({ tensors }: SafetensorsHeader): AdapterFacts {
  const pairs = new Map<string, { A?: readonly number[]; B?: readonly number[] }>();
  const warnings = new Set<string>();
  for (const [name, { shape }] of tensors) {
    const match = /^(.+)\.lora_(embedding_)?([AB])(?:\.weight)?$/.exec(name);
    if (match === null) {
      warnings.add('some tensors are not LoRA pairs; PEFT loads them only under modules_to_save');
      continue;
    }
    const [, module, embedding, side] = match as unknown as [string, string, string | undefined, 'A' | 'B'];
    if (!module.startsWith(PREFIX)) warnings.add(`some tensors are not named ${PREFIX}…; PEFT leaves them out`);
    // An embedding's two matrices are the other way round, and PEFT knows them by another name.
    if (embedding === undefined && module.endsWith('.embed_tokens')) {
      warnings.add('embed_tokens is saved as lora_A and lora_B; PEFT wants lora_embedding_A and lora_embedding_B');
    }
    const pair = pairs.get(module) ?? {};
    pair[side] = shape;
    pairs.set(module, pair);
  }
  if (pairs.size === 0) throw bad('has no LoRA tensors');
  const ranks = new Map([...pairs].map(([module, pair]) => [module, rankOf(module, pair)]));
  const targetModules = [...new Set([...pairs.keys()].map(leafOf))].sort();
  return { targetModules, ranks, warnings: [...warnings] };
}

function rankOf(module: string, { A, B }: { A?: readonly number[]; B?: readonly number[] }): number {
  const label = module.slice(0, 200);
  if (A === undefined || B === undefined) throw bad(`has ${label} with one of its two matrices missing`);
  if (A.length !== 2 || B.length !== 2) throw bad(`has ${label} with matrices that are not two-dimensional`);
  const rank = isEmbedding(module) ? embeddingRank(A, B) : A[0]!;
  const partner = isEmbedding(module) ? rank : B[1]!;
  if (rank !== partner || rank === 0) throw bad(`has ${label} with matrices of ranks ${rank} and ${partner}`);
  return rank;
}

const isEmbedding = (module: string): boolean => module.endsWith('.embed_tokens');

/** A is [rank, vocabulary] in PEFT and [vocabulary, rank] in SkyRL, with B turned likewise: the rank is what they share. */
function embeddingRank(A: readonly number[], B: readonly number[]): number {
  if (A[0] === B[1]) return A[0]!;
  return A[1] === B[0] ? A[1]! : 0;
}

/** The part of a module's path that PEFT matches by. A number alone, as in `to_out.0`, would match every list. */
function leafOf(module: string): string {
  const segments = module.split('.');
  return /^\d+$/.test(segments.at(-1)!) ? segments.slice(-2).join('.') : segments.at(-1)!;
}

const bad = (what: string): WeightsError =>
  new WeightsError({ reason: 'bad-adapter', message: `The adapter ${what}.` });
