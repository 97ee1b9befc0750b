import type { ChatMessage } from '@lachesis/protocol';

const isImage = (type: string): boolean => type === 'image' || type === 'image_url' || type === 'input_image';

/** The content with a note in the place of each image; a list stays a list. */
export function replaceImages({ content }: ChatMessage): unknown {
  if (!Array.isArray(content)) return content ?? null;
  return content.map((part) => (isImage(part.type) ? { type: 'text', text: '[screenshot]' } : part));
}

/** The first question as one text, with the number of its images. */
export function flattenQuery({ content }: ChatMessage): unknown {
  if (!Array.isArray(content)) return content ?? '';
  const texts: string[] = [];
  let images = 0;
  for (const part of content) {
    if (typeof part['text'] === 'string') texts.push(part['text']);
    else if (isImage(part.type)) images += 1;
  }
  if (images > 0) texts.push(`[${images} image${images === 1 ? '' : 's'}]`);
  return texts.join(' ');
}
