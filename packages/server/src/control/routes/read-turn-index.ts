import { LachesisError } from '@lachesis/protocol';

/** The number of a turn, as an address has it. */
export function readTurnIndex(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new LachesisError({
    code: 'invalid',
    message: `${JSON.stringify(text.slice(0, 100))} is not the number of a turn`,
    hint: 'The first is 0; GET /v1/trajectories/{id} has all of them.',
  });
}
