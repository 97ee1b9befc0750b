import { isRecord, type TrainerSection } from '@lachesis/protocol';
import { importOwnFile, offerPackages } from '@lachesis/sdk/config';
import { tryOwnLoss } from '@lachesis/tinker';
import { TrainerError } from '../../trainer-error.ts';
import { describeFailure } from './describe-failure.ts';
import type { CodeFile, CodeKey, OwnAdvantage, OwnCode, OwnLoss } from './own-code.ts';
import { readCodeFiles } from './read-code-files.ts';
import { toEstimator } from './to-estimator.ts';

const MAKERS: Readonly<Record<CodeKey, string>> = { loss: 'defineLoss', advantage: 'defineAdvantage' };

/** Loads the files that a recipe names for loss and advantage, and tries each on a few numbers: mistakes are told here. */
export async function loadOwnCode(section: Pick<TrainerSection, CodeKey>): Promise<OwnCode> {
  const files = await readCodeFiles(section);
  const loaded: { loss?: OwnLoss; advantage?: OwnAdvantage } = {};
  for (const code of files) {
    const value = await load(code);
    try {
      if (code.key === 'loss') tryOwnLoss((loaded.loss = value as OwnLoss));
      else toEstimator((loaded.advantage = value as OwnAdvantage)).estimateBatch(MADE_UP);
    } catch (error) {
      throw describeFailure(code, 'on a batch that was made up', error);
    }
  }
  return { ...loaded, files };
}

async function load({ key, file, sha256 }: CodeFile): Promise<unknown> {
  offerPackages({ '@lachesis/tinker': import.meta.url });
  const module = await importOwnFile(file, sha256).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refuse(`${file} cannot be imported: ${reason}. Run it with node to see where.`, cause);
  });
  const value = module['default'];
  if (isRecord(value) && value['kind'] === key && typeof value[key] === 'function') return value;
  throw refuse(
    `${file} has no ${key} as its default export. Write: import { ${MAKERS[key]} } from '@lachesis/tinker'; ` +
      `export default ${MAKERS[key]}({ name: 'mine', ${key}: … });`,
  );
}

const sequence = (rollout: number) => ({
  rollout,
  tokens: Int32Array.of(1, 2),
  logprobs: Float32Array.of(0, -1),
  mask: Float32Array.of(0, 1),
});

const MADE_UP = [
  { scores: Float64Array.of(1, 0), trainedTokens: Uint32Array.of(1, 1), sequences: [sequence(0), sequence(1)] },
  { scores: Float64Array.of(0.5), trainedTokens: Uint32Array.of(1), sequences: [sequence(0)] },
];

const refuse = (message: string, cause?: unknown): TrainerError =>
  new TrainerError({ kind: 'settings', message, cause });
