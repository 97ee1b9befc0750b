import { expect, test } from 'vitest';
import { drawSvg } from './draw-svg.ts';
import { Terminal } from './terminal.ts';

const show = (...pieces: string[]): Terminal => {
  const terminal = new Terminal({ columns: 20 });
  for (const piece of pieces) terminal.write(piece);
  return terminal;
};

test('a frame drawn again stands in the place of the one before', () => {
  expect(show('one\r\ntwo\r\n', '\u001B[2A\u001B[0J', 'three\r\n').readText()).toBe('three');
  expect(show('step 1\r', '\u001B[2Kstep 2').readText()).toBe('step 2');
});

test('a sequence that comes in two pieces is one', () => {
  expect(show('\u001B[3', '2mgreen\u001B[39m').read()[0]?.[0]).toEqual({
    text: 'g',
    style: { colour: 2, isBold: false, isDim: false },
  });
});

test('what is wider than the screen goes on in the next row', () => {
  expect(show('x'.repeat(25)).readText()).toBe(`${'x'.repeat(20)}\n${'x'.repeat(5)}`);
});

test('sequences it does not know leave no letters behind', () => {
  expect(show('\u001B[?25l\u001B[?2004hhi\u001B[?25h').readText()).toBe('hi');
});

test('a picture holds the text, its colour and its column, and no markup of its own', () => {
  const terminal = show('a \u001B[31m<b>\u001B[0m');
  const svg = drawSvg({ title: 'lachesis "x"', rows: terminal.read(), columns: 20 });
  expect(svg).toContain('fill:#ff7b72">&lt;b&gt;</text>');
  expect(svg).toContain('aria-label="lachesis &quot;x&quot;"');
});
