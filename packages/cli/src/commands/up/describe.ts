import { toLocal } from '../../flags/page-address.ts';
import { createPaint, wantsColour, type Paint } from '../../terminal/paint.ts';
import { writeBaseUrl } from '../serve/base-url.ts';

/** Where everything is, once it answers. */
export interface UpFacts {
  readonly gatewayUrl: string;
  /** Stands in the address of the gateway; undefined when nobody is asked for a token. */
  readonly gatewayKey: string | undefined;
  readonly controlUrl: string;
  /** What opens the page, once. */
  readonly pageUrl: string;
  /** The engine of this machine, when one is used. */
  readonly engineUrl: string | undefined;
  /** Whose replies are recorded. */
  readonly backend: string;
  readonly home: string;
  /** Where commands find their token; undefined when they do not. */
  readonly tokenFile: string | undefined;
  /** Whether the model was asked and gave no answer. */
  readonly isSilent?: boolean;
  /** Name of the recipe of the runs; undefined for the default. */
  readonly recipe: string | undefined;
}

/** For machines: one line. */
export function describeUpAsJson(facts: UpFacts & { pid: number }): string {
  const { gatewayUrl, gatewayKey, controlUrl, engineUrl, backend, recipe, tokenFile, pageUrl, pid } = facts;
  return `${JSON.stringify({
    base_url: writeBaseUrl(gatewayUrl, gatewayKey),
    gateway_url: gatewayUrl,
    library_url: controlUrl,
    control_url: controlUrl,
    page_url: pageUrl,
    engine_url: engineUrl ?? null,
    recipe: recipe ?? null,
    backend,
    token_file: tokenFile ?? null,
    pid,
  })}\n`;
}

/** For people: the addresses, and what to do with them. */
export function describeUp(facts: UpFacts, paint = createPaint(wantsColour(process.stdout, process.env))): string {
  const { gatewayUrl, gatewayKey, controlUrl, engineUrl, backend, home, recipe, tokenFile } = facts;
  const rows = [
    ['control', toLocal(controlUrl), `runs, tools and the library; recipe ${recipe ?? 'default'}`],
    ['gateway', toLocal(gatewayUrl), `records calls to ${toLocal(backend)}`],
    ...(engineUrl === undefined ? [] : [['engine', toLocal(engineUrl), 'trains and samples on this machine']]),
  ] as [string, string, string][];
  const width = Math.max(...rows.map(([, address]) => address.length));
  const next = (what: string, command: string): string => `  ${what.padEnd(9)} ${command}`;
  return [
    // First and alone: it is what most people came for, and a terminal opens it with a click.
    facts.pageUrl,
    '',
    `${describeState(facts, paint)} ${paint.dim(`· kept in ${home}`)}`,
    '',
    ...rows.map(
      ([name, address, note]) =>
        `  ${name.padEnd(9)} ${paint.cyan(address)}${' '.repeat(width - address.length)}  ${paint.dim(note)}`,
    ),
    '',
    next('record', `OPENAI_BASE_URL=${writeBaseUrl(toLocal(gatewayUrl), gatewayKey)} <your agent>`),
    next('train', 'lachesis agent "train on …"   or the tools of `lachesis mcp`'),
    next('look', 'the page above, good once (`lachesis ui` opens it again) · lachesis runs watch'),
    next('rate', 'lachesis rate'),
    ...(tokenFile === undefined ? [] : [next('token', `in ${tokenFile}; commands of this machine find it`)]),
    next('end', 'Ctrl-C'),
    '',
  ].join('\n');
}

/** "Is up" is said of what has answered. */
const describeState = ({ isSilent = false }: UpFacts, paint: Paint): string =>
  isSilent
    ? `${paint.yellow('○')} ${paint.bold('Lachesis has started, and its model does not answer yet')}`
    : `${paint.green('●')} ${paint.bold('Lachesis is up')}`;
