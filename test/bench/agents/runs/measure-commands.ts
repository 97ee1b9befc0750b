import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { COMMANDS, DATA } from '../task/commands.ts';

const TIMES = 3;

/**
 * How long each command takes by itself: started by `sh -c` on this machine, one at a time, the shortest of three, so that nothing
 * is taken off a turn that is not the command's.
 */
export async function measureCommands(folder: string): Promise<readonly number[]> {
  const times: number[][] = COMMANDS.map(() => []);
  for (let round = 0; round < TIMES; round += 1) {
    await writeFile(path.join(folder, 'data.csv'), DATA);
    for (const [place, command] of COMMANDS.entries()) {
      const startedAt = performance.now();
      const { status } = spawnSync('/bin/sh', ['-c', command], { cwd: folder });
      if (status !== 0) throw new Error(`${command} ended with ${status}`);
      times[place]?.push(performance.now() - startedAt);
    }
  }
  return times.map((each) => Math.min(...each));
}
