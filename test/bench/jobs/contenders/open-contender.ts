import type { Contender } from './contender.ts';

export const CONTENDERS = ['ours', 'pg-boss', 'dbos', 'our chains', 'chains of dbos'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

export interface OpenContenderOptions {
  readonly name: ContenderName;
  readonly url: string;
  readonly folder: string;
}

/** Each loads what it needs and nothing of the others. */
export async function openContender(options: OpenContenderOptions): Promise<Contender> {
  switch (options.name) {
    case 'ours':
      return (await import('./ours.ts')).openOurs(options);
    case 'our chains':
      return (await import('./our-chains.ts')).openOurChains(options);
    case 'pg-boss':
      return (await import('./pg-boss.ts')).openPgBoss(options);
    case 'dbos':
      return (await import('./dbos.ts')).openDbos(options);
    case 'chains of dbos': {
      const contender = await (await import('./dbos.ts')).openDbos(options);
      return { ...contender, fill: (count) => contender.fillChains(count) };
    }
  }
}
