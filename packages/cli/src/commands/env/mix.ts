import { isRecord } from '@lachesis/protocol';
import { readYamlFile } from '@lachesis/sdk/config';
import { abortOnSignals } from '@lachesis/sdk/environment';
import { findOwnProgram, mixEnvironments } from '@lachesis/server';
import { defineCommand } from 'citty';
import { exitWithParent } from '../../terminal/exit-with-parent.ts';
import { refuse } from '../../terminal/fail.ts';

export const envMixCommand = defineCommand({
  meta: {
    name: 'mix',
    description:
      'Roll out several environments for one run, each in a process of its own; a run with `environments:` starts it.',
  },
  args: {
    file: {
      type: 'positional',
      required: false,
      description: 'YAML: environments, a list of name and config (the file that `env serve` takes)',
    },
  },
  async run({ rawArgs }) {
    const [file, ...settings] = rawArgs;
    if (file === undefined || file.startsWith('-')) {
      return refuse('say which file: YAML with `environments`, a list of name and config.');
    }
    const environments = await readMix(file);
    const abort = abortOnSignals();
    exitWithParent({ end: () => abort.abort(new Error('who started it is gone')) });
    process.exitCode = await mixEnvironments({
      environments: environments.map(({ name, config }) => ({
        name,
        arguments: ['env', 'serve', name, '--config', config, ...settings],
      })),
      program: findOwnProgram() ?? refuse('this program does not know its own path.'),
      env: process.env,
      signal: abort.signal,
      onLine: (line) => void process.stdout.write(`${line}\n`),
    });
  },
});

/** As a run writes it: which environments, and the YAML of each. */
async function readMix(file: string): Promise<{ name: string; config: string }[]> {
  const read = await readYamlFile(file).catch((error: unknown) =>
    refuse(error instanceof Error ? error.message : String(error)),
  );
  const listed = isRecord(read) ? read['environments'] : undefined;
  if (!Array.isArray(listed) || listed.length === 0) return refuse(`${file} has no list \`environments\`.`);
  return listed.map((each: unknown) => {
    const { name, config } = isRecord(each) ? each : {};
    if (typeof name === 'string' && typeof config === 'string') return { name, config };
    return refuse(`${file}: each of \`environments\` needs name and config, the file that \`env serve\` takes.`);
  });
}
