import { execFile } from 'node:child_process';
import { readdir, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { findPeerHome } from '../../peers/engine/peer-home.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { exportFor } from './export-for.ts';

const run = promisify(execFile);
const CHECK = fileURLToPath(new URL('check_axolotl.py', import.meta.url));

const AXOLOTL = 'axolotl==0.21.0';
/** What its schema imports that is light. */
const LIGHT = ['pydantic==2.13.5', 'pyyaml', 'packaging', 'addict', 'pillow'];

interface Verdict {
  readonly attention?: string;
  readonly merges?: boolean;
  readonly unknown?: readonly string[];
  readonly refused?: string;
}

/** The file that we write for Axolotl, by Axolotl's own schema, as `train` and as `merge-lora` read it. */
export async function checkAxolotl(context: ScenarioContext): Promise<void> {
  const bar = 'accepted, nothing unknown';
  const name = "Axolotl's own schema";
  const folder = await context.scratch();
  const venv = join(folder, 'venv');
  const pip = join(venv, 'bin', 'pip');
  try {
    await run(await findPython(), ['-m', 'venv', venv]);
    await run(pip, ['install', '-q', ...LIGHT]);
    await run(pip, ['install', '-q', '--no-deps', AXOLOTL]);
  } catch (error) {
    context.reportNotRun({
      name,
      why: `${AXOLOTL} cannot be installed: ${(error as Error).message.slice(0, 200)}`,
      bar,
    });
    return;
  }
  const file = join(await exportFor(context, 'axolotl'), 'axolotl.yaml');
  // The name that flash attention does not have any more.
  const wrong = join(folder, 'wrong.yaml');
  await writeFile(wrong, (await readFile(file, 'utf8')).replace('flash_attention_2', 'flash'));
  const { stdout } = await run(join(venv, 'bin', 'python'), [CHECK, file, wrong]);
  const [ours, seeded] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as Verdict[];
  context.report({
    name,
    figure:
      ours?.refused ??
      `accepted, ${ours?.attention}, merge-lora ${ours?.merges === true ? 'too' : 'not'}, unknown: ${ours?.unknown?.join(', ') || 'none'}`,
    bar,
    ok: ours?.attention === 'flash_attention_2' && ours.merges === true && ours.unknown?.length === 0,
  });
  context.report({
    name: 'seeded fault: a value that Axolotl refuses',
    figure: seeded?.refused === undefined ? 'not caught' : 'caught',
    bar: 'caught',
    ok: seeded?.refused !== undefined,
  });
}

/** Python 3.12, as the engine has it: Axolotl wants no older one. */
async function findPython(): Promise<string> {
  const engine = join(findPeerHome(), 'engine');
  const venv = (await readdir(engine)).find((each) => each.startsWith('venv-'));
  if (venv === undefined) throw new Error(`there is no venv in ${engine}: run .ci/setup`);
  return join(engine, venv, 'bin', 'python');
}
