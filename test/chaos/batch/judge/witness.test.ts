import { expect, it } from 'vitest';

import { createWitness } from './witness.ts';

const call = (life: string, index: number, turn: number) => ({ life, index, turn });

it('excuses a call that was not answered at the kill, and one whose reply was not written', () => {
  const witness = createWitness({ concurrency: 8 });
  witness.asked(call('a', 0, 0));
  witness.asked(call('a', 1, 0))();
  expect(witness.killed('a')).toEqual([0, 1]);
  witness.found('a', new Map([[1, 0]]));
  for (const index of [0, 1]) witness.asked(call('b', index, 0))();
  expect(witness.read()).toMatchObject({ calls: 4, repeats: 2, inFlight: 2, unwritten: 1, paidTwice: [], crowded: [] });
});

it('finds a reply that was written and is asked for again', () => {
  const witness = createWitness({ concurrency: 8 });
  witness.asked(call('a', 0, 0))();
  witness.killed('a');
  witness.found('a', new Map([[0, 1]]));
  witness.asked(call('b', 0, 0));
  expect(witness.read()).toMatchObject({ inFlight: 0, paidTwice: ['0/0'] });
});

it('finds a reply that the next one was built on and that is asked for again', () => {
  const witness = createWitness({ concurrency: 8 });
  for (const turn of [0, 1]) witness.asked(call('a', 0, turn))();
  witness.killed('a');
  witness.found('a', new Map([[0, 0]]));
  for (const turn of [0, 1]) witness.asked(call('b', 0, turn))();
  expect(witness.read()).toMatchObject({ inFlight: 1, paidTwice: ['0/0'] });
});

it('finds a repeat without a kill, and a second one that one kill cannot excuse', () => {
  const witness = createWitness({ concurrency: 8 });
  for (const life of ['a', 'b']) witness.asked(call(life, 0, 0))();
  witness.asked(call('c', 1, 0));
  witness.killed('c');
  for (const life of ['d', 'e']) witness.asked(call(life, 1, 0))();
  expect(witness.read().paidTwice).toEqual(['0/0', '1/0']);
});

it('counts a call that is read after the blow as in flight, and an answer after it as none', () => {
  const witness = createWitness({ concurrency: 8 });
  const answered = witness.asked(call('a', 0, 0));
  witness.killed('a');
  answered();
  witness.found('a', new Map());
  witness.asked(call('a', 1, 0));
  for (const index of [0, 1]) witness.asked(call('b', index, 0))();
  expect(witness.read()).toMatchObject({ repeats: 2, inFlight: 2, unwritten: 0, paidTwice: [] });
});

it('names a life that had more unwritten than it works on at once', () => {
  const witness = createWitness({ concurrency: 2 });
  for (const index of [0, 1, 2]) witness.asked(call('a', index, 0))();
  witness.killed('a');
  witness.found('a', new Map());
  expect(witness.read().crowded).toEqual(['a: 3']);
});
