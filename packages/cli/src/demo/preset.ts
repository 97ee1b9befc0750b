import { getSmolLm2, ensureTinyModel, type PrepareEngineOptions } from '@lachesis/tinker/engine';
import { smollm2Environment, tinyEnvironment } from './environment-source.ts';

export type DemoModel = 'smollm2' | 'tiny';

/** What differs between the models of the demo. */
export interface Preset {
  readonly title: string;
  /** The folder of the model, made or fetched on first use. */
  readonly getModel: (options: PrepareEngineOptions) => Promise<string>;
  /** A model of random weights earns nothing, so it is first taught to write digits at all. */
  readonly hasWarmUp: boolean;
  readonly environmentFile: string;
  readonly environmentSource: string;
  readonly steps: number;
  readonly env: Readonly<Record<string, unknown>>;
  readonly learningRate: number;
  /** Longer than the first step takes, in which the engine compiles. */
  readonly stallMs: number;
}

export const PRESETS: Readonly<Record<DemoModel, Preset>> = Object.freeze({
  tiny: {
    title: 'a tiny Qwen3 of random weights (336,000 of them)',
    getModel: ensureTinyModel,
    hasWarmUp: true,
    environmentFile: 'my-digits.ts',
    environmentSource: tinyEnvironment,
    steps: 14,
    env: { group_size: 16, batch_size: 64, max_token_length: 64, max_completion_tokens: 8, max_num_workers: 4 },
    // Twice that gets there in ten steps, and one seed in three then falls to nothing.
    learningRate: 2e-3,
    stallMs: 4 * 60_000,
  },
  smollm2: {
    title: 'SmolLM2-135M-Instruct (a real language model)',
    getModel: async (options) => (await getSmolLm2(options)).directory,
    hasWarmUp: false,
    environmentFile: 'my-letter-words.ts',
    environmentSource: smollm2Environment,
    steps: 16,
    env: { group_size: 8, batch_size: 32, max_token_length: 128, max_completion_tokens: 12, max_num_workers: 4 },
    learningRate: 5e-4,
    stallMs: 15 * 60_000,
  },
});
