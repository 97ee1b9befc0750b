const room = 'packages/server/src/services/training/rl/distill/';

/** Seeded faults of distillation, each a piece of one file. */
export const FAULTS = {
  /** Each token is weighed by what the teacher says about the one behind it. */
  shifted: {
    file: `${room}open-distillation.ts`,
    from: 'if (answer !== undefined && isWhole) return answer;',
    to: 'if (answer !== undefined && isWhole) return answer.map((_, place) => answer[Math.min(place + 1, answer.length - 1)]);',
  },
  /** What the teacher finds unlikely becomes likelier. */
  'wrong-sign': {
    file: `${room}add-teacher-term.ts`,
    from: 'return advantage - coefficient * ageWeight * (distance - baseline);',
    to: 'return advantage + coefficient * ageWeight * (distance - baseline);',
  },
} as const;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** Which one a process has. */
export const FAULT_VARIABLE = 'LACHESIS_TEST_FAULT';
