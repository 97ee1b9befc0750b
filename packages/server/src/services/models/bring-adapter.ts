import { LachesisError } from '@lachesis/protocol';
import type { ControlClient } from '@lachesis/sdk';
import { createTinkerClient, downloadAdapter } from '@lachesis/tinker';
import type { ModelVersion } from '@lachesis/store';
import { nameOf, refuseDeleted } from './find-start.ts';

/** The files of an adapter that a server lists. */
export type ModelAdapter = Awaited<ReturnType<ControlClient['readAdapter']>>;

/** Where the weights of a model are: the address of a Tinker server, or nothing for the managed service. */
export interface EnginePlace {
  baseUrl: string | undefined;
  apiKey: string | undefined;
}

export interface BringAdapterOptions {
  model: Pick<ModelVersion, 'baseModel' | 'name' | 'run' | 'version' | 'weightsDeletedAt' | 'weightsPath'>;
  engine: EnginePlace;
  /** The folder to make. */
  destination: string;
  overwrite?: boolean | undefined;
  /** Let the engine point to files of this machine, as TuFT does. */
  allowFileUrls?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Brings the trained weights of a model from its engine, as a folder that PEFT loads. */
export async function bringAdapter(options: BringAdapterOptions): ReturnType<typeof downloadAdapter> {
  const { model, engine, destination, overwrite = false, allowFileUrls = false, signal } = options;
  needWeights(model);
  return await downloadAdapter({
    ...{ path: model.weightsPath, destination, overwrite, allowFileUrls, baseModel: model.baseModel },
    // The key of this engine and no other: a variable of this process may be another server's.
    server: createTinkerClient({ baseUrl: engine.baseUrl, apiKey: engine.apiKey ?? '' }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The base model itself has no weights of its own, and those of an old checkpoint may be gone. */
export function needWeights(model: BringAdapterOptions['model']): void {
  refuseDeleted(model);
  if (model.weightsPath !== '') return;
  const message = `${nameOf(model)} is the base model ${model.baseModel}: there is nothing to export`;
  throw new LachesisError({ code: 'conflict', message });
}
