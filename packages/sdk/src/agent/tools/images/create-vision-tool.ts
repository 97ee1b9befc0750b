import { z } from 'zod';
import type { AgentModel } from '../../agent-model.ts';
import type { AgentTool } from '../../agent-tool.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolError } from '../../tool-error.ts';
import { replyWithImages, toDataUrl, type ToolImage } from '../../tool-reply.ts';
import { findImage } from './run-images.ts';

const VISION_MS = 5 * 60_000;

/** Asks a model that can see about one image. */
export type LookAtImage = (image: ToolImage, question: string, signal: AbortSignal) => Promise<string>;

/** A model behind a chat API that takes images. */
export function createLook(model: AgentModel): LookAtImage {
  return async (image, question, signal) => {
    const content = [
      { type: 'text', text: question },
      { type: 'image_url', image_url: { url: toDataUrl(image) } },
    ];
    const { message } = await model({ messages: [{ role: 'user', content }], tools: [], signal });
    if (typeof message.content === 'string' && message.content.trim() !== '') return message.content;
    throw new ToolError({ what: 'The image was not described', reason: 'the vision model said nothing' });
  };
}

/** `vision_analyze`, over a model that can see. The image that was looked at goes into the record. */
export function createVisionTool({ look, fetch }: { look: LookAtImage; fetch: typeof globalThis.fetch }): AgentTool {
  return defineTool({
    name: 'vision_analyze',
    description: 'Looks at an image and answers a question about it.',
    timeoutMs: VISION_MS,
    input: z.object({
      image_url: z.string().min(1).describe('an address, a path in the sandbox, or a name such as image_1'),
      question: z.string().min(1).default('Describe the image.'),
    }),
    execute: async ({ image_url: where, question }, context) => {
      const image = await findImage(where, context, { fetch });
      return replyWithImages({ success: true, analysis: await look(image, question, context.signal) }, [image]);
    },
  });
}
