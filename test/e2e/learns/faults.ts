/** Seeded faults of a trainer: each replaces one piece of what turns a group into what the engine learns from. */
export const FAULTS = {
  /** It never sees the prompt: each token of it is another one. */
  'prompt-blind': {
    from: 'inputs[position] = tokens.values[at - 1]!;',
    to: 'inputs[position] = isTrained(sequence, position) ? tokens.values[at - 1] : 5;',
  },
  /** Which reply earned which reward is drawn. */
  'shuffled-rewards': {
    from: 'const versions = readVersions(payload);',
    to: 'const versions = readVersions(payload); for (let last = perSequence.length - 1; last > 0; last -= 1) { const other = Math.floor(Math.random() * (last + 1)); [perSequence[last], perSequence[other]] = [perSequence[other], perSequence[last]]; }',
  },
  /** What earned more becomes rarer. */
  'wrong-sign': {
    from: 'const advantage = perSequence[sequence]!;',
    to: 'const advantage = -perSequence[sequence];',
  },
} as const;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** Where the faults are. */
export const FAULTY_FILE = 'packages/server/src/services/training/rl/datums/convert-group.ts';
/** Which one a process has. */
export const FAULT_VARIABLE = 'LACHESIS_TEST_FAULT';
