import { placeCodeFiles, readYamlFile } from '@lachesis/sdk/config';
import { dirname } from 'node:path';
import { SettingError } from '../../../http/settings/setting-error.ts';

/** What a recipe says; nothing where there is none. */
export async function readRecipeFile(path: string | undefined): Promise<Record<string, unknown>> {
  if (path === undefined) return {};
  try {
    return placeCodeFiles(await readYamlFile(path), dirname(path)) as Record<string, unknown>;
  } catch (error) {
    throw new SettingError(
      `the recipe ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
