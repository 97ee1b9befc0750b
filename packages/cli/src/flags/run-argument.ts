/** A run as somebody may call it. */
export const runArgument = {
  run: { type: 'positional', required: true, description: 'id of the run, or the beginning of one' },
} as const;

export const optionalRunArgument = {
  run: {
    type: 'positional',
    required: false,
    description: 'id of the run, or the beginning of one (default: the newest run)',
  },
} as const;
