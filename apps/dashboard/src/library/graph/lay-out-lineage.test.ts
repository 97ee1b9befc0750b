import type { Lineage } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { layOutLineage } from './lay-out-lineage.ts';

const trajectories = Array.from({ length: 20 }, (_, index) => ({ kind: 'trajectory' as const, id: `t${index}` }));
const set = { kind: 'dataset' as const, id: 'd' };
const model = { kind: 'model' as const, id: 'm' };

const lineage: Lineage = {
  from: set,
  back: {
    nodes: trajectories.map((node) => ({ ...node, distance: 1 })),
    arrows: trajectories.map((node) => ({ from: node, to: set, relation: 'row-of' })),
    is_cut: false,
  },
  forward: {
    nodes: [{ ...model, distance: 1 }],
    arrows: [{ from: set, to: model, relation: 'trained-into' }],
    is_cut: false,
  },
  names: { d: 'chats@1', m: 'support@2' },
};

test('stands a thing between what it was made from and what was made of it, by name', () => {
  const { boxes, middle, columns } = layOutLineage(lineage);
  expect([middle, columns]).toEqual([1, 3]);
  expect(boxes.find(({ id }) => id === 'd')).toMatchObject({ column: 1, label: 'chats@1' });
  expect(boxes.find(({ id }) => id === 'm')).toMatchObject({ column: 2, row: 0, label: 'support@2' });
});

test('draws many of a kind as one box, whose arrows are one, until all are asked for', () => {
  const few = layOutLineage(lineage);
  expect(few.boxes.filter(({ column }) => column === 0)).toHaveLength(6);
  expect(few.boxes.find(({ id }) => id === undefined)).toMatchObject({ label: '15 more', kind: 'trajectory' });
  expect(few.edges).toHaveLength(7);
  const all = layOutLineage(lineage, new Set(['trajectory']));
  expect(all.boxes.filter(({ column }) => column === 0)).toHaveLength(20);
  expect([all.edges.length, all.rows]).toEqual([21, 20]);
});

test('a thing that nothing is tied to is one box', () => {
  const none = { nodes: [], arrows: [], is_cut: false };
  const { boxes, edges } = layOutLineage({ from: set, back: none, forward: none, names: {} });
  expect([boxes.length, edges.length]).toEqual([1, 0]);
});
