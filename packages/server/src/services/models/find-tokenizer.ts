import { loadTokenizer, type HubProgress, type Tokenizer } from '@lachesis/sdk/render';
import { SettingError } from '../../http/settings/setting-error.ts';

/** The tokenizer of a folder, or of a model by its name. */
export async function findTokenizer(place: string, onProgress?: (progress: HubProgress) => void): Promise<Tokenizer> {
  try {
    return await loadTokenizer({ model: place, ...(onProgress === undefined ? {} : { onProgress }) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingError(`the tokenizer ${place} cannot be loaded: ${reason} Name its folder with --tokenizer.`);
  }
}
