import { readYamlFile } from '@lachesis/sdk/config';
import {
  abortOnSignals,
  EnvironmentError,
  printRewardsReport,
  readArguments,
  reverifyGroups,
  type EnvironmentArguments,
} from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import { existsSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { fail } from '../../terminal/fail.ts';
import {
  environmentArgument,
  environmentFlags,
  failWithEnvironmentError,
  loadDefinition,
} from '../../flags/environment.ts';
import { placeRecipes } from './place-recipes.ts';

export const envReverifyCommand = defineCommand({
  meta: {
    name: 'reverify',
    description:
      'Grade groups that `env process` wrote with the verifier of today, and show what changes. No model is asked.',
  },
  args: {
    ...environmentArgument,
    groups: { type: 'positional', required: false, description: 'the groups file, .jsonl' },
    out: { type: 'string', description: 'write the groups with the rewards of today to this new file' },
    ...environmentFlags,
  },
  async run({ rawArgs }) {
    const { out, rest } = takeOut(rawArgs);
    const { name, groups, json, flags, config } = readGroupsArguments(await placeRecipes(rest));
    const { signal } = abortOnSignals();
    let written: FileHandle | undefined;
    let input: FileHandle | undefined;
    try {
      const definition = await loadDefinition(name);
      input = await openFile(groups, 'r');
      // Beside the file stand the settings it was made with: another seed would make other tasks.
      const beside = `${groups}.config.yaml`;
      const settings = config ?? (existsSync(beside) ? beside : undefined);
      const yaml = settings === undefined ? undefined : await readYamlFile(settings);
      written = out === undefined ? undefined : await openFile(out, 'wx');
      const report = await reverifyGroups({
        definition,
        lines: input.readLines(),
        flags,
        yaml,
        signal,
        writeLine: async (line) => void (await written?.write(`${line}\n`)),
      });
      process.stdout.write(json ? `${JSON.stringify(report)}\n` : printRewardsReport(report));
      if (!json && out !== undefined) process.stdout.write(`${report.whole_groups} groups in ${out}\n`);
      if (report.regraded === 0 && report.failed > 0) process.exitCode = 1;
    } catch (error) {
      failWithEnvironmentError(error);
    } finally {
      await written?.close();
      await input?.close();
    }
  },
});

async function openFile(path: string, mode: 'r' | 'wx'): Promise<FileHandle> {
  try {
    return await open(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new EnvironmentError({
      kind: 'bad-path',
      reason: `${path} cannot be ${mode === 'r' ? 'read' : 'written'} (${code ?? 'unknown error'}).`,
      hint: code === 'EEXIST' ? 'Name a file that is not there yet.' : 'Look at the path.',
      cause: error,
    });
  }
}

function readGroupsArguments(rawArgs: readonly string[]): EnvironmentArguments & { name: string; groups: string } {
  try {
    const given = readArguments(rawArgs);
    const [name, groups, surplus] = given.positionals;
    if (name === undefined || groups === undefined)
      return fail('say which environment and which file: `lachesis env reverify gsm8k data/gsm8k.jsonl`.');
    if (surplus !== undefined) return fail(`${JSON.stringify(surplus)} is one argument too many.`);
    return { ...given, name, groups };
  } catch (error) {
    return failWithEnvironmentError(error);
  }
}

/** The other commands of environments have no `--out`, and refuse it. */
function takeOut(rawArgs: readonly string[]): { out: string | undefined; rest: string[] } {
  const rest = [...rawArgs];
  const at = rest.findIndex((argument) => argument === '--out' || argument.startsWith('--out='));
  if (at < 0) return { out: undefined, rest };
  const [flag = ''] = rest.splice(at, 1);
  const out = flag === '--out' ? rest.splice(at, 1)[0] : flag.slice('--out='.length);
  return out === undefined || out === '' ? fail('--out needs the name of a file.') : { out, rest };
}
