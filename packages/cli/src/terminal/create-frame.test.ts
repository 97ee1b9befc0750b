import { expect, it } from 'vitest';
import { createFrame } from './create-frame.ts';

function open(rows = 10) {
  const written: string[] = [];
  return { written, frame: createFrame({ write: (text) => written.push(text), rows: () => rows }) };
}

it('draws over what it drew, and takes away what is left of it', () => {
  const { written, frame } = open();
  frame.render(['a', 'b']);
  frame.render(['c']);
  expect(written).toEqual(['\u001B[?25la\u001B[K\nb\u001B[K\n\u001B[J', '\u001B[2Ac\u001B[K\n\u001B[J']);
});

it('gives the cursor back once, and only when it took it', () => {
  const { written, frame } = open();
  frame.settle();
  expect(written).toEqual([]);
  frame.render(['a']);
  frame.settle();
  frame.settle();
  expect(written.filter((text) => text.includes('\u001B[?25h'))).toHaveLength(1);
});

it('draws no more lines than there are on the screen', () => {
  const { written, frame } = open(3);
  frame.render(['a', 'b', 'c', 'd']);
  frame.render(['a', 'b', 'c', 'd']);
  expect(written[1]?.startsWith('\u001B[2A')).toBe(true);
});

it('begins at the top after the terminal has another size', () => {
  const { written, frame } = open();
  frame.render(['a']);
  frame.clear();
  frame.render(['a']);
  expect(written[2]).toMatch(/^a/);
});
