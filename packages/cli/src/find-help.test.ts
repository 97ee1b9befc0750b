import { expect, it } from 'vitest';
import { COMMAND_GROUPS } from './command-groups.ts';
import { COMMANDS } from './command-table.ts';
import { findHelp, readHelpWord } from './find-help.ts';

const help = (...words: string[]) => findHelp({ words, isColoured: false });

it('lists every command with what it is for', () => {
  const { text, refusal } = help('--help') ?? { text: '', refusal: '' };
  expect(refusal).toBeUndefined();
  expect(text).toMatch(/^lachesis 0\.1\.0: /);
  expect(text).toMatch(/^ {2}runs {10}Training runs/m);
});

it('lists the commands of a group, however deep it is and wherever help is asked for', () => {
  expect(help('runs', '--help')?.text).toMatch(/^ {2}watch {2}/m);
  expect(help('data', 'sets', '-h')?.text).toContain('lachesis data sets <command>');
  expect(help('--help', 'runs')?.text).toContain('lachesis <command>');
});

it('leaves a command to answer for itself', () => {
  expect(help('train')).toBeUndefined();
  expect(help('train', '--help')).toBeUndefined();
  expect(help('runs', 'list', '--json')).toBeUndefined();
  expect(help('agent', 'runs --help')).toBeUndefined();
});

it('refuses words that are no command, and names the nearest', () => {
  expect(help('rnus', 'list')?.refusal).toContain('Did you mean lachesis runs?');
  expect(help('runs', 'lits')?.refusal).toContain('Did you mean lachesis runs list?');
  // Names that every object has are no commands.
  expect(help('constructor')?.refusal).toContain('there is no command');
  expect(help('--jsn')?.refusal).toContain('--jsn');
});

it('shows the help and refuses when no command was given', () => {
  expect(help()?.text).toContain('runs');
  expect(help()?.refusal).toContain('say which command');
  expect(help('runs')?.refusal).toContain('lachesis runs <command>');
});

it('says the version', () => {
  expect(help('--version')).toEqual({ text: '0.1.0\n', refusal: undefined });
});

it('colours for a terminal only', () => {
  expect(findHelp({ words: ['--help'], isColoured: true })?.text).toContain('\u001B[36mruns');
  expect(help('--help')?.text).not.toContain('\u001B');
});

it('groups commands by what somebody wants, and forgets none', () => {
  expect(Object.values(COMMAND_GROUPS).flat().toSorted()).toEqual(Object.keys(COMMANDS.commands ?? {}).toSorted());
  const { text = '' } = help('--help') ?? {};
  expect([...text.matchAll(/^[A-Z]\w+$/gm)].map(([title]) => title)).toEqual(Object.keys(COMMAND_GROUPS));
});

it('turns the words behind help round', () => {
  expect(readHelpWord(['help', 'train', 'sft'])).toEqual(['train', 'sft', '--help']);
  expect(readHelpWord(['help', '--help'])).toEqual(['--help']);
  expect(readHelpWord(['train', 'help'])).toEqual(['train', 'help']);
});

it('knows words of other tools, and guesses nothing where no name is near', () => {
  expect(help('finetune')?.refusal).toContain('Did you mean lachesis train sft?');
  expect(help('kubernetes')?.refusal).toContain('`lachesis --help` lists what there is');
});

it('breaks lines between words at the width', () => {
  for (const columns of [60, 80, 120]) {
    const { text = '' } = findHelp({ words: ['--help'], isColoured: false, columns }) ?? {};
    expect(text.split('\n').filter((line) => line.length > columns)).toEqual([]);
  }
});
