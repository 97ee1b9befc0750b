import { EnvironmentError } from '@lachesis/sdk/environment';
import type { Sandbox } from '@lachesis/sdk/sandbox';

/** A text, a text with permissions, or a link to what `link` names. A path that ends with a slash is an empty folder. */
export type LaidFile = string | { readonly text: string; readonly mode: number } | { readonly link: string };

export type LaidFiles = Readonly<Record<string, LaidFile>>;

/** Puts files into a sandbox with one command, because each command costs some milliseconds and tasks have many files. */
export async function writeFiles(
  sandbox: Sandbox,
  files: LaidFiles,
  { needs = [] }: { needs?: readonly string[] } = {},
) {
  const lines = [
    'set -e',
    ...needs.map((program) => `command -v ${quote(program)} > /dev/null || { echo ${quote(program)} >&2; exit 127; }`),
    ...Object.entries(files).flatMap(([path, file]) => layOne(path, file)),
  ];
  const run = await sandbox.exec(['sh', '-s'], { input: `${lines.join('\n')}\n` });
  if (run.exitCode === 0) return;
  if (run.exitCode === 127) {
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `The sandbox has no ${run.stderr.trim().slice(0, 100)}, and the task needs it.`,
      hint: 'Install it where sandboxes find it (/usr/bin for namespace), or choose another env.terminal_backend.',
    });
  }
  throw new Error(`the files of the task could not be laid: ${run.stderr.trim().slice(0, 300) || run.end}`);
}

function layOne(path: string, file: LaidFile): string[] {
  const place = quote(`./${path}`);
  if (path.endsWith('/')) return [`mkdir -p ${place}`];
  const folder = path.includes('/') ? [`mkdir -p ${quote(`./${path.slice(0, path.lastIndexOf('/'))}`)}`] : [];
  // Whatever is there gives way: through a link, the file would land somewhere else.
  const clear = `rm -rf ${place}`;
  if (typeof file === 'object' && 'link' in file) return [...folder, clear, `ln -s ${quote(file.link)} ${place}`];
  const { text, mode } = typeof file === 'string' ? { text: file, mode: 0o644 } : file;
  return [...folder, clear, `printf %s ${quote(text)} > ${place}`, `chmod ${mode.toString(8)} ${place}`];
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
