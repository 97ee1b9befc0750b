import { redact, type Redactor } from '@lachesis/protocol';
import { ToolError, type AgentTool } from '@lachesis/sdk/agent';
import { defineFieldTool } from '../tool-fields.ts';
import type { ProjectPaths } from './project-paths.ts';
import { readRows } from './read-rows.ts';

export interface RowsToolOptions {
  project: ProjectPaths;
  /** Secrets are taken out of what is shown. */
  redactor: Redactor;
  /** Rows of a data set of the library, `name` or `name@3`. */
  readDatasetRows: (ref: string, options: { signal: AbortSignal }) => AsyncIterable<unknown>;
  /** The first rows of a data set on the hub. */
  readHubRows: (options: HubRows & { signal: AbortSignal }) => Promise<readonly unknown[]>;
}

export interface HubRows {
  name: string;
  config: string | undefined;
  split: string | undefined;
  revision: string | undefined;
  limit: number;
}

const LONGEST_TEXT = 600;
const MOST_ITEMS = 20;

/** Shows a few rows of a data set, so that an environment is written for what is really in it. */
export function createRowsTool({ project, redactor, readDatasetRows, readHubRows }: RowsToolOptions): AgentTool {
  return defineFieldTool({
    name: 'preview_rows',
    description:
      'Shows a few rows of data: a file of the project (.jsonl, .csv, .tsv, also .gz, or .json), a data set of the library, or one of the Hugging Face hub (hf://openai/gsm8k). Give one of the two.',
    fields: {
      path: { type: 'string', description: 'a file, from the folder of the project on', fallback: '' },
      dataset: {
        type: 'string',
        description:
          'of the library, such as support or support@3; of the hub hf://owner/name, also hf://owner/name@revision?config=main&split=test',
        fallback: '',
      },
      rows: { type: 'integer', description: 'how many rows', minimum: 1, maximum: 50, fallback: 5 },
      skip: { type: 'integer', description: 'rows to pass over before', minimum: 0, maximum: 1_000_000, fallback: 0 },
    },
    execute: async ({ path: given, dataset, rows: most, skip }, signal) => {
      if ((given === '') === (dataset === '')) {
        throw new ToolError({ what: 'preview_rows needs one place', hint: 'Give path or dataset, and not both' });
      }
      // Models write the address in either field.
      const hub = [given, dataset].find((place) => place.startsWith(HUB));
      const file = given === '' || hub !== undefined ? undefined : await project.toRead(given);
      const source =
        hub !== undefined
          ? await readHubRows({ ...readHubPlace(hub), limit: skip + most + 1, signal })
          : file === undefined
            ? readDatasetRows(dataset, { signal })
            : readRows(file, project.show(file));
      const rows: unknown[] = [];
      let passed = 0;
      let hasMore = false;
      for await (const row of source) {
        signal.throwIfAborted();
        if (passed < skip) passed += 1;
        else if (rows.length < most) rows.push(row);
        else {
          hasMore = true;
          break;
        }
      }
      const clean = redact(rows, redactor).value;
      return { fields: describeFields(clean), rows: clean.map((row) => shorten(row)), from: passed, has_more: hasMore };
    },
  });
}

const HUB = 'hf://';

function readHubPlace(place: string): Omit<HubRows, 'limit'> {
  const found = /^hf:\/\/(?:datasets\/)?([\w.-]+\/[\w.-]+)(?:@([\w./-]+))?(?:\?(.*))?$/.exec(place);
  const [, name, revision, query] = found ?? [];
  if (name === undefined) {
    throw new ToolError({
      what: `${place} is no data set of the hub`,
      hint: 'Give hf://owner/name, such as hf://openai/gsm8k',
    });
  }
  const said = new URLSearchParams(query);
  return { name, revision, config: said.get('config') ?? undefined, split: said.get('split') ?? undefined };
}

/** Each field with the kinds of value it has; a field that some rows lack says so. */
function describeFields(rows: readonly unknown[]): Record<string, string> {
  const kinds = new Map<string, Set<string>>();
  const seen = new Map<string, number>();
  for (const row of rows) {
    if (typeof row !== 'object' || row === null) continue;
    for (const [name, value] of Object.entries(row)) {
      kinds.set(name, (kinds.get(name) ?? new Set()).add(kindOf(value)));
      seen.set(name, (seen.get(name) ?? 0) + 1);
    }
  }
  return Object.fromEntries(
    [...kinds].map(([name, each]) => {
      const missing = rows.length - (seen.get(name) ?? 0);
      return [name, [...each].join(' or ') + (missing === 0 ? '' : `, missing in ${missing}`)];
    }),
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length <= LONGEST_TEXT ? value : `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST_ITEMS).map(shorten);
    return value.length <= MOST_ITEMS ? items : [...items, `… (${value.length} items)`];
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each)]));
}
