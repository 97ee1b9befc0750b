import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { ScenarioContext } from '../../scenarios/scenario.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

const CALL = { id: 'call_1', type: 'function', function: { name: 'find_order', arguments: '{"number":17}' } };
const ROWS = [
  [
    { role: 'user', content: 'Where is my order?' },
    { role: 'assistant', content: 'It arrives tomorrow.' },
  ],
  [
    { role: 'user', content: 'And order 17?' },
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: '{"state":"left on Monday"}' },
    { role: 'assistant', content: 'It left on Monday.' },
  ],
];

/** The folder that we write for another trainer, of two conversations, one with a tool. */
export async function exportFor(context: ScenarioContext, trainer: 'axolotl' | 'trl-handoff'): Promise<string> {
  const scratch = await context.scratch();
  const rows = join(scratch, 'rows.jsonl');
  await writeFile(rows, ROWS.map((messages) => `${JSON.stringify({ messages })}\n`).join(''));
  const type = async (...words: string[]): Promise<unknown> =>
    run(process.execPath, ['--conditions=lachesis-source', '--no-warnings', MAIN, ...words], {
      env: { ...process.env, LACHESIS_HOME: join(scratch, 'home') },
    });
  await type('data', 'import', rows, '--name', 'support', '--consent', 'train');
  const folder = join(scratch, `support-${trainer}`);
  await type('data', 'export', trainer, '--dataset', 'support', '-o', folder);
  return folder;
}
