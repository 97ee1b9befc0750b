import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { ToolContext } from '../../agent-tool.ts';
import { ToolError } from '../../tool-error.ts';
import type { ToolImage } from '../../tool-reply.ts';
import { keepByRun } from '../../tool-run.ts';
import { readCapped } from '../web/read-capped.ts';

/** What vision servers take at most, in the form they are sent. */
const LARGEST_IMAGE = 15_000_000;
const IMAGE_MS = 60_000;

const imagesOf = keepByRun(() => [] as ToolImage[]);

/** Keeps an image for the other tools of this agent, and gives its name: `image_1`. */
export function keepImage(run: ToolContext['run'], image: ToolImage): string {
  return `image_${imagesOf(run).push(image)}`;
}

/** An image by the name that a tool gave it, an address, a `data:` URL, or a path in the sandbox. */
export async function findImage(
  where: string,
  { run, sandbox, signal }: ToolContext,
  { fetch: ask }: { fetch: typeof fetch },
): Promise<ToolImage> {
  const kept = /^image_(\d+)$/.exec(where);
  if (kept !== null) {
    const image = imagesOf(run)[Number(kept[1]) - 1];
    if (image !== undefined) return image;
    throw new ToolError({ what: `There is no ${where}`, hint: 'Give the name that a tool of this task gave' });
  }
  const data = /^data:image\/[\w.+-]+;base64,([\s\S]+)$/.exec(where);
  if (data !== null) return toImage(Buffer.from(data[1] ?? '', 'base64'), 'the image');
  if (/^https?:\/\//i.test(where)) {
    const response = await ask(where, { signal: AbortSignal.any([signal, AbortSignal.timeout(IMAGE_MS)]) });
    if (!response.ok) {
      await response.body?.cancel();
      throw new ToolError({ what: `${where} was not read`, reason: `it answered with ${response.status}` });
    }
    const { bytes, isCut } = await readCapped(response, LARGEST_IMAGE);
    if (isCut) throw tooLarge(where);
    return toImage(bytes, where);
  }
  if (sandbox === undefined) {
    throw new ToolError({
      what: `${where} was not read`,
      reason: 'this agent has no sandbox',
      hint: 'Give an address',
    });
  }
  return readFromSandbox(await sandbox(), where);
}

async function readFromSandbox(sandbox: Sandbox, path: string): Promise<ToolImage> {
  const bytes = await sandbox.readFile(path);
  if (bytes.length > LARGEST_IMAGE) throw tooLarge(path);
  return toImage(bytes, path);
}

const tooLarge = (where: string): ToolError =>
  new ToolError({ what: `${where} was not read`, reason: `it is larger than ${LARGEST_IMAGE / 1_000_000} MB` });

/** The kind is what the bytes say; names and headers are somebody's word. */
export function toImage(bytes: Uint8Array, where: string): ToolImage {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12)).toString('latin1');
  const mediaType = head.startsWith('\u0089PNG')
    ? 'image/png'
    : head.startsWith('\u00ff\u00d8\u00ff')
      ? 'image/jpeg'
      : head.startsWith('GIF8')
        ? 'image/gif'
        : head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP'
          ? 'image/webp'
          : undefined;
  if (mediaType === undefined) {
    throw new ToolError({ what: `${where} was not read`, reason: 'it is no PNG, JPEG, GIF or WebP image' });
  }
  return { mediaType, data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64') };
}
