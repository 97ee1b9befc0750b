import { parseArgs } from 'node:util';

/** The kinds of suite; each is a folder under `test/` and a script of the workspace. */
export const SHOW_KINDS = ['conformance', 'e2e', 'chaos', 'bench'] as const;
export type ShowKind = (typeof SHOW_KINDS)[number];

export interface ShowCommand {
  readonly kind: ShowKind;
  /** What was asked for; empty means every suite of the kind. */
  readonly wanted: readonly ShowPick[];
  readonly full: boolean;
  readonly list: boolean;
  readonly json: boolean;
}

/** A suite, or one show of it. */
export interface ShowPick {
  readonly suite: string;
  readonly show: string | undefined;
}

/** Reads `bench trajectory-api/steady --full`; throws a sentence for the user on anything it does not know. */
export function parseShowCommand(argv: readonly string[]): ShowCommand {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { full: { type: 'boolean' }, list: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  // `pnpm bench -- --full` passes the two dashes on.
  const [kindName, ...names] = positionals.filter((word) => word !== '--');
  const kind = SHOW_KINDS.find((known) => known === kindName);
  if (kind === undefined) throw new Error(`say which kind: ${SHOW_KINDS.join(', ')}; got ${kindName ?? 'nothing'}`);
  return {
    kind,
    wanted: names.map(parsePick),
    full: values.full === true,
    list: values.list === true,
    json: values.json === true,
  };
}

function parsePick(name: string): ShowPick {
  const slash = name.indexOf('/');
  return slash < 0
    ? { suite: name, show: undefined }
    : { suite: name.slice(0, slash), show: name.slice(slash + 1) || undefined };
}
