import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import type { FreshMachine, Place } from '../first-run/fresh-machine.ts';

const run = promisify(execFile);

const PROGRAM = `import OpenAI from 'openai';
import { recordOpenAI } from '@lachesis/sdk/capture';
const client = recordOpenAI(new OpenAI());
const { choices } = await client.chat.completions.create({ model: 'scripted', messages: [{ role: 'user', content: '20 and 22' }] });
console.log(process.version, choices[0].message.content);
`;

/** The wrapper in an application that runs on Node 20: the call is answered, and recorded for a server on Node 24. */
export async function captureOnNode20(context: ScenarioContext, machine: FreshMachine, place: Place): Promise<void> {
  const bar = 'answered and in the library';
  const node = await findNode20();
  if (node === undefined) {
    context.reportNotRun({ name: 'capture on Node 20', why: 'there is no Node 20 on this machine', bar });
    return;
  }
  const model = await startScriptedModel(() => ({ say: '42' }));
  context.defer(() => model.close());
  const env = { ...place.env, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none' };
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', machine.packages, 'openai'], { env });
  await writeFile(join(machine.packages, 'app.mjs'), PROGRAM);
  const { stdout } = await run(node, ['app.mjs'], { cwd: machine.packages, env });
  const lachesis = join(machine.packages, 'node_modules', '.bin', 'lachesis');
  const { stdout: list } = await run(lachesis, ['trajectories', 'list', '--json'], { env });
  const { trajectories } = JSON.parse(list) as { trajectories: unknown[] };
  context.report({
    name: 'capture on Node 20',
    figure: `${stdout.trim()}, ${trajectories.length} recorded`,
    bar,
    ok: /^v20\..* 42$/.test(stdout.trim()) && trajectories.length === 1,
  });
}

/** The system's, or one that a version manager has. */
async function findNode20(): Promise<string | undefined> {
  const managed = await Promise.all(
    ['.nvm/versions/node', '.local/share/fnm/node-versions'].map(async (folder) => {
      const names = await readdir(join(homedir(), folder)).catch((): string[] => []);
      return names.filter((name) => name.startsWith('v20.')).map((name) => join(homedir(), folder, name, 'bin/node'));
    }),
  );
  for (const node of ['/usr/bin/node', '/usr/local/bin/node', ...managed.flat()]) {
    const version = await run(node, ['--version']).catch(() => undefined);
    if (version?.stdout.startsWith('v20.') === true) return node;
  }
  return undefined;
}
