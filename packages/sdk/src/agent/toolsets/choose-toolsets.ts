import { type DrawToolsetsOptions, drawToolsets } from './draw-toolsets.ts';
import { ToolsetError } from './toolset-error.ts';

export interface ChooseToolsetsOptions<T extends { readonly name: string }> {
  /** What can be offered: the tools of each toolset by its name. */
  readonly toolsets: Readonly<Record<string, readonly T[]>>;
  /** The toolsets to offer; null or absent: all of them. Does not count where a distribution is given. */
  readonly enabled?: readonly string[] | null | undefined;
  /** The toolsets not to offer, whatever else says so. */
  readonly disabled?: readonly string[] | null | undefined;
  /** Draws the toolsets in the place of `enabled`. */
  readonly draw?: Omit<DrawToolsetsOptions, 'available'> | undefined;
}

export interface ChosenToolsets<T> {
  readonly toolsets: readonly string[];
  /** Each tool once, also when two toolsets hold it. */
  readonly tools: readonly T[];
}

/**
 * The tools of one group, chosen once for all its rollouts. Nothing is kept between two calls, so groups that run at once
 * cannot take each other's.
 */
export function chooseToolsets<T extends { readonly name: string }>(
  options: ChooseToolsetsOptions<T>,
): ChosenToolsets<T> {
  const { toolsets, draw } = options;
  const known = Object.keys(toolsets);
  const disabled = options.disabled ?? [];
  const enabled = options.enabled ?? known;
  for (const name of [...enabled, ...disabled]) requireKnown(name, known);
  const available = known.filter((name) => !disabled.includes(name));
  const chosen =
    draw === undefined ? enabled.filter((name) => available.includes(name)) : drawToolsets({ ...draw, available });
  const tools = new Map(chosen.flatMap((name) => toolsets[name] ?? []).map((tool) => [tool.name, tool]));
  return Object.freeze({ toolsets: Object.freeze([...new Set(chosen)]), tools: Object.freeze([...tools.values()]) });
}

function requireKnown(name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new ToolsetError({
    kind: 'unknown-toolset',
    subject: name,
    reason: `There is no toolset ${JSON.stringify(name)} here.`,
    known,
  });
}
