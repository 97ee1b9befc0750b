import type { datasetMakeSchema } from '@lachesis/protocol';
import type { Search } from '../shell/search.ts';

type Making = Omit<ReturnType<typeof datasetMakeSchema.parse>, 'filter'>;

/** How a set is made, as the address holds it and the route takes it; in the order of the command. */
export function readMaking(words: Search): Making {
  const { dedupe, split, weights } = words;
  return {
    kind: words['kind'] === 'preference' ? 'preference' : 'conversation',
    is_held_out: words['held'] === 'true',
    held_out: words['leave'] === 'true' ? 'leave-out' : 'refuse',
    transforms: [
      ...(words['complete'] === 'true' ? [{ kind: 'complete' }] : []),
      ...(dedupe === undefined || dedupe === '' ? [] : [{ kind: 'dedupe', by: dedupe }]),
      ...(split === undefined || split === '' ? [] : [{ kind: 'split', seed: '0', shares: readShares(split) }]),
      ...(weights === undefined || weights === '' ? [] : [{ kind: 'weights', by: weights }]),
    ],
  };
}

/** The same as flags of `lachesis data sets make`. */
export function writeMakingFlags(words: Search): string {
  const flags = [
    words['kind'] === 'preference' ? '--pairs' : '',
    words['complete'] === 'true' ? '--complete' : '',
    ...['dedupe', 'split', 'weights'].map((name) => (words[name] ? `--${name} ${words[name]}` : '')),
    words['held'] === 'true' ? '--held-out' : '',
    words['leave'] === 'true' ? '--leave-out-held-out' : '',
  ];
  return flags
    .filter((flag) => flag !== '')
    .map((flag) => ` ${flag}`)
    .join('');
}

const readShares = (text: string): Record<string, number> =>
  Object.fromEntries(
    text.split(',').map((part) => {
      const [name = '', share = ''] = part.split('=');
      return [name.trim(), Number(share)];
    }),
  );
