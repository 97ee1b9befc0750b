import { z } from 'zod';
import { request } from '../../../clients/request.ts';
import type { AgentTool } from '../../agent-tool.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolError } from '../../tool-error.ts';
import { replyWithImages, type ToolImage } from '../../tool-reply.ts';
import { requireSandbox } from '../require-sandbox.ts';
import { findImage, keepImage, toImage } from './run-images.ts';

const IMAGE_MS = 5 * 60_000;
const SIZES = { square: '1024x1024', landscape: '1536x1024', portrait: '1024x1536' } as const;

export interface ImageToolOptions {
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Asks the server that a person configured. */
  readonly fetch: typeof fetch;
  /** Asks the address that this server names for its image. */
  readonly fetchPage: typeof fetch;
}

const replySchema = z.looseObject({
  data: z.array(z.looseObject({ b64_json: z.string().nullish(), url: z.string().nullish() })).min(1),
});

/** `image_generate`, over any server with OpenAI's `POST /images/generations`. */
export function createImageTool(options: ImageToolOptions): AgentTool {
  return defineTool({
    name: 'image_generate',
    description: 'Makes an image from a description. Gives its name, which vision_analyze takes.',
    timeoutMs: IMAGE_MS,
    input: z.object({
      prompt: z.string().min(1).describe('what is to be seen'),
      aspect_ratio: z.enum(['landscape', 'square', 'portrait']).default('square'),
      path: z.string().optional().describe('writes it into the sandbox as this file too'),
    }),
    execute: async ({ prompt, aspect_ratio: ratio, path }, context) => {
      const [made] = await request({
        ...{ url: options.url.replace(/\/+$/, ''), token: options.apiKey, fetch: options.fetch },
        ...{ method: 'POST', path: '/images/generations', timeoutMs: IMAGE_MS, signal: context.signal },
        body: { model: options.model, prompt, n: 1, size: SIZES[ratio] },
        parse: (reply) => replySchema.parse(reply).data,
      });
      const image = await read(made ?? {}, context, options);
      if (path !== undefined) {
        const sandbox = await requireSandbox(context, 'image_generate');
        await sandbox.writeFile(path, Buffer.from(image.data, 'base64'));
      }
      const name = keepImage(context.run, image);
      return replyWithImages(
        { success: true, image: name, media_type: image.mediaType, ...(path === undefined ? {} : { path }) },
        [image],
      );
    },
  });
}

/** Servers give the bytes, or an address at which they lie for an hour. */
async function read(
  { b64_json: data, url }: { b64_json?: string | null | undefined; url?: string | null | undefined },
  context: Parameters<AgentTool['execute']>[1],
  options: ImageToolOptions,
): Promise<ToolImage> {
  if (typeof data === 'string') return toImage(Buffer.from(data, 'base64'), 'the image');
  if (typeof url === 'string') return findImage(url, context, { fetch: options.fetchPage });
  throw new ToolError({ what: 'There is no image', reason: 'the server gave neither bytes nor an address' });
}
