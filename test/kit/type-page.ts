import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openTerminal, type Terminal, type TypedCommand } from './open-terminal.ts';
import { readPage } from './read-page.ts';
import { splitCommands } from './split-commands.ts';

export interface TypePageOptions {
  /** Its text. */
  readonly page: string;
  /** Where it is followed. */
  readonly folder: string;
  /** All that its programs see. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: (text: string) => void;
  /** What is typed in the place of a command that needs an account or a GPU; without it such commands are only listed. */
  readonly standIn?: (command: string) => string;
}

export interface TypedPage {
  /** Every command that was typed, in order, those that go on too. */
  readonly commands: readonly TypedCommand[];
  readonly failed: readonly TypedCommand[];
  readonly files: number;
  /** Blocks that were only read. */
  readonly read: number;
  /** What needs an account or a GPU, as the page has it. */
  readonly needing: readonly string[];
}

/** A command that takes longer has hung; the longest trains, on a machine that others use too. */
const LONGEST_MS = 300_000;
/** How a program that was told to end by Ctrl-C may end. */
const ENDED = new Set([0, 130]);

/**
 * Follows a page to the letter: writes its files, types its commands into a shell, and into a second one where the page says
 * so. A new window reads ~/.bashrc as windows do. The first command that fails ends it, as a reader would give up.
 */
export async function typePage({ page, folder, env, log, standIn }: TypePageOptions): Promise<TypedPage> {
  const terminals = new Map<string, Terminal>();
  const commands: TypedCommand[] = [];
  const failed: TypedCommand[] = [];
  const needing: string[] = [];
  let [files, read] = [0, 0];
  const note = (typed: TypedCommand, isFine: boolean): void => {
    commands.push(typed);
    if (!isFine) failed.push(typed);
    log(`  → ${typed.code ?? 'no end'} after ${typed.seconds.toFixed(1)} s`);
  };
  const find = async (name: string): Promise<Terminal> => {
    const known = terminals.get(name);
    if (known !== undefined) return known;
    const opened = openTerminal({ folder, env, onOutput: (text) => log(text.trimEnd()) });
    terminals.set(name, opened);
    await opened.type('[ ! -e ~/.bashrc ] || . ~/.bashrc', LONGEST_MS);
    return opened;
  };
  try {
    for (const block of readPage(page)) {
      if (failed.length > 0) break;
      if (block.kind === 'read') read += 1;
      if (block.kind === 'file') {
        await writeFile(join(folder, block.name), block.text);
        files += 1;
      }
      if (block.kind !== 'typed') continue;
      const listed = splitCommands(block.text);
      if (block.needs !== undefined) needing.push(...listed);
      if (block.needs !== undefined && standIn === undefined) continue;
      const terminal = await find(block.terminal ?? '');
      for (const command of block.needs === undefined ? listed : listed.map((each) => standIn?.(each) ?? each)) {
        log(`$ ${command}`);
        if (block.terminal === undefined) {
          const typed = await terminal.type(command, LONGEST_MS);
          note(typed, typed.code === 0);
        } else {
          const last = await terminal.interrupt();
          if (last !== undefined) note(last, ENDED.has(last.code ?? -1));
          const end = await terminal.begin(command, LONGEST_MS);
          if (end !== undefined) note(end, false);
        }
        if (failed.length > 0) break;
      }
    }
    for (const terminal of terminals.values()) {
      const last = await terminal.interrupt();
      if (last !== undefined) note(last, ENDED.has(last.code ?? -1));
    }
  } finally {
    await Promise.all([...terminals.values()].map((terminal) => terminal.close()));
  }
  return { commands, failed, files, read, needing };
}
