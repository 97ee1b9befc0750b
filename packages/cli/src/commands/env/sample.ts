import { createIdSource } from '@lachesis/protocol';
import { readYamlFile } from '@lachesis/sdk/config';
import { abortOnSignals, sampleRewards } from '@lachesis/sdk/environment';
import { defineCommand } from 'citty';
import { createInterface } from 'node:readline';
import {
  environmentArgument,
  failWithEnvironmentError,
  loadDefinition,
  readEnvironmentArguments,
} from '../../flags/environment.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { placeRecipes } from './place-recipes.ts';

type Replies = Awaited<ReturnType<Parameters<typeof sampleRewards>[0]['ask']>>;

const flags = {
  config: { type: 'string', description: 'YAML file with the section env' },
  tasks: { type: 'string', description: 'how many tasks of training (default: 16)' },
  replies: { type: 'string', description: 'replies to each (default: 4)' },
} as const;

const OWN = ['--tasks', '--replies'];

export const envSampleCommand = defineCommand({
  meta: {
    name: 'sample',
    description:
      'Roll out tasks with replies that whoever started it gives, as JSON lines: questions and rewards on standard output, replies on standard input.',
  },
  args: { ...environmentArgument, ...flags },
  async run({ args, rawArgs }) {
    const rest = rawArgs.filter(
      (argument, index) => !OWN.some((name) => argument.startsWith(name) || rawArgs[index - 1] === name),
    );
    const { name, flags: given, config } = readEnvironmentArguments(await placeRecipes(rest));
    const { signal } = abortOnSignals();
    const ids = createIdSource();
    const { ask, close } = createAsker();
    try {
      await sampleRewards({
        definition: await loadDefinition(name),
        ...{ flags: given, yaml: config === undefined ? undefined : await readYamlFile(config), signal, ask },
        ...{
          tasks: readWholeNumber('tasks', args.tasks) ?? 16,
          groupSize: readWholeNumber('replies', args.replies) ?? 4,
        },
        nextId: () => ids.next(),
        now: () => performance.now(),
        onTask: (rewards) => writeLine({ kind: 'task', rewards }),
      });
    } catch (error) {
      failWithEnvironmentError(error);
    } finally {
      close();
    }
  },
});

const writeLine = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

/** Questions have a number; replies come back under it, in any order. */
function createAsker(): { ask: Parameters<typeof sampleRewards>[0]['ask']; close(): void } {
  const waiting = new Map<number, { resolve: (replies: Replies) => void; reject: (error: Error) => void }>();
  let asked = 0;
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, replies, problem } = JSON.parse(line) as { id: number; replies?: Replies; problem?: string };
    const known = waiting.get(id);
    waiting.delete(id);
    if (replies === undefined) known?.reject(new Error(problem ?? 'there is no reply'));
    else known?.resolve(replies);
  });
  lines.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('nobody replies any more'));
  });
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        asked += 1;
        waiting.set(asked, { resolve, reject });
        writeLine({ kind: 'ask', id: asked, ...request });
      }),
    close: () => lines.close(),
  };
}
