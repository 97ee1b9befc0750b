import { runLachesis } from './run-lachesis.ts';

export interface Lineage {
  readonly back: readonly { kind: string; id: string }[];
  readonly forward: readonly { kind: string; id: string }[];
}

/** `lachesis lineage <what> --json`. */
export async function readLineage(options: { home: string; engineUrl: string; what: string }): Promise<Lineage> {
  const { home, engineUrl, what } = options;
  const { stdout } = await runLachesis({ home, engineUrl, args: ['lineage', what, '--json'] });
  const { back, forward } = JSON.parse(stdout) as Record<'back' | 'forward', { nodes: { kind: string; id: string }[] }>;
  return { back: back.nodes, forward: forward.nodes };
}

export const idsOf = (nodes: Lineage['back'], kind: string): string[] =>
  nodes.filter((node) => node.kind === kind).map(({ id }) => id);
