import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { ADAPTER_FILES, MAX_CONFIG_BYTES } from './adapter-files.ts';
import { checkAdapter } from './check-adapter.ts';
import { completeAdapterConfig } from './complete-adapter-config.ts';
import { readSafetensorsHeader } from './merge/safetensors-header.ts';
import type { SafetensorsHeader } from './merge/safetensors-header.ts';
import { WeightsError } from './weights-error.ts';

export interface FinishedAdapter {
  readonly rank: number;
  readonly targetModules: readonly string[];
  readonly header: SafetensorsHeader;
  readonly warnings: readonly string[];
}

/** Checks the two files of a folder and rewrites the config so that PEFT loads all of the tensors. */
export async function finishAdapterFolder({
  directory,
  baseModel,
}: {
  directory: string;
  baseModel?: string | undefined;
}): Promise<FinishedAdapter> {
  const [tensors, config] = [ADAPTER_FILES.tensors, ADAPTER_FILES.config].map((file) => path.join(directory, file));
  for (const file of [tensors!, config!]) {
    const found = await stat(file).catch((cause: unknown) => {
      const message = `What was downloaded holds no ${path.basename(file)}.`;
      throw new WeightsError({ reason: 'bad-adapter', message, cause });
    });
    if (file === config && found.size > MAX_CONFIG_BYTES) {
      throw new WeightsError({ reason: 'too-large', message: `adapter_config.json has ${found.size} bytes.` });
    }
  }
  const header = await readSafetensorsHeader(tensors!);
  const facts = checkAdapter(header);
  const completed = completeAdapterConfig({ text: await readFile(config!, 'utf8'), facts, baseModel });
  // The folder has no name yet that anybody looks under, so a death in the middle of this leaves nothing half done.
  await using handle = await open(config!, 'w');
  await handle.writeFile(`${JSON.stringify(completed.config, null, 2)}\n`);
  await handle.sync();
  return {
    rank: completed.rank,
    targetModules: facts.targetModules,
    header,
    warnings: [...facts.warnings, ...completed.warnings],
  };
}
