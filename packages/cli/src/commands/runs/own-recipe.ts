import { isRecord, trainingConfigSchema } from '@lachesis/protocol';
import { ConfigError, placeCodeFiles, readYamlFile, writeConfigYaml } from '@lachesis/sdk/config';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fail } from '../../terminal/fail.ts';

/** A recipe with the settings that were typed, as a file; undefined when neither a recipe nor a setting was given. */
export async function writeOwnRecipe(options: {
  path: string | undefined;
  config: Readonly<Record<string, unknown>>;
}): Promise<string | undefined> {
  const { path, config } = options;
  if (Object.keys(config).length === 0) return path;
  const file =
    path === undefined
      ? {}
      : await readYamlFile(path).catch((error: unknown) => {
          if (ConfigError.isInstance(error)) return fail(error.message);
          throw error;
        });
  const sections: Record<string, unknown> = isRecord(file) ? placeCodeFiles({ ...file }, dirname(path ?? '.')) : {};
  for (const [name, value] of Object.entries(config)) {
    const [section, key] = place(name);
    const before = sections[section];
    sections[section] = { ...(isRecord(before) ? before : {}), [key]: value };
  }
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-recipe-'));
  const written = join(folder, path === undefined ? 'default.yaml' : basename(path));
  // It is written elsewhere; what was typed is called from here.
  await writeFile(
    written,
    writeConfigYaml({ values: placeCodeFiles(sections, process.cwd()), origins: {}, secrets: new Set() }),
    { mode: 0o600 },
  );
  return written;
}

/** `tinker.seed` as it stands; `learning_rate` by whose it is: what the trainer does not know is the environment's. */
function place(name: string): [section: string, key: string] {
  const dot = name.indexOf('.');
  if (dot > 0) return [name.slice(0, dot), name.slice(dot + 1)];
  return [name in trainingConfigSchema.shape.tinker.shape ? 'tinker' : 'env', name];
}
