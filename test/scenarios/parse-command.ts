import { parseArgs } from 'node:util';

/** The kinds of suite; each is a folder under `test/` and a script of the workspace. */
export const SCENARIO_KINDS = ['conformance', 'e2e', 'chaos', 'bench'] as const;
export type ScenarioKind = (typeof SCENARIO_KINDS)[number];

export interface ScenarioCommand {
  readonly kind: ScenarioKind;
  /** What was asked for; empty means every suite of the kind. */
  readonly wanted: readonly ScenarioPick[];
  readonly full: boolean;
  readonly list: boolean;
  readonly json: boolean;
}

/** A suite, or one scenario of it. */
export interface ScenarioPick {
  readonly suite: string;
  readonly scenario: string | undefined;
}

/** Reads `bench trajectory-api/steady --full`; throws a sentence for the user on anything it does not know. */
export function parseScenarioCommand(argv: readonly string[]): ScenarioCommand {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { full: { type: 'boolean' }, list: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  // `pnpm bench -- --full` passes the two dashes on.
  const [kindName, ...names] = positionals.filter((word) => word !== '--');
  const kind = SCENARIO_KINDS.find((known) => known === kindName);
  if (kind === undefined) throw new Error(`say which kind: ${SCENARIO_KINDS.join(', ')}; got ${kindName ?? 'nothing'}`);
  return {
    kind,
    wanted: names.map(parsePick),
    full: values.full === true,
    list: values.list === true,
    json: values.json === true,
  };
}

function parsePick(name: string): ScenarioPick {
  const slash = name.indexOf('/');
  return slash < 0
    ? { suite: name, scenario: undefined }
    : { suite: name.slice(0, slash), scenario: name.slice(slash + 1) || undefined };
}
