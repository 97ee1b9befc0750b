import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { getSmolLm2, ensureTinyModel, startEngine } from '@lachesis/tinker/engine';
import type { Engine } from '@lachesis/tinker/engine';
import type { EngineLimits } from '../../../packages/tinker/src/engine/start-engine.ts';
import type { OnEngineProgress } from '../../../packages/tinker/src/engine/engine-progress.ts';

import { findPeerHome } from './peer-home.ts';
import { removeFolder } from '../../kit/remove-folder.ts';

/** `tiny` has a vocabulary of 2,048; `tiny-real-tokenizer` has Qwen3's; `smollm2` is a real model of 135 million weights. */
export type PeerModel = 'tiny' | 'tiny-real-tokenizer' | 'smollm2';

export interface StartEnginePeerOptions {
  /** `tiny` by default; a folder is taken as it is. */
  readonly model?: PeerModel | { readonly directory: string };
  /** A free one by default. */
  readonly port?: number;
  readonly limits?: Partial<EngineLimits>;
  /** Where database, checkpoints and log are; a temporary folder, removed at the end, by default. */
  readonly runDirectory?: string;
  readonly onProgress?: OnEngineProgress;
  readonly signal?: AbortSignal;
}

/** The real engine as `lachesis engine up` starts it, in a folder of its own and for as long as the test lives. */
export async function startEnginePeer(options: StartEnginePeerOptions = {}): Promise<Engine> {
  const home = findPeerHome();
  const shared = { home, onProgress: options.onProgress, signal: options.signal };
  const model = await findModel(options.model ?? 'tiny', shared);
  const isOwnFolder = options.runDirectory === undefined;
  const runDirectory = options.runDirectory ?? (await mkdtemp(join(tmpdir(), 'lachesis-engine-')));
  const removeOwnFolder = async (): Promise<void> => {
    if (isOwnFolder) await removeFolder(runDirectory);
  };
  try {
    const engine = await startEngine({
      ...shared,
      model,
      runDirectory,
      port: options.port ?? 0,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      // A test that is killed takes its engine along. `setpriv` becomes the program it starts.
      launcher: process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'TERM'] : [],
    });
    const stop = async (): Promise<void> => {
      await engine.stop();
      await removeOwnFolder();
    };
    return { ...engine, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await removeOwnFolder();
    throw error;
  }
}

async function findModel(
  model: NonNullable<StartEnginePeerOptions['model']>,
  shared: Parameters<typeof ensureTinyModel>[0],
): Promise<string> {
  if (typeof model === 'object') return model.directory;
  switch (model) {
    case 'tiny':
      return ensureTinyModel(shared);
    case 'tiny-real-tokenizer':
      return ensureTinyModel({ ...shared, tokenizer: 'qwen3' });
    case 'smollm2':
      return (await getSmolLm2(shared)).directory;
    default:
      throw new Error(`there is no model ${String(model satisfies never)}`);
  }
}
