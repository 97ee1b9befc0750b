import {
  environmentCheckSchema,
  LachesisError,
  type EnvironmentCheck,
  type EnvironmentEntry,
  type EnvironmentSource,
} from '@lachesis/protocol';
import { open } from 'node:fs/promises';

export interface EnvironmentViewOptions {
  listEnvironments: () => Promise<readonly EnvironmentEntry[]>;
  /** Goes through what an environment must be able to do, in a process that only reads; undefined for one of Python. */
  runCheck: (tenantId: string, name: string) => Promise<unknown>;
}

/** What somebody who cannot open files is shown of an environment. */
export interface EnvironmentView {
  source(name: string): Promise<EnvironmentSource>;
  check(tenantId: string, name: string): Promise<EnvironmentCheck>;
}

/** As much as a model reads of one file; environments that we ship are a tenth of it. */
const MOST_SOURCE_BYTES = 100_000;

/** What Node says when a process that only reads wants more. */
const RESTRICTED = /Access to this API has been restricted|ERR_ACCESS_DENIED|--allow-(?:child-process|fs-write|worker)/;

/** Only files that discovery has found to be environments can be read. */
export function createEnvironmentView({ listEnvironments, runCheck }: EnvironmentViewOptions): EnvironmentView {
  const find = async (name: string): Promise<EnvironmentEntry> => {
    const all = await listEnvironments();
    const found = all.find((entry) => entry.name === name);
    if (found !== undefined) return found;
    throw new LachesisError({
      code: 'not-found',
      message: `there is no environment ${JSON.stringify(name.slice(0, 200))}`,
      hint: `There are: ${all.map((entry) => entry.name).join(', ') || 'none'}.`,
    });
  };
  return {
    async source(given) {
      const { name, file_path: path } = await find(given);
      const { bytes, size } = await readBeginning(path);
      const language = isPython(path) ? ('python' as const) : ('typescript' as const);
      // A character that the end cuts in two is left out.
      const text = new TextDecoder().decode(bytes, { stream: true });
      return { name, file_path: path, language, size, is_cut: size > bytes.length, text };
    },
    async check(tenantId, given) {
      const { name, file_path: path } = await find(given);
      if (isPython(path)) {
        const detail = 'It is not written in TypeScript: it is tried when it starts.';
        return { name, passed: true, lines: [{ name: 'loads', verdict: 'open', detail }] };
      }
      const lines = environmentCheckSchema.shape.lines
        .parse(await runCheck(tenantId, name))
        .map((line) => (line.verdict === 'wrong' && RESTRICTED.test(line.detail) ? toOpen(line, name) : line));
      return { name, passed: lines.every(({ verdict }) => verdict !== 'wrong'), lines };
    },
  };
}

const isPython = (path: string): boolean => path.endsWith('.py');

const toOpen = (line: EnvironmentCheck['lines'][number], name: string): EnvironmentCheck['lines'][number] => ({
  ...{ name: line.name, verdict: 'open' },
  detail: `not tried: it writes files or starts processes, and a check through the API only reads. \`lachesis env check ${name}\` tries it.`,
});

async function readBeginning(path: string): Promise<{ bytes: Buffer; size: number }> {
  await using file = await open(path);
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, MOST_SOURCE_BYTES)), 0);
  return { bytes: buffer.subarray(0, bytesRead), size };
}
