import { spawnSync } from 'node:child_process';

/** The commands of a text, in order. A shell says where one ends: lines are joined until it can read them. */
export function splitCommands(text: string): string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of text.trimEnd().split('\n')) {
    if (open === '' && /^\s*(#|$)/.test(line)) continue;
    open = open === '' ? line : `${open}\n${line}`;
    if (!isWhole(open)) continue;
    commands.push(open);
    open = '';
  }
  return open === '' ? commands : [...commands, open];
}

function isWhole(command: string): boolean {
  if (command.endsWith('\\')) return false;
  return spawnSync('bash', ['-n'], { input: `${command}\n`, stdio: ['pipe', 'ignore', 'ignore'] }).status === 0;
}
