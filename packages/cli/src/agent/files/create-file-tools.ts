import type { Redactor } from '@lachesis/protocol';
import { ToolError, type AgentTool } from '@lachesis/sdk/agent';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defineFieldTool } from '../tool-fields.ts';
import { describeChange } from './describe-change.ts';
import type { ProjectPaths } from './project-paths.ts';
import { readTextFile } from './read-text-file.ts';
import { walkFiles } from './walk-files.ts';

const MOST_LISTED = 500;
const MOST_HITS = 100;
const MOST_SEARCHED = 5_000;
const LONGEST_LINE = 300;
const DEEPEST = 20;

export interface FileToolsOptions {
  project: ProjectPaths;
  /** What is read goes to the model's server: secrets are taken out of it before. */
  redactor: Pick<Redactor, 'redactText'>;
}

/** Reads anywhere under the project; writes under `environments/`, after somebody allowed it. */
export function createFileTools(options: FileToolsOptions): AgentTool[] {
  return [listFiles(options.project), readOneFile(options), searchFiles(options), writeOneFile(options.project)];
}

function listFiles({ toRead, show }: ProjectPaths): AgentTool {
  return defineFieldTool({
    name: 'list_files',
    description: 'Lists files and folders of the project. Folders end in a slash; installed packages are passed over.',
    fields: {
      path: { type: 'string', description: 'a folder, from the folder of the project on', fallback: '.' },
      depth: { type: 'integer', description: 'how many folders deep', minimum: 1, maximum: DEEPEST, fallback: 2 },
    },
    execute: async ({ path: given, depth }) => {
      const files: string[] = [];
      const folder = await toRead(given);
      for await (const file of guard(walkFiles(folder, depth), given)) {
        if (files.length === MOST_LISTED) {
          return { files, note: `there are more than ${MOST_LISTED}; list one of the folders` };
        }
        files.push(`${show(file.path)}${file.isFolder ? '/' : ''}`);
      }
      return { files };
    },
  });
}

function readOneFile({ project: { toRead, show }, redactor }: FileToolsOptions): AgentTool {
  return defineFieldTool({
    name: 'read_file',
    description: 'Reads lines of a text file of the project. Keys and passwords in it are replaced by marks.',
    fields: {
      path: { type: 'string', description: 'the file, from the folder of the project on' },
      from_line: { type: 'integer', description: 'first line', minimum: 1, maximum: 10_000_000, fallback: 1 },
      lines: { type: 'integer', description: 'at most so many lines', minimum: 1, maximum: 2_000, fallback: 400 },
    },
    execute: async ({ path: given, from_line: from, lines: most }) => {
      const file = await toRead(given);
      const text = await readTextFile(file, show(file));
      if (text === undefined) {
        throw new ToolError({ what: `There is no file ${show(file)}`, hint: 'list_files shows what is there' });
      }
      // The whole file, before it is cut: half of a key is no longer known for one.
      const lines = redactor.redactText(text).text.split('\n');
      return {
        path: show(file),
        from_line: from,
        total_lines: lines.length,
        text: lines.slice(from - 1, from - 1 + most).join('\n'),
      };
    },
  });
}

function searchFiles({ project: { toRead, show }, redactor }: FileToolsOptions): AgentTool {
  return defineFieldTool({
    name: 'search_files',
    description: 'Finds lines of text files of the project that hold a text, in any case of letters.',
    fields: {
      text: { type: 'string', description: 'the text' },
      path: { type: 'string', description: 'a folder to look in', fallback: '.' },
    },
    execute: async ({ text, path: given }, signal) => {
      const wanted = text.toLowerCase();
      const hits: { path: string; line: number; text: string }[] = [];
      let searched = 0;
      const folder = await toRead(given);
      for await (const file of guard(walkFiles(folder, DEEPEST), given)) {
        if (file.isFolder) continue;
        signal.throwIfAborted();
        if (searched === MOST_SEARCHED)
          return { hits, note: `only ${MOST_SEARCHED} files were looked at; name a folder` };
        searched += 1;
        const content = (await readIfText(file.path, toRead, show)) ?? '';
        // Only a file that may have hits is worth the work; hits are looked for in what is shown.
        if (!content.toLowerCase().includes(wanted)) continue;
        for (const [index, line] of redactor.redactText(content).text.split('\n').entries()) {
          if (!line.toLowerCase().includes(wanted)) continue;
          hits.push({ path: show(file.path), line: index + 1, text: line.slice(0, LONGEST_LINE) });
          if (hits.length === MOST_HITS)
            return { hits, note: `there may be more than ${MOST_HITS}; say more of the text` };
        }
      }
      return { hits };
    },
  });
}

/** What may not be read, or is no text, has no lines to find. */
async function readIfText(
  file: string,
  toRead: ProjectPaths['toRead'],
  show: ProjectPaths['show'],
): Promise<string | undefined> {
  try {
    return await readTextFile(await toRead(file), show(file));
  } catch (error) {
    if (ToolError.isInstance(error)) return undefined;
    throw error;
  }
}

function writeOneFile({ toWrite, show }: ProjectPaths): AgentTool {
  return defineFieldTool({
    name: 'write_file',
    description: 'Writes a file under environments/ of the project, whole. The person sees the change and is asked.',
    fields: {
      path: { type: 'string', description: 'such as environments/my-task.ts' },
      content: { type: 'string', description: 'the whole file' },
    },
    risk: 'writes',
    preview: async ({ path: given, content }) => {
      const file = await toWrite(given);
      return describeChange(show(file), await readTextFile(file, show(file)), content);
    },
    execute: async ({ path: given, content }) => {
      // Looked at again: the folder may have changed while the person thought.
      const file = await toWrite(given);
      await mkdir(path.dirname(file), { recursive: true });
      // Written beside it and moved: who dies here leaves the file as it was, and a link that came meanwhile is replaced.
      const half = path.join(path.dirname(file), `.${path.basename(file)}.half`);
      await rm(half, { force: true });
      await writeFile(half, content, { flag: 'wx' });
      await rename(half, file);
      return { written: show(file), bytes: Buffer.byteLength(content) };
    },
  });
}

async function* guard<T>(walk: AsyncGenerator<T>, given: string): AsyncGenerator<T> {
  try {
    yield* walk;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ToolError({
      what: `${JSON.stringify(given)} cannot be listed`,
      reason: code,
      hint: 'Give a folder',
      cause: error,
    });
  }
}
