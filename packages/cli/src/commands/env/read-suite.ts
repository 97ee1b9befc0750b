import { isRecord } from '@lachesis/protocol';
import { readYamlFile } from '@lachesis/sdk/config';
import path from 'node:path';
import { refuse } from '../../terminal/fail.ts';

/** One environment of a suite, and the settings file that is its own. */
export interface SuiteEntry {
  readonly name: string;
  readonly config: string | undefined;
}

/** Names and files of environments as they are; a YAML file stands for the list `environments` in it. */
export async function readSuite(names: readonly string[]): Promise<SuiteEntry[]> {
  const entries: SuiteEntry[] = [];
  for (const name of names) {
    if (/\.ya?ml$/.test(name)) entries.push(...(await readSuiteFile(name)));
    else entries.push({ name, config: undefined });
  }
  return entries;
}

async function readSuiteFile(file: string): Promise<SuiteEntry[]> {
  const read = await readYamlFile(file, { option: '`env evaluate`' }).catch((error: unknown) =>
    refuse(error instanceof Error ? error.message : String(error)),
  );
  const listed = isRecord(read) ? read['environments'] : undefined;
  if (!Array.isArray(listed) || listed.length === 0) return refuse(`${file} has no list \`environments\`.`);
  // Paths in the file are meant from where it stands.
  const locate = (place: string): string => path.resolve(path.dirname(file), place);
  return listed.map((each: unknown): SuiteEntry => {
    const { name, config } = isRecord(each) ? each : { name: each };
    if (typeof name !== 'string' || (config !== undefined && typeof config !== 'string'))
      return refuse(`${file}: each of \`environments\` is a name, or has name and config, a YAML file of settings.`);
    return {
      name: name.startsWith('.') ? locate(name) : name,
      config: config === undefined ? undefined : locate(config),
    };
  });
}
