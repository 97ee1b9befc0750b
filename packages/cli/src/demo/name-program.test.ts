import { delimiter } from 'node:path';
import { expect, test } from 'vitest';
import { nameProgram } from './name-program.ts';

const name = (folders: string[], having: string[]): string =>
  nameProgram({
    path: folders.join(delimiter),
    script: '/packed/dist/main.js',
    exists: (file) => having.some((folder) => file === `${folder}/lachesis`),
  });

test('by its name where the shell finds it', () => {
  expect(name(['/p/node_modules/.bin', '/usr/bin'], ['/p/node_modules/.bin', '/usr/bin'])).toBe('lachesis');
});

test('by npx where it is installed in the project alone', () => {
  expect(name(['/p/node_modules/.bin', '/usr/bin'], ['/p/node_modules/.bin'])).toBe('npx lachesis');
});

test('by its file where it is nowhere', () => {
  expect(name(['/usr/bin', ''], [])).toBe('node /packed/dist/main.js');
});
