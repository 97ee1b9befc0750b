import { createIdSource } from '@lachesis/protocol';
import { readYamlFile } from '@lachesis/sdk/config';
import {
  abortOnSignals,
  checkEnvironment,
  createHttpPolicy,
  resolveEnvironmentConfig,
} from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import {
  environmentArgument,
  environmentFlags,
  failWithEnvironmentError,
  loadDefinition,
  readEnvironmentArguments,
} from '../../flags/environment.ts';
import { placeRecipes } from './place-recipes.ts';

type CheckLine = Awaited<ReturnType<typeof checkEnvironment>>[number];

const SIGNS: Record<CheckLine['verdict'], string> = { ok: '✓', open: '·', wrong: '✗' };

export const envCheckCommand = defineCommand({
  meta: {
    name: 'check',
    description: 'Go through what an environment must be able to do; with --openai.base_url on a real model.',
  },
  args: { ...environmentArgument, ...environmentFlags },
  async run({ rawArgs }) {
    const { name, json, flags, config } = readEnvironmentArguments(await placeRecipes(rawArgs));
    const { signal } = abortOnSignals();
    try {
      const definition = await loadDefinition(name);
      const yaml = config === undefined ? undefined : await readYamlFile(config);
      const { values } = resolveEnvironmentConfig({ definition, flags, yaml, env: process.env });
      const servers = values.openai.filter(({ base_url: url }) => url !== '');
      const ids = createIdSource();
      const lines = await checkEnvironment({
        definition,
        flags,
        yaml,
        policy: servers.length === 0 ? undefined : createHttpPolicy({ servers }),
        nextId: () => ids.next(),
        now: () => performance.now(),
        signal,
        ...(json ? {} : { onLine: (line) => void process.stdout.write(printLine(line)) }),
      });
      if (json) process.stdout.write(`${JSON.stringify(lines)}\n`);
      if (lines.some(({ verdict }) => verdict === 'wrong')) process.exitCode = 1;
    } catch (error) {
      failWithEnvironmentError(error);
    }
  },
});

const printLine = ({ name, verdict, detail }: CheckLine): string => `${SIGNS[verdict]} ${name.padEnd(24)} ${detail}\n`;
