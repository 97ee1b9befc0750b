/** What every command about models names it by. */
export const modelArgument = {
  model: {
    type: 'positional',
    required: true,
    description: 'name (its newest version), name@version, an id, run:step or a tinker:// path',
  },
} as const;

export const nameOf = ({ name, version }: { name: string; version: number }): string => `${name}@${version}`;
