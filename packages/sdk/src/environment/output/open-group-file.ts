import { mkdir, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { EnvironmentDefinition, OpenedEnvironment } from '../definition.ts';
import type { RolledOutGroup } from '../runner/roll-out-group.ts';
import { findFreePath } from './find-free-path.ts';
import { groupBlock, PAGE_END, pageStart } from './rollouts-page.ts';
import { writeScoredData } from './write-scored-data.ts';

export interface GroupFile {
  readonly path: string;
  readonly pagePath: string;
  write(group: RolledOutGroup): Promise<void>;
  /** Also ends the page. */
  close(): Promise<void>;
}

/** A page with more groups than this is too heavy to open; the JSONL beside it has them all. */
const MOST_ON_PAGE = 500;

/** Groups as JSON lines, and a page of them beside it. A file that is there is left alone: the next free name is taken. */
export async function openGroupFile({
  file,
  definition,
  environment,
}: {
  file: string;
  definition: EnvironmentDefinition;
  environment: OpenedEnvironment;
}): Promise<GroupFile> {
  await mkdir(path.dirname(path.resolve(file)), { recursive: true });
  const { handle, path: taken } = await findFreePath(file, (name) => open(name, 'ax'));
  const pagePath = `${taken.replace(/\.jsonl$/, '')}.html`;
  const page: FileHandle = await open(pagePath, 'w');
  const { config } = environment;
  await page.write(
    pageStart(`Rollouts of ${definition.name}`, {
      'group size': config.group_size,
      temperature: config.temperature,
      seed: config.seed,
    }),
  );
  let written = 0;
  let closing: Promise<void> | undefined;
  return {
    path: taken,
    pagePath,
    async write({ rollouts, drawn }) {
      await handle.write(
        writeScoredData({
          rollouts,
          temperature: config.temperature,
          groupOverrides: environment.groupOverrides?.(drawn),
        }),
      );
      written += 1;
      if (written > MOST_ON_PAGE) return;
      const shown = rollouts.map(({ result, outcome }) => ({ messages: result?.messages ?? [], outcome }));
      await page.write(groupBlock(`Group ${written} (${drawn.key})`, shown));
    },
    close() {
      closing ??= (async () => {
        if (written > MOST_ON_PAGE) await page.write(`<p>${written - MOST_ON_PAGE} more groups are in the file.</p>`);
        await page.write(PAGE_END);
        await page.close();
        await handle.close();
      })();
      return closing;
    },
  };
}
