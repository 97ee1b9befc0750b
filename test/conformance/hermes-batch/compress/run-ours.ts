import {
  type CompressFilesOptions,
  compressFiles,
  createCharacterCounter,
  createModelSummarizer,
  readCompressionSettings,
} from '@lachesis/data';
import type { CompressionReport } from '../../../../packages/data/src/compress/compress-files.ts';
import { readYamlFile } from '@lachesis/sdk/config';

export interface RunOursOptions extends Partial<CompressFilesOptions> {
  readonly input: string;
  readonly output: string;
  readonly config: string;
  /** In the place of what the file says. */
  readonly change?: Partial<CompressFilesOptions['settings']>;
}

/** Our compressor in this process, with the settings of a file and tokens of four characters. */
export async function runOurs({ config, change, ...options }: RunOursOptions): Promise<CompressionReport> {
  const settings = { ...readCompressionSettings(await readYamlFile(config)), ...change };
  return await compressFiles({
    ...{ settings, counter: createCharacterCounter() },
    summarizer: createModelSummarizer({ settings, apiKey: 'no-key' }),
    ...options,
  });
}
